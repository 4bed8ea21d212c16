"""
ChromaDB in a virtual environment of its own: reads a folder of vectors, writes its results and times.

Run by benchmarks/remembering.py; in its own process, without a network in between, which is an advantage for it.
"""

import json
import sys
import time
from pathlib import Path

import chromadb
import numpy as np

folder = Path(sys.argv[1])
setup = json.loads((folder / "setup.json").read_text())
vectors, queries = np.load(folder / "entries.npy"), np.load(folder / "queries.npy")
client = chromadb.EphemeralClient(chromadb.config.Settings(anonymized_telemetry=False))
collection = client.create_collection(
    "entries",
    configuration={"hnsw": {"space": "cosine", "ef_construction": 100, "max_neighbors": 16, "ef_search": 120}},
    embedding_function=None,
)
started = time.perf_counter()
for first in range(0, len(vectors), 5_000):
    collection.add(
        ids=[str(number + 1) for number in range(first, min(first + 5_000, len(vectors)))],
        embeddings=vectors[first : first + 5_000],
        metadatas=setup["metadata"][first : first + 5_000],
    )
seconds = time.perf_counter() - started
found: dict[str, list[list[int]]] = {}
times: dict[str, list[float]] = {}
for name, where in setup["filters"].items():
    found[name], times[name] = [], []
    for query in [*queries[:20], *queries]:
        before = time.perf_counter()
        answer = collection.query(query_embeddings=[query], n_results=10, where=where, include=["distances"])
        times[name].append(1000 * (time.perf_counter() - before))
        found[name].append([int(one) for one in answer["ids"][0]])
    found[name], times[name] = found[name][20:], times[name][20:]
said = {"found": found, "milliseconds": times, "seconds": seconds, "version": chromadb.__version__}
(folder / "found.json").write_text(json.dumps(said))
