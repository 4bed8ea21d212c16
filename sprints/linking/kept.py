"""The index of names, kept in memory and read anew behind the scenes, so that no question waits for it twice."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Generic, TypeVar

from sprints.linking import queries
from sprints.linking.names import NameIndex
from toolbox.database.caches import TtlCache
from toolbox.database.pools import Pool

logger = logging.getLogger(__name__)

Value = TypeVar("Value")
FRESH_SECONDS = 15.0


class Kept(TtlCache[Value], Generic[Value]):
    """A memory that gives what it has, even if old, and makes it anew meanwhile; only the first asker waits."""

    def __init__(self, *, seconds: float = FRESH_SECONDS) -> None:
        super().__init__(seconds=seconds, max_entries=4)
        self._renewing: asyncio.Task[Value] | None = None

    async def get(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        """Give the value of the key; when it is too old, this once more, and a new one soon."""
        known = self._entries.get(key)
        if known is None:
            return await super().get(key, load)
        if known[0] <= self.clock() and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.ensure_future(self._renewed(key, load))
            self._renewing.add_done_callback(_noted)
        return known[1]

    async def _renewed(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        value = await load()
        self._entries[key] = (self.clock() + self._seconds, value)
        return value


def _noted(renewing: asyncio.Task[Value]) -> None:
    """Say why the old value stays; the next question tries again."""
    if not renewing.cancelled() and (error := renewing.exception()):
        logger.warning("The names of the data could not be read anew: %s", error)


_indexes: Kept[NameIndex] = Kept()
_moments: Kept[datetime | None] = Kept()


async def name_index(*, reader: Pool) -> NameIndex:
    """Give the index of all names; a change is seen within half a minute."""

    async def make() -> NameIndex:
        found = await queries.names(reader=reader)
        return await asyncio.to_thread(NameIndex.of, found)

    return await _indexes.get(reader.conninfo(), make)


async def data_as_of(*, reader: Pool) -> datetime | None:
    """Give the moment up to which the data tells."""
    return await _moments.get(reader.conninfo(), lambda: queries.as_of(reader=reader))
