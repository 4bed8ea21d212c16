"""The columns that follow from an entry's text."""

from collections.abc import Sequence
from typing import Any

from pgvector import HalfVector, SparseVector

from devassist.entries.bm25 import PLACES, place_of, weights_of
from devassist.entries.root_cause import Entry, error_key
from toolbox.embedding.model_files import MODEL_NAME
from toolbox.text.stemmed_words import words_of


def searchable(entry: Entry) -> dict[str, Any]:
    """Give the columns that filters and the search by words read."""
    words = words_of(entry.text)
    return {
        "error_key": error_key(entry.error_type),
        "text_hash": entry.text_hash,
        "word_places": sorted({place_of(word) for word in words}),
        "word_weights": SparseVector({place - 1: weight for place, weight in weights_of(words).items()}, PLACES),
    }


def embedding_columns(entry: Entry, *, vector: Sequence[float]) -> dict[str, Any]:
    """Give the columns that the search by meaning reads."""
    return {
        "embedding": HalfVector(list(vector)),
        "embedded_hash": entry.text_hash,
        "embedding_model": MODEL_NAME,
    }
