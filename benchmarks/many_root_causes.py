"""Fill the table of root causes from real texts: vectors and words mixed from two entries, with a little noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from django.db import connection

from benchmarks.retrieval import Vectors
from devassist.entries.bm25 import place_of, sparse, weights_of
from devassist.root_causes.load import count_words
from toolbox.embedding.model_files import MODEL_NAME
from toolbox.text.stemmed_words import words_of

LANGUAGES = ("kotlin", "java", "typescript", "python", "gradle")
KINDS = 200
NOISE = 0.02
_COLUMNS = (
    "id", "entry_name", "status", "language", "error_type", "error_key", "error_description", "root_cause", "solution",
    "fixed_in", "confidence", "source", "created_at", "changed_at", "stored_digest", "text_hash", "embedded_hash",
    "embedding_model", "embedding", "word_places", "word_weights",
)  # fmt: skip
_INDEXES = ("devassist_root_causes_near", "devassist_root_causes_words")


@dataclass(frozen=True, slots=True)
class Filled:
    """The content of the table by position; position 0 has id 1."""

    vectors: Vectors
    languages: Sequence[str]
    kinds: Sequence[str]
    confidences: Sequence[float]
    index_seconds: float


def mixed(vectors: Vectors, texts: Sequence[str], *, count: int) -> tuple[Vectors, list[str]]:
    """Generate `count` entries from real ones: each mostly one, partly another, with noise; so is its text."""
    chance = np.random.default_rng(7)
    first, second = chance.integers(len(texts), size=(2, count))
    share = chance.uniform(0.55, 0.95, size=(count, 1)).astype(np.float32)
    made = share * vectors[first] + (1 - share) * vectors[second]
    made += chance.normal(scale=NOISE, size=made.shape).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    halves = [text[: len(text) // 2 + 40] for text in texts]
    return made.astype(np.float32), [f"{halves[one]} {halves[other]}" for one, other in zip(first, second, strict=True)]


def fill(vectors: Vectors, texts: Sequence[str], *, clock: Any) -> Filled:
    """Empty the table and fill it by COPY; the two large indexes are created afterwards, as after any bulk load."""
    chance = np.random.default_rng(8)
    languages = [LANGUAGES[place] for place in chance.integers(len(LANGUAGES), size=len(texts))]
    kinds = [f"kind{place}error" for place in chance.integers(KINDS, size=len(texts))]
    confidences = [round(float(value), 2) for value in chance.uniform(0.5, 1, size=len(texts))]
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE devassist_root_causes, devassist_root_cause_words CASCADE")
        definitions = _drop_indexes(cursor)
        rows = zip(vectors, texts, languages, kinds, confidences, strict=True)
        with cursor.copy(f"COPY devassist_root_causes ({', '.join(_COLUMNS)}) FROM STDIN") as copy:
            for number, row in enumerate(rows, start=1):
                copy.write_row(_row(number, row))
        cursor.execute("SET maintenance_work_mem = '400MB'")
        started = clock()
        for definition in definitions:
            cursor.execute(definition)
        seconds = clock() - started
        cursor.execute("VACUUM ANALYZE devassist_root_causes")
    count_words()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE devassist_root_cause_words")
    return Filled(vectors, languages, kinds, confidences, seconds)


def _drop_indexes(cursor: Any) -> list[str]:
    cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = ANY(%s)", [list(_INDEXES)])
    definitions = [row[0] for row in cursor.fetchall()]
    for name in _INDEXES:
        cursor.execute(psycopg.sql.SQL("DROP INDEX {}").format(psycopg.sql.Identifier(name)))
    return definitions


def _row(number: int, row: tuple[Any, ...]) -> Iterator[Any]:
    vector, text, language, kind, confidence = row
    words = words_of(text)
    yield from (number, f"entry-{number}", "validated", language, kind, kind, text[:2_000].replace("\x00", ""), "", "")
    yield from ("", confidence, "benchmark", "2026-01-01Z", "2026-01-01Z", "", "", "", MODEL_NAME)
    yield "[" + ",".join(f"{value:.6g}" for value in vector) + "]"
    yield sorted({place_of(word) for word in words})
    yield sparse(weights_of(words))
