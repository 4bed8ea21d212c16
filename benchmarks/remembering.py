"""Measure the search of past root causes: quality and speed, beside ChromaDB. Prints Markdown."""

import asyncio
import json
import os
import platform
import subprocess
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management import call_command

from benchmarks.many_root_causes import Filled, fill, mixed
from benchmarks.retrieval import (
    RetrievalSet,
    Vectors,
    difference,
    gains,
    query_vectors,
    retrieval_sets,
    sample,
    vectors,
)
from benchmarks.servers import database_cpu_seconds
from devassist.contracts.vector_search_db import PastErrorsQuestion
from devassist.entries.bm25 import Rarity, place_of, weights_of
from devassist.models import RootCause
from devassist.root_causes import queries, search
from devassist.root_causes.error_excerpt import extract_excerpt
from devassist.root_causes.queries import SearchTerms
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.pools import Connection, reader
from toolbox.embedding.embedder import embedder
from toolbox.text.stemmed_words import words_of

CHROMA = "chromadb==1.5.9"
ASKED = 200
FILTERS: dict[str, dict[str, Any]] = {
    "no filter": {},
    "language (a fifth)": {"language": "python"},
    "error type (a 200th)": {"error_type": "Kind7Error"},
    "confidence 0.9 (a fifth)": {"min_confidence": 0.9},
}
MAX_MS, LEAST_RECALL = 10.0, 0.98
_NEAREST = """
SELECT id, embedding <=> %(vector)s::halfvec AS distance FROM devassist_root_causes WHERE {filters}
ORDER BY embedding <=> %(vector)s::halfvec LIMIT {near}
"""
_EVERY = """
SELECT id FROM (
  SELECT id, 1 - (embedding <=> %(vector)s::halfvec) AS similarity,
    -(word_weights <#> %(weights)s::sparsevec) / %(whole)s AS coverage
  FROM devassist_root_causes WHERE {filters} OFFSET 0
) AS r ORDER BY similarity + %(words_share)s * coverage * coverage DESC LIMIT 10
"""


def run(*, entries: int, with_peers: bool) -> None:
    """Measure everything; the output says if the machine is busy."""
    call_command("migrate", verbosity=0, interactive=False)
    busy = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load average {busy:.1f}{' (busy machine)' if busy > 1 else ''}, "
          f"{platform.system()}, Python {platform.python_version()}.")  # fmt: skip
    sets = retrieval_sets()
    print_quality(sets)
    _speed(sets, entries=entries, with_peers=with_peers)


def find_sets_below(*, queries: int, documents: int) -> list[str]:
    """Rank samples of the sets; returns those that the tool answers significantly worse than meaning alone."""
    call_command("migrate", verbosity=0, interactive=False)
    return print_quality([sample(one, queries=queries, documents=documents) for one in retrieval_sets()])


