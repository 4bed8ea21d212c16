"""
How well embedding models find past root causes by meaning alone: the built-in one, and one behind an endpoint.

    EMBEDDING_MODEL=all-mpnet-base-v2 EMBEDDING_BASE_URL=http://127.0.0.1:11434/v1 \
      python -m benchmarks.embedding_models            # 150 queries of each set; --sample 0: all of them

Needs no database. Prints Markdown: size of a vector, nDCG@10, and the paired bootstrap against the built-in model.
"""

import argparse
import os

import numpy as np

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
from devassist.root_causes.error_excerpt import extract_excerpt
from toolbox.embedding.endpoint import EmbeddingEndpoint, configured_endpoint

BATCH = 64


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="nDCG of embedding models on the retrieval sets.")
    parser.add_argument("--sample", type=int, default=150, metavar="QUERIES", help="queries of each set; 0 for all")
    count = parser.parse_args().sample
    endpoint = configured_endpoint()
    columns = _describe_columns(endpoint)
    print(f"load average {os.getloadavg()[0]:.1f}\n\n| set | documents | queries | built-in | {columns}")
    for one in retrieval_sets():
        print(_line(sample(one, queries=count, documents=count) if count else one, endpoint=endpoint), flush=True)


def _describe_columns(endpoint: EmbeddingEndpoint | None) -> str:
    if endpoint is None:
        return "\n|---|--:|--:|--:|"
    return f"{endpoint.model} | that minus built-in (95 %) | bytes of a vector |\n|---|--:|--:|--:|--:|--:|--:|"


def _line(one: RetrievalSet, *, endpoint: EmbeddingEndpoint | None) -> str:
    texts = list(one.documents.values())
    built_in = _gains(one, documents=vectors(texts, name=one.name), queries=query_vectors(one))
    line = f"| {one.name} | {len(texts):,} | {len(one.queries):,} | {built_in.mean():.3f} |"
    if endpoint is None:
        return line
    documents = _embed(endpoint, texts)
    asked = _embed(endpoint, [extract_excerpt(text).meaning for text in one.queries.values()])
    found = _gains(one, documents=documents, queries=asked)
    mean, low, high = difference(found, built_in)
    # Vectors are stored in half precision.
    return f"{line} {found.mean():.3f} | {mean:+.3f} ({low:+.3f} to {high:+.3f}) | {2 * documents.shape[1]:,} |"


def _embed(endpoint: EmbeddingEndpoint, texts: list[str]) -> Vectors:
    return np.concatenate([endpoint.embed_texts(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])


def _gains(one: RetrievalSet, *, documents: Vectors, queries: Vectors) -> "np.typing.NDArray[np.float64]":
    ids = list(one.documents)
    cosines = dict(zip(one.queries, queries @ documents.T, strict=True))
    return gains(one, ranked=lambda query: [ids[at] for at in np.argsort(-cosines[query], kind="stable")[:11]])


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
