"""A run that the tests of the contract share."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID, uuid4

import pytest

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport

Load = Callable[..., LoadReport]


@pytest.fixture(scope="session")
def load(django_db_setup: None, django_db_blocker: Any) -> Load:
    """Give a function that stores lines into a run of the test's own."""

    def loaded(lines: Iterable[bytes], *, run_id: UUID | None = None) -> LoadReport:
        with django_db_blocker.unblock():
            return load_lines(list(lines), run_id=run_id, report=LoadReport())

    return loaded


@pytest.fixture
def run_id() -> UUID:
    """Give an id that no run has yet."""
    return uuid4()
