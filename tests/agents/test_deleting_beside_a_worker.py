"""Deleting a conversation while a worker writes one of its runs."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor

from agents.queries import conversations, leases
from agents.queries.leases import RUNS
from tests.agents.conversation_client import Observer, Owner
from tests.blocking import wait_until_blocked
from toolbox.database import event_loop
from toolbox.database.pools import Connection
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
