"""Texts to search (public retrieval sets, else the shipped root causes) and their vectors."""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from devassist.root_causes.error_excerpt import extract_excerpt
from toolbox.embedding.embedder import embedder

Vectors = NDArray[np.float32]
SETS = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "rca"
DEPTH = 10


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Documents, queries, and which documents answer which query."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, float]]
    left_out: dict[str, str] = field(default_factory=dict)
    """A query's own document, which does not count as found."""


def retrieval_sets() -> list[RetrievalSet]:
    """Load the public sets beside the clone (see tests/data/README.md), or else the shipped root causes."""
    found = [_read(folder) for folder in sorted(SETS.glob("retrieval_*")) if folder.is_dir()]
    return [*found, *(titles for one in found if (titles := _titles(one))), _read_shipped()]


def vectors(texts: Sequence[str], *, name: str) -> Vectors:
    """Embed texts as entries are, once: vectors are stored under var/bench by the texts' hash."""
    digest = sha256("\x00".join(texts).encode()).hexdigest()[:16]
    file = Path(settings.TOOLROOM_VAR) / "bench" / f"vectors-{name}-{digest}.npy"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, embedder.embed(texts))
    kept: Vectors = np.load(file)
    return kept


def query_vectors(one: RetrievalSet) -> Vectors:
    """Embed what the tool would embed of each query."""
    return vectors([extract_excerpt(text).meaning for text in one.queries.values()], name=f"{one.name}-queries")


def gains(one: RetrievalSet, *, ranked: Callable[[str], Sequence[str]]) -> NDArray[np.float64]:
    """Return nDCG@10 of each query; `ranked` returns document ids for a query's id, the best first."""
    found_gains = []
    for query, grades in one.relevant.items():
        found = [document for document in ranked(query) if document != one.left_out.get(query)][:DEPTH]
        ideal = _gain(sorted(grades.values(), reverse=True)[:DEPTH])
        found_gains.append(_gain([grades.get(document, 0.0) for document in found]) / ideal)
    return np.array(found_gains)


def sample(one: RetrievalSet, *, queries: int, documents: int) -> RetrievalSet:
    """Return a random sample of the queries with their documents, and some other documents; the same on every run."""
    dice = np.random.default_rng(7)
    chosen = set(dice.permutation(sorted(one.relevant))[:queries].tolist())
    wanted = {document for query in chosen for document in one.relevant[query]}
    wanted |= set(dice.permutation(sorted(one.documents))[:documents].tolist())
    return replace(
        one,
        documents={key: text for key, text in one.documents.items() if key in wanted},
        queries={key: text for key, text in one.queries.items() if key in chosen},
        relevant={key: grades for key, grades in one.relevant.items() if key in chosen},
    )


def difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean difference and the 95 % interval of a paired bootstrap of 5,000 draws."""
    pairs = ours - theirs
    draws = np.random.default_rng(7).integers(0, len(pairs), (5_000, len(pairs)))
    low, high = np.quantile(pairs[draws].mean(axis=1), (0.025, 0.975))
    return float(pairs.mean()), float(low), float(high)


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades))


def _titles(one: RetrievalSet) -> RetrievalSet | None:
    """Query with the titles only, for sets whose queries have a title and a text: short questions in prose."""
    if not all("\n" in text for text in one.queries.values()):
        return None
    titles = {key: text.partition("\n")[0] for key, text in one.queries.items()}
    return replace(one, name=f"{one.name}, titles", queries=titles)


def _read_shipped() -> RetrievalSet:
    """Build a set from the shipped root causes: the error's description must find its own cause and solution."""
    lines = (settings.BASE_DIR / "devassist/samples/root_causes.jsonl").read_text(encoding="utf-8").splitlines()
    entries = {entry["id"]: entry for entry in map(json.loads, lines)}
    return RetrievalSet(
        "shipped root causes",
        {key: f"{entry['errorType']}\n{entry['rootCause']}\n{entry['solution']}" for key, entry in entries.items()},
        {key: entry["errorDescription"] for key, entry in entries.items()},
        {key: {key: 1.0} for key in entries},
    )


def _read(folder: Path) -> RetrievalSet:
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    relevant: dict[str, dict[str, float]] = defaultdict(dict)
    with (folder / "qrels.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevant[row["query-id"]][row["corpus-id"]] = float(row["score"])
    return RetrievalSet(
        folder.name.removeprefix("retrieval_"),
        {one["_id"]: f"{one['title']}\n{one['text']}" for one in documents},
        {one["_id"]: one["text"] for one in queries},
        {one["_id"]: relevant[one["_id"]] for one in queries if one["_id"] in relevant},
        {one["_id"]: one["exclude_doc"] for one in queries if "exclude_doc" in one},
    )
