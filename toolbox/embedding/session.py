"""The loaded embedding model: texts in, unit vectors out. Importing this module takes half a second."""

import ctypes
import os
from collections.abc import Sequence
from contextlib import suppress
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Encoding, Tokenizer

from toolbox.embedding.failures import EmbeddingFailed
from toolbox.embedding.model_files import DIMENSIONS, ModelFile
from toolbox.embedding.word_table import look_up_before_converting

MAX_TOKENS = 256
MAX_CHARACTERS = 8_000
"""How much of a text is read: more than 256 tokens of any prose, so a megabyte costs no more than a page."""
BATCH = 8
"""Texts per run of the model: larger batches are not faster on a CPU and take more memory."""
THREADS = 2

Vector = NDArray[np.float32]


class EmbeddingSession:
    """The model and its tokenizer; thread-safe, but useless in a forked child."""

    def __init__(self, model: ModelFile, *, tokenizer: ModelFile) -> None:
        """Load both; raises EmbeddingFailed."""
        options = SessionOptions()
        options.intra_op_num_threads = min(THREADS, os.cpu_count() or 1)
        # Spinning threads would take CPU time from the web server and the database on the same host.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The arena never shrinks: a few long texts would leave the process with 300 MB, to save a tenth of a query's
        # time.
        options.enable_cpu_mem_arena = False
        content = look_up_before_converting(model.read())
        try:
            # From a file: a session made from bytes keeps them, 23 MB, as long as it lives.
            with NamedTemporaryFile(suffix=".onnx") as file:
                file.write(content)
                file.flush()
                self._session = InferenceSession(file.name, options, providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_buffer(tokenizer.read())
        except EmbeddingFailed:
            raise
        except Exception as broken:
            raise EmbeddingFailed(f"the model could not be loaded: {broken}") from broken
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        _return_free_memory()

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return one row per text; raises EmbeddingFailed."""
        # One by one: encode_batch starts threads, which a forked child would not have.
        encodings = [self._tokenizer.encode(_cut_text(text)) for text in texts]
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda number: len(encodings[number].ids))
        for start in range(0, len(texts), BATCH):
            chosen = by_length[start : start + BATCH]
            rows[chosen] = self._run([encodings[number] for number in chosen])
        if len(texts) > 1:  # a batch of texts, not a question that somebody waits for
            _return_free_memory()
        return rows

    def _run(self, encodings: Sequence[Encoding]) -> Vector:
        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            layer = self._session.run(None, feeds)[0]
        except Exception as broken:
            raise EmbeddingFailed(f"the model could not be run: {broken}") from broken
        sums = (layer * mask[:, :, None]).sum(axis=1)
        vectors: Vector = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        return vectors


def _return_free_memory() -> None:
    """Return memory freed after loading or a batch to the system, 75 MB and more; does nothing without glibc."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _cut_text(text: str) -> str:
    """Shorten a text and replace lone surrogates, which cannot be encoded."""
    return text[:MAX_CHARACTERS].encode(errors="replace").decode()
