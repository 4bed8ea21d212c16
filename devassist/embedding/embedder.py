"""Texts in, unit vectors out: mean of the model's last layer over the words, then length one."""

import asyncio
import ctypes
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from devassist.embedding.failures import EmbeddingFailed, StillLoading
from devassist.embedding.model_files import DIMENSIONS, MODEL, TOKENIZER, ModelFile

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

MAX_TOKENS = 256
MAX_CHARACTERS = 8_000
"""What is read of a text: more than 256 tokens of any prose, so that a megabyte costs no more than a page."""
BATCH = 8
"""Texts a run of the model: more of them are not faster on a processor, and take more memory."""
THREADS = 2
LOADING_SECONDS = 1.4
"""How long a question waits for a model that is still being loaded: less than the 2 s that a tool has."""

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: "InferenceSession"
    tokenizer: "Tokenizer"


_left_by_a_parent: list[_Loaded | None] = []
"""Kept, for the end of a session waits for its threads, which a forked child does not have."""


class Embedder:
    """
    A model that is loaded when it is first needed, once, whichever thread comes first; safe to share by threads.

    A forked child loads its own: the parent's threads are not there.
    """

    def __init__(self, *, model: ModelFile = MODEL, tokenizer: ModelFile = TOKENIZER) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._loaded: _Loaded | None = None
        self._begin()
        os.register_at_fork(after_in_child=self._forget)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Give a row per text; raises EmbeddingFailed. Takes milliseconds a text: never call it on an event loop."""
        loaded = self._ready()
        # One by one: encode_batch starts threads that a later fork would miss.
        encodings = [loaded.tokenizer.encode(_bounded(text)) for text in texts]
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda number: len(encodings[number].ids))
        for start in range(0, len(texts), BATCH):
            chosen = by_length[start : start + BATCH]
            rows[chosen] = _run(loaded.session, [encodings[number] for number in chosen])
        if len(texts) > 1:  # a load of texts, not a question that somebody waits for
            _return_free_memory()
        return rows

    def warm(self) -> None:
        """Begin to load the model, so that the first question need not wait for it; what fails is said when asked."""
        with suppress(RuntimeError):  # the process ends
            self._thread.submit(self.embed, ["warm"])

    async def embedded(self, text: str) -> Vector:
        """Give the vector of one text without holding up the event loop; raises EmbeddingFailed and StillLoading."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, self.embed, [text])
        if self._loaded is None and not (await asyncio.wait({running}, timeout=LOADING_SECONDS))[0]:
            running.cancel()
            raise StillLoading(f"the model took longer than {LOADING_SECONDS:g} s to load")
        vector: Vector = (await running)[0]
        return vector

    def _ready(self) -> _Loaded:
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


def _load(model: ModelFile, *, tokenizer: ModelFile) -> _Loaded:
    # Imported here: together they take half a second, which commands that embed nothing need not wait for.
    import onnxruntime  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(THREADS, os.cpu_count() or 1)
    # Threads that wait by spinning take the processors from the web server and the database beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena never shrinks: a few long texts would leave 300 MB with every process, for a tenth of a query's time.
    options.enable_cpu_mem_arena = False
    try:
        session = onnxruntime.InferenceSession(model.read(), options, providers=["CPUExecutionProvider"])
        words = Tokenizer.from_buffer(tokenizer.read())
    except EmbeddingFailed:
        raise
    except Exception as broken:
        raise EmbeddingFailed(f"the model could not be loaded: {broken}") from broken
    words.enable_truncation(MAX_TOKENS)
    words.no_padding()
    _return_free_memory()
    return _Loaded(session, words)


def _return_free_memory() -> None:
    """Give the system back what loading or a batch took for a moment, 75 MB and more; only glibc needs the call."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _bounded(text: str) -> str:
    """Cut a text, and take out what cannot be encoded: lone surrogates."""
    return text[:MAX_CHARACTERS].encode(errors="replace").decode()


def _run(session: "InferenceSession", encodings: "Sequence[Encoding]") -> Vector:
    longest = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        layer = session.run(None, feeds)[0]
    except Exception as broken:
        raise EmbeddingFailed(f"the model could not be run: {broken}") from broken
    sums = (layer * mask[:, :, None]).sum(axis=1)
    vectors: Vector = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
    return vectors


embedder = Embedder()
"""The process's own."""
