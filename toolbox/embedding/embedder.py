"""The embedding model of the process, loaded once, when first needed, off the event loop."""

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from toolbox.embedding.failures import StillLoading
from toolbox.embedding.model_files import MODEL, TOKENIZER, ModelFile

if TYPE_CHECKING:
    from toolbox.embedding.session import EmbeddingSession, Vector

LOADING_SECONDS = 1.4
"""How long a question waits for the model to load: less than a tool's 2 s."""

_left_by_a_parent: list["EmbeddingSession | None"] = []
"""Kept alive: destroying a session waits for its threads, which a forked child does not have."""


class Embedder:
    """
    A model that is loaded once, when first needed; thread-safe.

    A forked child loads its own: the parent's threads do not exist there.
    """

    def __init__(self, *, model: ModelFile = MODEL, tokenizer: ModelFile = TOKENIZER) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._loaded: EmbeddingSession | None = None
        self._begin()
        os.register_at_fork(after_in_child=self._forget)

    def embed(self, texts: Sequence[str]) -> "Vector":
        """Return one row per text; raises EmbeddingFailed. Takes milliseconds per text: not for an event loop."""
        return self._ready().embed(texts)

    def warm(self) -> None:
        """Start to load the model in the background; a failure is raised by the first call that needs it."""
        with suppress(RuntimeError):  # the process ends
            self._thread.submit(self.embed, ["warm"])

    async def embed_text(self, text: str) -> "Vector":
        """Return the vector of one text without blocking the event loop; raises EmbeddingFailed and StillLoading."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, self.embed, [text])
        if self._loaded is None and not (await asyncio.wait({running}, timeout=LOADING_SECONDS))[0]:
            running.cancel()
            raise StillLoading(f"the model took longer than {LOADING_SECONDS:g} s to load")
        vector: Vector = (await running)[0]
        return vector

    async def embed_texts(self, texts: Sequence[str]) -> "Vector":
        """Return one row per text, however long the model takes to load; raises EmbeddingFailed."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.embed, texts)

    def _ready(self) -> "EmbeddingSession":
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = _load(self._model, tokenizer=self._tokenizer)
        return self._loaded

    def _forget(self) -> None:
        _left_by_a_parent.append(self._loaded)
        self._loaded = None
        self._begin()

    def _begin(self) -> None:
        self._loading = threading.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")


def _load(model: ModelFile, *, tokenizer: ModelFile) -> "EmbeddingSession":
    # Imported here: onnxruntime, tokenizers and numpy take half a second and 30 MB, which most processes do not need.
    from toolbox.embedding.session import EmbeddingSession  # noqa: PLC0415

    return EmbeddingSession(model, tokenizer=tokenizer)


embedder = Embedder()
"""The embedder of this process."""
