"""Work that the database undoes because it and other work waited for each other."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.pools import Connection, Pool, work_pool, writer
from toolbox.database.undone import UNDONE, is_undone
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, Request, perform

pytestmark = pytest.mark.usefixtures("cast")

WRITE = Operation(name="write", domain="test", scope=None, writes=True)
LOCK = "SELECT pg_advisory_xact_lock(%s) LIMIT 1"


@dataclass
class Opponents:
    """Two pieces of work, each of which takes one of two locks, waits until both are taken, and asks for the other."""

    pool: Pool
    begun: int = 0
    both: asyncio.Event = field(default_factory=asyncio.Event)

    async def cross(self, first: int, second: int) -> str:
        async def lock_both(connection: Connection) -> str:
            async with connection.transaction():
                await connection.execute(LOCK, [first])
                self.begun += 1
                if self.begun == 2:
                    self.both.set()
                await self.both.wait()
                await connection.execute(LOCK, [second])
            return "done"

        return await self.pool.run(lock_both)


@pytest.mark.slow  # the database looks for deadlocks after a second
def test_work_that_may_be_repeated_is_repeated() -> None:
    async def both() -> tuple[list[str], int]:
        opponents = Opponents(work_pool)
        done = await asyncio.gather(opponents.cross(7, 8), opponents.cross(8, 7))
        return list(done), opponents.begun

    assert event_loop.run(both()) == (["done", "done"], 3)


@pytest.mark.slow  # as above
def test_a_call_that_writes_is_asked_to_come_again() -> None:
    async def call(opponents: Opponents, first: int, second: int) -> Any:
        request = Request(credential=LOCAL_OPERATOR, transport="test", request_id=f"deadlock {first}")
        return await perform(WRITE, request=request, work=lambda _: opponents.cross(first, second))

    async def both() -> list[Any]:
        opponents = Opponents(writer)
        return list(await asyncio.gather(call(opponents, 7, 8), call(opponents, 8, 7)))

    answers = event_loop.run(both())

    [refused] = [answer for answer in answers if isinstance(answer, Reply)]
    assert [answer for answer in answers if answer is not refused] == ["done"]
    assert (refused.status, refused.code, refused.retry_after_seconds) == (503, "DATABASE_ERROR", 1)
    assert UNDONE.encode() in refused.body


@pytest.mark.parametrize("kind", [psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure])
def test_the_error_is_said_in_words_also_behind_django_s_own(kind: type[psycopg.Error]) -> None:
    call = ActiveCall(WRITE, request=Request(credential=LOCAL_OPERATOR, transport="test", request_id="undone"))
    error = DatabaseUnavailable("as a load within a call puts it")
    error.__cause__ = RuntimeError("django.db.OperationalError")
    error.__cause__.__cause__ = kind("deadlock detected")

    reply = call.refuse(error)

    assert (reply.status, reply.retry_after_seconds) == (503, 1)
    assert UNDONE.encode() in reply.body
    assert not is_undone(psycopg.errors.UniqueViolation("duplicate key"))


def test_work_that_is_undone_again_and_again_is_given_up() -> None:
    tries = []

    async def fail(connection: Connection) -> None:
        tries.append(connection)
        raise psycopg.errors.DeadlockDetected

    with pytest.raises(psycopg.errors.DeadlockDetected):
        event_loop.run(work_pool.run(fail))
    assert len(tries) == 2
