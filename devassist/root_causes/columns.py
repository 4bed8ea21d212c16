"""Columns derived from an entry's text."""

from collections.abc import Sequence
from typing import Any

from pgvector import HalfVector, SparseVector

from devassist.entries.bm25 import PLACES, place_of, weights_of
from devassist.entries.root_cause import Entry, error_key
from toolbox.embedding.model_files import MODEL_NAME
from toolbox.text.stemmed_words import words_of


def searchable(entry: Entry) -> dict[str, Any]:
    """Return the columns of filters and of the search by words."""
    words = words_of(entry.text)
    return {
        "error_key": error_key(entry.error_type),
        "text_hash": entry.text_hash,
        "word_places": sorted({place_of(word) for word in words}),
        "word_weights": SparseVector({place - 1: weight for place, weight in weights_of(words).items()}, PLACES),
    }


def embedding_columns(entry: Entry, *, vector: Sequence[float]) -> dict[str, Any]:
    """Return the columns of the search by similarity."""
    return {
        "embedding": HalfVector(list(vector)),
        "embedded_hash": entry.text_hash,
        "embedding_model": MODEL_NAME,
    }
