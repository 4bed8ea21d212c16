"""Fixtures for backtests: the run that the tests of the contract share."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run

Load = Callable[..., LoadReport]
InThread = Callable[[Callable[[], Any]], Any]


@pytest.fixture(scope="session")
def in_thread(django_db_setup: None, django_db_blocker: Any) -> InThread:
    """Return a function that calls another with Django's connections, outside the test's event loop."""

    def run_in_thread(work: Callable[[], Any]) -> Any:
        def with_connection() -> Any:
            try:
                return work()
            finally:
                connections.close_all()

        with django_db_blocker.unblock(), ThreadPoolExecutor(1) as pool:
            return pool.submit(with_connection).result()

    return run_in_thread


@pytest.fixture(scope="session")
def load(in_thread: InThread) -> Load:
    """Return a function that stores lines."""

    def load_run(lines: Iterable[bytes], *, run_id: UUID | None = None) -> LoadReport:
        report: LoadReport = in_thread(lambda: load_lines(list(lines), run_id=run_id, report=LoadReport()))
        return report

    return load_run


@pytest.fixture
def run_id(in_thread: InThread) -> Iterator[UUID]:
    """Yield an unused run id; the run is deleted after the test."""
    new_id = uuid4()
    yield new_id
    in_thread(Run.objects.filter(run_id=new_id).delete)


@pytest.fixture
def open_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Let the test use Django's connections in any thread."""
    with django_db_blocker.unblock():
        yield
