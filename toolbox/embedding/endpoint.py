"""
An embedding model behind OpenAI's Embeddings API.

    EmbeddingEndpoint(model="bge-m3", base_url="http://127.0.0.1:11434/v1").embed_texts(["a crash"])
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from toolbox.embedding.failures import EmbeddingFailed

if TYPE_CHECKING:
    from openai import OpenAI

    from toolbox.embedding.session import Vector

QUESTION_SECONDS = 1.2
"""How long a question waits for its vector: less than a tool's 2 s."""
BATCH_SECONDS = 60.0
BATCH_RETRIES = 3
MAX_CHARACTERS = 8_000
MAX_DIMENSIONS = 4_000
"""The most that an index of half-precision vectors can hold."""
_NO_KEY = "none"


@dataclass(frozen=True)
class EmbeddingEndpoint:
    """One model of one server. Its calls block: do not use them on an event loop."""

    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)

    def embed_question(self, text: str) -> "Vector":
        """Return the unit vector of a text; raises EmbeddingFailed after 1.2 s."""
        vector: Vector = self._ask([text], seconds=QUESTION_SECONDS, retries=0)[0]
        return vector

    def embed_texts(self, texts: Sequence[str]) -> "Vector":
        """Return one row per text, with retries; raises EmbeddingFailed."""
        return self._ask(texts, seconds=BATCH_SECONDS, retries=BATCH_RETRIES)

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import OpenAI  # noqa: PLC0415 - half a second that only this model needs

        return OpenAI(base_url=self.base_url or None, api_key=self.api_key or _NO_KEY)

    def _ask(self, texts: Sequence[str], *, seconds: float, retries: int) -> "Vector":
        import openai  # noqa: PLC0415

        client = self._client.with_options(timeout=seconds, max_retries=retries)
        cut = [text[:MAX_CHARACTERS].encode(errors="replace").decode() or " " for text in texts]
        try:
            answer = client.embeddings.create(model=self.model, input=cut, encoding_format="float")
            rows = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
        except openai.APIStatusError as refused:  # no details: they may hold the key
            raise EmbeddingFailed(f"the embeddings endpoint refused with status {refused.status_code}") from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as failed:
            raise EmbeddingFailed(f"the embeddings endpoint gave no vectors: {type(failed).__name__}") from None
        return _normalize(rows, count=len(texts))


def configured_endpoint(model: str = "") -> EmbeddingEndpoint | None:
    """Return the configured endpoint, or another model of its server; None if none is configured."""
    if not settings.EMBEDDING_MODEL:
        return None
    return _endpoint(model or settings.EMBEDDING_MODEL, settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY)


@lru_cache(maxsize=8)
def _endpoint(model: str, base_url: str, api_key: str) -> EmbeddingEndpoint:
    return EmbeddingEndpoint(model, base_url, api_key)


def _normalize(rows: Sequence[Sequence[float]], *, count: int) -> "Vector":
    import numpy as np  # noqa: PLC0415 - as with the model of our own

    lengths = {len(row) for row in rows}
    if len(rows) != count or len(lengths) != 1 or not 1 < max(lengths) <= MAX_DIMENSIONS:
        raise EmbeddingFailed(
            f"the embeddings endpoint gave {len(rows)} vectors of {sorted(lengths)} numbers for {count} texts; "
            f"wanted is one each, all of one length up to {MAX_DIMENSIONS}"
        )
    vectors = np.asarray(rows, dtype=np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise EmbeddingFailed("the embeddings endpoint gave vectors without a direction")
    unit: Vector = vectors / norms
    return unit
