"""Values remembered for a few seconds: when they are made again, and what is never kept."""

import asyncio

import pytest

from toolbox.database.caches import TtlCache


@pytest.fixture
def memory() -> TtlCache[str]:
    """Return a cache with a stopped clock."""
    memory: TtlCache[str] = TtlCache(seconds=4, max_entries=2)
    memory.clock = lambda: 100.0
    return memory


async def _say(word: str) -> str:
    return word


async def test_a_value_is_made_once_while_it_is_young(memory: TtlCache[str]) -> None:
    first = await memory.get("key", lambda: _say("old"))
    again = await memory.get("key", lambda: _say("new"))
    memory.clock = lambda: 104.0
    later = await memory.get("key", lambda: _say("new"))

    assert (first, again, later) == ("old", "old", "new")


async def test_what_was_begun_before_forgetting_is_answered_but_not_kept(memory: TtlCache[str]) -> None:
    """A row is read, changed by somebody, and forgotten, all before the reader has put what it read away."""
    changed = asyncio.Event()

    async def read_slowly() -> str:
        await changed.wait()
        return "of before the change"

    reading = asyncio.create_task(memory.get("key", read_slowly))
    await asyncio.sleep(0)
    memory.clear()
    changed.set()

    assert await reading == "of before the change"
    assert await memory.get("key", lambda: _say("of after")) == "of after"


async def test_what_cannot_be_made_is_asked_for_again(memory: TtlCache[str]) -> None:
    async def fail() -> str:
        raise LookupError

    with pytest.raises(LookupError):
        await memory.get("key", fail)

    assert await memory.get("key", lambda: _say("here")) == "here"


async def test_it_keeps_no_more_than_it_may(memory: TtlCache[str]) -> None:
    for key in ("a", "b", "c"):
        await memory.get(key, lambda: _say("old"))

    assert await memory.get("a", lambda: _say("new")) == "new"
    assert await memory.get("c", lambda: _say("new")) == "old"
