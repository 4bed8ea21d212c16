"""What questions put to the upstream name: its own teams, remembered; none where it does not answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from graphql_proxy.hockey_contracts import OperationAnswer, StandingsQuestion
from graphql_proxy.tools import toolkit
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.caches import clear_all_caches

SLOTS = {slot.name: slot for slot in toolkit.slots}
TABLE = [
    {"team": "Carolina Hurricanes", "teamId": "CAR", "season": "2024-2025"},
    {"team": "New York Rangers", "teamId": "NYR", "season": "2024-2025"},
    {"team": "New York Islanders", "teamId": "NYI", "season": "2024-2025"},
]


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[StandingsQuestion]]:
    """Let the upstream answer a table of three; gives what it was asked."""
    asked: list[StandingsQuestion] = []

    async def standings(ask: StandingsQuestion, *, caller: Caller) -> OperationAnswer:
        asked.append(ask)
        return OperationAnswer(upstream="x", rows=TABLE, not_offered=[], notes=[])

    monkeypatch.setattr("graphql_proxy.hockey.standings", standings)
    clear_all_caches()
    yield asked
    clear_all_caches()


async def found(slot: str, text: str) -> list[Any]:
    """Give the values that a text may mean."""
    resolve = SLOTS[slot].resolve
    assert resolve
    return [candidate.value for candidate in await resolve(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Carolina", ["Carolina Hurricanes"]),
        ("the Rangers", ["New York Rangers"]),
        ("NYI", ["New York Islanders"]),
        ("New York", ["New York Rangers", "New York Islanders"]),
        ("a new team", []),
    ],
)
async def test_teams_are_the_upstreams(text: str, names: list[str]) -> None:
    assert await found("team", text) == names


async def test_the_upstream_is_asked_once(table: list[StandingsQuestion]) -> None:
    for _ in range(3):
        await found("team", "Carolina")

    assert len(table) == 1


async def test_an_upstream_that_is_away_has_no_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_: StandingsQuestion, *, caller: Caller) -> OperationAnswer:
        raise DatabaseUnavailable("away")

    monkeypatch.setattr("graphql_proxy.hockey.standings", away)
    clear_all_caches()

    assert await found("team", "Carolina") == []


async def test_days_and_months_want_a_year() -> None:
    assert await found("date", "on February 1") == []
    assert await found("date", "on February 1, 2025") == ["2025-02-01"]
    assert await found("month", "in February 2025") == ["2025-02"]
