"""Fixtures of the kernel's tests."""

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from backtests import slots
from tests.backtests.shipped_run import SHIPPED
from tests.toolbox.transports import A_TOOL
from toolbox.database.caches import clear_all_caches
from toolbox.models import ApiKey


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every measured duration of this process 0."""
    monkeypatch.setattr("toolbox.database.pools.reader.clock", lambda: 0.0)
    monkeypatch.setattr("sprints.sql_sandbox.analyst_pool.analyst.clock", lambda: 0.0)
    monkeypatch.setattr("toolbox.dispatch.entry.clock", lambda: 0.0)


@pytest.fixture
def shipped_run_alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let questions see only the shipped run, and none that other tests stored."""
    fetch = slots._fetch_runs

    async def fetch_shipped() -> list[dict[str, Any]]:
        return [row for row in await fetch() if str(row["run_id"]) == str(SHIPPED)]

    monkeypatch.setattr(slots, "_fetch_runs", fetch_shipped)
    clear_all_caches()
    yield
    clear_all_caches()


@pytest.fixture
def database_access(cast: object, django_db_blocker: Any) -> Iterator[None]:
    """Let the test commit rows of its own to the shared database, distinguished by their ids."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def make_key(database_access: None) -> Iterator[Callable[..., tuple[ApiKey, str]]]:
    """Yield a function that creates keys, by default alice's with read scopes; deleted after the test."""
    made: list[int] = []

    def make(**options: Any) -> tuple[ApiKey, str]:
        alice = User.objects.get(username="alice")
        usual: dict[str, Any] = {"name": "made for a test", "owner_id": alice.pk, "scopes": [A_TOOL.scope]}
        row, key = ApiKey.make(**usual | options)
        made.append(row.pk)
        return row, key

    yield make
    ApiKey.objects.filter(pk__in=made).delete()


@pytest.fixture
def mark() -> str:
    """Return a word that no other test uses, valid as a request id."""
    return f"mark-{secrets.token_hex(8)}"