def print_quality(sets: Sequence[RetrievalSet]) -> list[str]:
    """Print the table of nDCG; returns the sets that are answered significantly worse than by meaning alone."""
    print("\n| nDCG@10 | documents | queries | meaning alone | BM25 alone | both, as the tool ranks | "
          "with the floor, as the tool answers | that minus meaning alone (95 %) |"
          "\n|---|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    below = []
    for one in sets:
        line, highest = _quality(one)
        print(line, flush=True)
        below += [one.name] if highest < 0 else []
    return below


def _quality(one: RetrievalSet) -> tuple[str, float]:
    """Return a line of the table, and the upper end of its interval."""
    texts, ids = list(one.documents.values()), list(one.documents)
    dense, asked = vectors(texts, name=one.name), query_vectors(one)
    fill(dense, texts, clock=perf_counter)
    row_of = dict(zip(one.queries, range(len(one.queries)), strict=True))
    cosines, lexical = asked @ dense.T, _bm25(one)

    def tool(query: str, **changes: Any) -> list[str]:
        sought = replace(_sought(one.queries[query], asked[row_of[query]]), limit=11, **changes)
        return [ids[row["id"] - 1] for row in event_loop.run(queries.search(sought, reader=reader))]

    def best(scores: Any) -> list[str]:
        return [ids[place] for place in np.argsort(-scores, kind="stable")[:11]]

    figures = (
        gains(one, ranked=lambda query: best(cosines[row_of[query]])),
        gains(one, ranked=lambda query: best(lexical[row_of[query]])),
        gains(one, ranked=lambda query: tool(query, floor=-1.0)),
        gains(one, ranked=tool),
    )
    means = " | ".join(f"{found.mean():.3f}" for found in figures)
    mean, low, high = difference(figures[-1], figures[0])
    compared = f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
    line = f"| {one.name} | {len(ids):,} | {len(one.relevant):,} | {means} | {compared} |"
    return line, high


def _bm25(one: RetrievalSet) -> Any:
    """Score every document for every query, exactly, with the words and weights that the tool stores."""
    weights = [weights_of(words_of(text)) for text in one.documents.values()]
    holding: dict[int, int] = {}
    for entry in weights:
        for place in entry:
            holding[place] = holding.get(place, 0) + 1
    rarity, at = Rarity(len(weights), holding), {place: number for number, place in enumerate(holding)}
    table = np.zeros((len(weights), len(at)), dtype=np.float32)
    for row, entry in enumerate(weights):
        for place, weight in entry.items():
            table[row, at[place]] = weight
    scores = np.zeros((len(one.queries), len(weights)), dtype=np.float32)
    for row, text in enumerate(one.queries.values()):
        places = [place for place in {place_of(word) for word in words_of(extract_excerpt(text).words)} if place in at]
        scores[row] = table[:, [at[place] for place in places]] @ [rarity.weigh(place) for place in places]
    return scores


def _sought(text: str, vector: Any, **filters: Any) -> SearchTerms:
    """Return the tool's search terms for a text whose vector is known."""
    ask = PastErrorsQuestion(query=text, limit=10, **({"min_confidence": 0.0, "include_unvalidated": True} | filters))
    with _Known({extract_excerpt(text).meaning: vector}):
        return event_loop.run(search._build_terms(extract_excerpt(text), ask=ask))  # noqa: SLF001 - the tool's own step


class _Known:
    """Replaces the embedding model by known vectors, so that only the rest is measured."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def __enter__(self) -> None:
        async def embed_text(text: str) -> Any:
            return self.known[text]

        embedder.embed_text = embed_text  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        del embedder.embed_text


def _speed(sets: Sequence[RetrievalSet], *, entries: int, with_peers: bool) -> None:
    texts = [text for one in sets for text in one.documents.values()]
    real = np.concatenate([vectors(list(one.documents.values()), name=one.name) for one in sets])
    made, said = mixed(real, texts, count=entries)
    filled = fill(made, said, clock=perf_counter)
    asked = {
        text: vector for one in sets for text, vector in zip(one.queries.values(), query_vectors(one), strict=True)
    }
    step = max(1, len(asked) // ASKED)
    chosen = dict(list(asked.items())[::step][:ASKED])
    print(f"\n{RootCause.objects.count():,} entries mixed of {len(texts):,} real ones, {len(chosen)} real queries; "
          f"indexes made in {filled.index_seconds:.0f} s.")  # fmt: skip
    chroma = _chroma(filled, np.array(list(chosen.values()))) if with_peers else {}
    print("\n| filter | tool beyond embedding, median / p95 ms | CPU of ours + PostgreSQL's, ms a call | "
          "its 10 of the exact 10 | nearest by HNSW, median ms | recall@10 | ChromaDB, median ms | recall@10 |"
          "\n|---|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    rows = {name: _measured(name, chosen, filled=filled, chroma=chroma) for name in FILTERS}
    for name, (_, _, line) in rows.items():
        print(f"| {name} | {line} |")
    slowest, worst = max(row[0] for row in rows.values()), min(row[1] for row in rows.values())
    print(f"\n- {'met' if slowest < MAX_MS else 'MISSED'}: median beyond embedding under {MAX_MS:g} ms: {slowest:.1f}")
    print(f"- {'met' if worst >= LEAST_RECALL else 'MISSED'}: recall@10 at least {LEAST_RECALL:g}: {worst:.3f}")


def _measured(
    name: str, chosen: dict[str, Any], *, filled: Filled, chroma: dict[str, Any]
) -> tuple[float, float, str]:  # fmt: skip
    filters = FILTERS[name]
    event_loop.run(_timed(chosen, filters=filters, rounds=1))  # warm-up
    ours, database = process_time(), database_cpu_seconds() or 0.0
    whole = event_loop.run(_timed(chosen, filters=filters, rounds=1))
    ours, database = process_time() - ours, (database_cpu_seconds() or 0.0) - database
    sought = [_sought(text, vector, **filters) for text, vector in chosen.items()]
    near, times = event_loop.run(_nearest(sought))
    exact = _exact(filled, np.array(list(chosen.values())), filters=filters)
    recall = _recall(near, exact)
    tool = [
        [row["id"] for row in event_loop.run(queries.search(replace(one, floor=-9.0), reader=reader))] for one in sought
    ]
    every = [event_loop.run(_every(one)) for one in sought[:50]]
    line = f"{median(whole):.1f} / {np.quantile(whole, 0.95):.1f} | "
    line += (
        f"{1000 * ours / len(chosen):.1f} + {1000 * database / len(chosen):.1f} | {_recall(tool[:50], every):.3f} | "
    )
    line += f"{median(times):.1f} | {recall:.3f} | "
    theirs = chroma.get("found", {}).get(name)
    line += f"{median(chroma['milliseconds'][name]):.1f} | {_recall(theirs, exact):.3f}" if theirs else "not run | "
    return median(whole), recall, line


async def _timed(chosen: dict[str, Any], *, filters: dict[str, Any], rounds: int) -> list[float]:
    times = []
    with _Known({extract_excerpt(text).meaning: vector for text, vector in chosen.items()}):
        for _ in range(rounds):
            for text in chosen:
                ask = PastErrorsQuestion(query=text, **({"min_confidence": 0.0, "include_unvalidated": True} | filters))
                started = perf_counter()
                try:
                    await search.find(ask)
                except ToolError:
                    pass
                else:
                    times.append(1000 * (perf_counter() - started))
                await asyncio.sleep(0)
    return times


async def _nearest(sought: Sequence[SearchTerms]) -> tuple[list[list[int]], list[float]]:
    """Search by vectors only, with the tool's index, settings and candidates; returns the ten nearest, and times."""
    times: list[float] = []

    async def work(connection: Connection, *, one: SearchTerms) -> list[int]:
        statement = _NEAREST.format(filters=one.filters, near=queries.NEAR).encode()
        started = perf_counter()
        async with connection.pipeline():
            settings = queries._SETTINGS.encode()  # noqa: SLF001 - measured with the tool's own
            await connection.execute(settings, one.settings, prepare=True)
            cursor = await connection.execute(statement, one.parameters, prepare=True)
        rows = await cursor.fetchall()
        times.append(1000 * (perf_counter() - started))
        return [row["id"] for row in sorted(rows, key=lambda row: row["distance"])[:10]]

    found = [await reader.run(partial(work, one=one)) for one in sought]
    return found, times


async def _every(one: SearchTerms) -> list[int]:
    """Rank every entry as the tool ranks its candidates."""

    async def work(connection: Connection) -> list[int]:
        statement = _EVERY.format(filters=one.filters).encode()
        parameters = one.parameters | {"words_share": one.words_share}
        rows = await (await connection.execute(statement, parameters, prepare=False)).fetchall()
        return [row["id"] for row in rows]

    return await reader.run(work)


def _exact(filled: Filled, asked: Vectors, *, filters: dict[str, Any]) -> list[list[int]]:
    keep = np.ones(len(filled.languages), dtype=bool)
    if language := filters.get("language"):
        keep &= np.array(filled.languages) == language
    if kind := filters.get("error_type"):
        keep &= np.array(filled.kinds) == kind.lower()
    keep &= np.array(filled.confidences) >= filters.get("min_confidence", 0.0)
    ids = np.nonzero(keep)[0]
    scores = asked @ filled.vectors[ids].T
    return [[int(ids[place]) + 1 for place in np.argsort(-row)[:10]] for row in scores]


def _recall(found: Sequence[Sequence[int]], exact: Sequence[Sequence[int]]) -> float:
    return float(np.mean([len(set(a) & set(b)) / max(len(b), 1) for a, b in zip(found, exact, strict=True)]))


def _chroma(filled: Filled, asked: Vectors) -> dict[str, Any]:
    """Run ChromaDB on the same vectors; {} if it cannot be installed."""
    home_folder = Path(settings.TOOLROOM_VAR) / "bench" / "chroma"
    python = home_folder / "bin" / "python"
    try:
        if not (home_folder / "installed").exists():
            venv.create(home_folder, with_pip=True, clear=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", CHROMA], check=True, timeout=600)
            (home_folder / "installed").touch()
    except (subprocess.SubprocessError, OSError) as missing:
        print(f"ChromaDB is left out: it could not be installed ({missing}).")
        return {}
    filters = {
        "no filter": None, "language (a fifth)": {"language": "python"}, "error type (a 200th)": {"kind": "kind7error"},
        "confidence 0.9 (a fifth)": {"confidence": {"$gte": 0.9}},
    }  # fmt: skip
    rows = zip(filled.languages, filled.kinds, filled.confidences, strict=True)
    metadata = [{"language": language, "kind": kind, "confidence": sure} for language, kind, sure in rows]
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "entries.npy", filled.vectors)
        np.save(Path(folder) / "queries.npy", asked)
        (Path(folder) / "setup.json").write_text(json.dumps({"filters": filters, "metadata": metadata}))
        subprocess.run([str(python), str(Path(__file__).with_name("chroma_peer.py")), folder], check=True, timeout=1800)
        said: dict[str, Any] = json.loads((Path(folder) / "found.json").read_text())
    print(f"ChromaDB {said['version']} took the same vectors in {said['seconds']:.0f} s.")
    return said
