"""Cached names of the data, refreshed in the background. Only the first question waits for them."""

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
REFRESH_SECONDS = 15.0


class RefreshingCache(TtlCache[Value], Generic[Value]):
    """A cache that returns even an expired value and reloads it in the background. Only the first caller waits."""

    def __init__(self, *, seconds: float = REFRESH_SECONDS) -> None:
        super().__init__(seconds=seconds, max_entries=4)
        self._refreshing: asyncio.Task[Value] | None = None

    async def get(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        """Return the value of the key. An expired one is returned once more and reloaded."""
        known = self._entries.get(key)
        if known is None:
            return await super().get(key, load)
        if known[0] <= self.clock() and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.ensure_future(self._refresh(key, load))
            self._refreshing.add_done_callback(_log_failure)
        return known[1]

    async def _refresh(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        value = await load()
        self._entries[key] = (self.clock() + self._seconds, value)
        return value


def _log_failure(refreshing: "asyncio.Task[Value]") -> None:
    """Log why the old value is kept. The next question tries again."""
    if not refreshing.cancelled() and (error := refreshing.exception()):
        logger.warning("What questions are read with could not be read again: %s", error)


_indexes: RefreshingCache[NameIndex] = RefreshingCache()
_moments: RefreshingCache[datetime | None] = RefreshingCache()


async def load_name_index(*, reader: Pool) -> NameIndex:
    """Return the index of all names. A change is seen within half a minute."""

    async def load() -> NameIndex:
        return await asyncio.to_thread(NameIndex.from_names, await queries.load_names(reader=reader))

    return await _indexes.get(reader.conninfo(), load)


async def data_as_of(*, reader: Pool) -> datetime | None:
    """Return the moment up to which the data is known."""
    return await _moments.get(reader.conninfo(), lambda: queries.load_data_moment(reader=reader))
