"""What questions about games name is found in the data."""

from datetime import date

import pytest

from linescore.tools import toolkit
from toolbox.contract.slots import Candidate

SLOTS = {slot.name: slot for slot in toolkit.slots}


@pytest.fixture(autouse=True)
def data(cast: object) -> None:
    """Use the shipped season."""


async def find_values(slot: str, text: str) -> list[str]:
    """Return the values that a text may mean."""
    resolve = SLOTS[slot].resolve
    assert resolve
    return [candidate.value for candidate in await resolve(text)]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Carolina", ["CAR"]),
        ("the Canes", ["CAR"]),
        ("Toronto Maple Leafs", ["TOR"]),
        ("leafs", ["TOR"]),
        ("St. Louis", ["STL"]),
        ("Montreal", ["MTL"]),
        ("the Habs", ["MTL"]),
        ("vegas golden knights", ["VGK"]),
        ("TBL", ["TBL"]),
        ("Tampa", ["TBL"]),
        ("Pittsburg", ["PIT"]),
        ("Blue Jackets and Red Wings", ["CBJ", "DET"]),
        ("New York", ["NYI", "NYR"]),
        ("New Jersey", ["NJD"]),
        ("Hockey Club", []),
        ("Utah", ["UTA"]),
        ("Atlantis", []),
    ],
)
async def test_teams_by_what_people_call_them(text: str, codes: list[str]) -> None:
    assert sorted(await find_values("team", text)) == sorted(codes)


async def test_every_team_is_found_by_its_name_code_and_nickname() -> None:
    names = await SLOTS["team"].samples()

    for name in names:
        (code,) = await find_values("team", name)
        assert await find_values("team", code) == [code]
        if code != "UTA":
            assert await find_values("team", name.split()[-1]) == [code]
    assert len(names) == 32


async def test_a_month_without_a_year_is_that_of_the_season() -> None:
    assert await find_values("month", "in february") == ["2025-02"]
    assert await find_values("month", "in december") == ["2024-12"]
    assert await find_values("month", "in july") == []


async def test_a_day_without_a_year_too() -> None:
    assert await find_values("date", "on January 9") == ["2025-01-09"]


async def test_the_season_that_is_usually_meant_is_the_latest() -> None:
    usual = SLOTS["season"].default
    assert usual

    assert await usual() == Candidate(value="2024-2025", label="2024-25")


async def test_sample_days_are_days_on_which_the_sample_team_played() -> None:
    assert (await SLOTS["date"].samples())[0] == f"{date(2025, 1, 9):%B} 9 2025"
