"""
Callers read their own writes, also when reads go to replicas.

After a call or job that writes, its caller is marked with the position of the primary's WAL: in this process before the
answer, in others when NOTIFY arrives, perhaps milliseconds later. Until a replica has replayed that position, this
caller's reads do not use it. A caller is a person, with all keys and sessions, or else a key. While notifications do
not arrive, marks of other processes are unknown, and every read goes to the primary. Other writes, by the admin or by
commands, are not marked. A caller's writes are marked for that caller alone; others see them when a replica has
replayed them.
"""

import logging
import math

import psycopg

from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.notifications import Listener, Notifications, notifications
from toolbox.database.pools import owner_pool, reader
from toolbox.database.replicas import ReplicatedPool, needed_position

logger = logging.getLogger(__name__)

CHANNEL = "toolroom_writes"
MAX_MARKS = 10_000
_MARK = """
SELECT written.position, pg_notify(%s, written.position || ' ' || %s)
FROM (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS position) AS written LIMIT 1
"""


class OwnWrites:
    """Each recent writer's WAL position, as long as a replica may not have replayed it."""

    def __init__(self, pool: ReplicatedPool, *, heard: Notifications) -> None:
        self._pool = pool
        self._notifications = heard
        self._marks: dict[str, float] = {}
        self._floor = 0.0
        """The position that all reads need: marks before it were dropped or may have been missed."""
        self._missed_at: float | None = None
        heard.add_listener(CHANNEL, listener=Listener(receive=self._receive, poll=self._miss))

    def find_needed_position(self, caller: Caller) -> float:
        """Return the WAL position that reads for this caller need; infinity for the primary."""
        if not self._notifications.is_arriving:
            return math.inf
        if self._missed_at is not None:
            position = self._pool.find_position(after=self._missed_at)
            if position is None:
                return math.inf
            self._floor, self._missed_at = position, None
        return max(self._marks.get(_name(caller), 0.0), self._floor)

    async def mark(self, name: str) -> None:
        """Mark the writer with the current position in every process. Raises nothing: the write is committed."""
        try:
            found = await owner_pool.fetch(_MARK, [CHANNEL, name])
        except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
            self._miss()
            logger.exception("a write of %s is not marked: other processes may read what was before it", name)
        else:
            self._note(name, position=found.rows[0]["position"])

    def _receive(self, payload: str) -> None:
        position, _, name = payload.partition(" ")
        self._note(name, position=int(position))

    def _note(self, name: str, *, position: float) -> None:
        if len(self._marks) >= MAX_MARKS:
            self._forget()
        self._marks[name] = max(position, self._marks.get(name, 0.0))

    def _forget(self) -> None:
        """Drop marks that every replica has replayed; if too many are left, all reads wait for the current position."""
        replayed = min((one.position for one in self._pool.list_usable()), default=0.0)
        self._marks = {name: position for name, position in self._marks.items() if position > replayed}
        if len(self._marks) >= MAX_MARKS:
            self._miss()
            self._marks.clear()

    def _miss(self) -> None:
        """Make all reads wait for the current position: writes of other processes may have been missed."""
        self._missed_at = self._pool.clock()


def _name_person(person_id: int) -> str:
    return f"person {person_id}"


def _name(caller: Caller) -> str:
    if caller.owner_id is not None:
        return _name_person(caller.owner_id)
    return f"key {caller.key_id}" if caller.key_id is not None else f"name {caller.name}"[:200]


_own_writes = OwnWrites(reader, heard=notifications) if isinstance(reader, ReplicatedPool) else None


def prepare_reads(caller: Caller, *, writes: bool) -> None:
    """Set the position that reads in this context need to see the caller's writes; a writing call reads the primary."""
    if _own_writes:
        needed_position.set(math.inf if writes else _own_writes.find_needed_position(caller))


async def mark_written(caller: Caller) -> None:
    """Mark the caller as a writer, for later reads."""
    if _own_writes:
        await _own_writes.mark(_name(caller))


async def mark_written_by(person_id: int) -> None:
    """Mark a person as a writer, for a job that they started."""
    if _own_writes:
        await _own_writes.mark(_name_person(person_id))
