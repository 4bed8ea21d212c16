"""What questions about backtests name is found in the data."""

import pytest

from backtests.tools import SAMPLE_RUN, toolkit
from toolbox.database.caches import clear_all_caches

SLOTS = {slot.name: slot for slot in toolkit.slots}


@pytest.fixture(autouse=True)
def data(scratch_database: None) -> None:
    """Let questions see only the shipped run: other tests leave runs of their own."""
    clear_all_caches()


async def find_values(slot: str, text: str) -> list[str]:
    """Return the values that a text may mean."""
    resolve = SLOTS[slot].resolve
    assert resolve
    return [candidate.value for candidate in await resolve(text)]


@pytest.mark.parametrize(
    "text", ["the Pullback run", "pulback", str(SAMPLE_RUN), f"run {str(SAMPLE_RUN)[:8]}", "the latest run"]
)
async def test_runs_by_name_id_or_age(text: str) -> None:
    assert await find_values("run", text) == [str(SAMPLE_RUN)]


async def test_the_run_that_is_usually_meant_is_the_newest() -> None:
    usual = SLOTS["run"].default
    assert usual

    newest = await usual()

    assert newest
    assert newest.value == str(SAMPLE_RUN)
    assert newest.label.startswith("Pullback on AAPL")


@pytest.mark.parametrize("text", ["AAPL", "aapl", "AAPL.NASDAQ"])
async def test_securities_with_and_without_their_venue(text: str) -> None:
    assert await find_values("security", text) == ["AAPL.NASDAQ"]


async def test_a_month_of_two_years_is_asked_back() -> None:
    assert await find_values("month", "in june") == ["2012-06", "2011-06"]
    assert await find_values("month", "in june 2011") == ["2011-06"]
