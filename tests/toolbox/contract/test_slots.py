"""What every slot of every domain keeps, those to come included."""

from collections.abc import Iterator

import pytest

from tests.toolbox.upstream_table import upstream_table
from toolbox.catalogue.registry import registry
from toolbox.contract.slots import Placeholder, Slot, find_placeholders

pytestmark = pytest.mark.usefixtures("shipped_run_alone")

SLOTS = [
    pytest.param(slot, id=f"{toolkit.domain}-{slot.name}") for toolkit in registry.toolkits() for slot in toolkit.slots
]


@pytest.fixture(autouse=True, scope="module")
def data(cast: object) -> Iterator[None]:
    """Use the shipped data, with teams of the league in the upstream's table."""
    with upstream_table():
        yield


@pytest.mark.parametrize("slot", SLOTS)
async def test_a_sample_means_one_thing(slot: Slot) -> None:
    samples = await slot.samples()

    assert samples
    for sample in samples[:10] if slot.resolve else ():
        assert slot.resolve
        assert len(await slot.resolve(sample)) == 1, sample


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("text", ["", "?", "no such thing as xyzzy", "{team}", "\x00\ud83d", "a" * 2_000])
async def test_other_texts_mean_nothing_and_break_nothing(slot: Slot, text: str) -> None:
    if slot.resolve:
        assert list(await slot.resolve(text)) == []


def test_placeholders_stand_for_slots() -> None:
    assert find_placeholders("From {first:date} to {last:date} for {team}, {Not} {this}?") == [
        Placeholder("first", "date"),
        Placeholder("last", "date"),
        Placeholder("team", "team"),
        Placeholder("this", "this"),
    ]
