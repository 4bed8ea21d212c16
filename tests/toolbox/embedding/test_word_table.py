"""The word table that stays int8 gives the same numbers as the model's own file."""

from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession, SessionOptions

from toolbox.embedding.failures import EmbeddingFailed
from toolbox.embedding.model_files import MODEL
from toolbox.embedding.word_table import look_up_before_converting

WORDS = np.array([[101, 2019, 30521, 0, 999, 102]], dtype=np.int64)
FEEDS = {"input_ids": WORDS, "attention_mask": np.ones_like(WORDS), "token_type_ids": np.zeros_like(WORDS)}


def _session(content: bytes, *, saved_to: Path | None = None) -> InferenceSession:
    options = SessionOptions()
    if saved_to:
        options.optimized_model_filepath = str(saved_to)
        options.log_severity_level = 3
    return InferenceSession(content, options, providers=["CPUExecutionProvider"])


def test_the_changed_model_computes_the_same_numbers() -> None:
    content = MODEL.read()

    changed = look_up_before_converting(content)

    assert changed != content
    assert np.array_equal(_session(changed).run(None, FEEDS)[0], _session(content).run(None, FEEDS)[0])


@pytest.mark.internal
def test_onnxruntime_does_not_make_floats_of_the_word_table(tmp_path: Path) -> None:
    _session(look_up_before_converting(MODEL.read()), saved_to=tmp_path / "loaded.onnx")

    # 90 MB when every table is converted at load; the word table alone is 47 MB as float32, 12 MB as int8.
    assert (tmp_path / "loaded.onnx").stat().st_size < 60e6


@pytest.mark.parametrize("content", [b"", MODEL.read().replace(b"word_embeddings", b"word_embossings")])
def test_a_model_without_that_table_is_refused(content: bytes) -> None:
    with pytest.raises(EmbeddingFailed, match="no single lookup"):
        look_up_before_converting(content)
