"""What questions put to the upstream name: its own teams, remembered; none where it does not answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from graphql_proxy.operations.hockey_contracts import OperationAnswer, StandingsQuestion
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
    """Let the upstream return a table of three teams; yields the requests."""
    asked: list[StandingsQuestion] = []

    async def standings(ask: StandingsQuestion, *, caller: Caller) -> OperationAnswer:
        asked.append(ask)
        return OperationAnswer(upstream="x", rows=TABLE, not_offered=[], notes=[])

    monkeypatch.setattr("graphql_proxy.operations.hockey.standings", standings)
    clear_all_caches()
    yield asked
    clear_all_caches()


async def find_values(slot: str, text: str) -> list[Any]:
    """Return the values that a text may mean."""
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
    assert await find_values("team", text) == names


async def test_the_upstream_is_asked_once(table: list[StandingsQuestion]) -> None:
    for _ in range(3):
        await find_values("team", "Carolina")

    assert len(table) == 1


async def test_an_upstream_that_is_away_has_no_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_: StandingsQuestion, *, caller: Caller) -> OperationAnswer:
        raise DatabaseUnavailable("away")

    monkeypatch.setattr("graphql_proxy.operations.hockey.standings", away)
    clear_all_caches()

    assert await find_values("team", "Carolina") == []


async def test_days_and_months_want_a_year() -> None:
    assert await find_values("date", "on February 1") == []
    assert await find_values("date", "on February 1, 2025") == ["2025-02-01"]
    assert await find_values("month", "in February 2025") == ["2025-02"]
