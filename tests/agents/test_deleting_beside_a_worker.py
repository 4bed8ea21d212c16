"""Deleting a conversation while a worker writes one of its runs."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from uuid import UUID

from agents.queries import conversations, leases, run_requests
from agents.queries.leases import RUNS
from tests.agents.conversation_client import Observer, Owner
from tests.blocking import wait_until_blocked
from toolbox.database import event_loop
from toolbox.database.pools import Connection, work_pool
from toolbox.work import lease


def test_the_deletion_waits_for_the_worker_that_holds_the_run(quiet_talk: Owner, onlooker: Observer) -> None:
    """A worker locks the run, the deletion begins, and then the worker adds an event to the run."""
    conversation = quiet_talk.begin()
    run_id = quiet_talk.say("How did Carolina do?", to=conversation, is_told=False)
    held = event_loop.run(lease.claim(RUNS, work_id=run_id, worker="one"))
    assert held is not None
    deletions: list[Future[bool]] = []

    def delete() -> bool:
        return event_loop.run(conversations.delete(conversation, owner_id=None))

    async def add_an_event(connection: Connection) -> None:
        deletions.append(pool.submit(delete))
        assert await asyncio.to_thread(wait_until_blocked, connection.info.backend_pid, work=deletions[0])
        await leases.append(connection, run_id=run_id, kind="tool.called", data={})

    with ThreadPoolExecutor(max_workers=1) as pool:
        event_loop.run(held.transact(add_an_event))
        assert deletions[0].result(timeout=60)
    assert onlooker.events(run_id) == []


def test_a_question_is_not_run_again_while_its_conversation_is_deleted(quiet_talk: Owner) -> None:
    """The deletion has begun when the question is to be run again; the foreign key was violated then."""
    conversation = quiet_talk.begin()
    run_id = quiet_talk.say("How did Carolina do?", to=conversation, is_told=False)
    repeated: list[Future[UUID | None]] = []

    def run_again() -> UUID | None:
        return event_loop.run(run_requests.run_again(run_id))

    async def delete(connection: Connection) -> None:
        async with connection.transaction():
            await connection.execute(conversations._DELETE, {"id": conversation})
            repeated.append(pool.submit(run_again))
            await asyncio.to_thread(wait_until_blocked, connection.info.backend_pid, work=repeated[0])

    with ThreadPoolExecutor(max_workers=1) as pool:
        event_loop.run(work_pool.run(delete))
        assert repeated[0].result(timeout=60) is None
    assert run_again() is None
