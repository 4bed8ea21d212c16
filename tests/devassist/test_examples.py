"""The shipped examples of this domain work on the shipped app."""

from io import StringIO

import pytest
from django.core.management import call_command

from toolbox.database.caches import clear_all_caches
from toolbox.embedding.embedder import embedder


def test_the_shipped_examples_work_in_a_process_that_has_no_model_yet(
    scratch_database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder, "_loaded", None)
    monkeypatch.setattr("toolbox.embedding.embedder.LOADING_SECONDS", 0)
    clear_all_caches()
    out = StringIO()

    call_command("check_examples", "devassist", stdout=out, stderr=out)

    assert out.getvalue().endswith("4 examples work\n")
    clear_all_caches()
