"""Tasks as rows: seen and answered by their caller alone, and ended with words."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient
from psycopg.types.json import Jsonb

from tests.toolbox.transports import A_TOOL
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.client_channel import TaskChannel
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call
from toolbox.mcp import task_worker
from toolbox.work import lease, task_queries, worker
from toolbox.work.lease import MAX_LOSSES, Lease, Row

STRANGER = Caller(name="stranger", scopes=frozenset({"*:read"}), key_id=1)
ASKED = {"a": {"method": "roots/list", "params": {}}, "b": {"method": "roots/list", "params": {}}}
GIVEN: dict[str, Any] = {"roots": []}

pytestmark = pytest.mark.usefixtures("scratch_database")


async def _begin() -> Row:
    call = Call(
        tool=A_TOOL.name, domain=A_TOOL.domain, arguments=A_TOOL.example_arguments, credential=LOCAL_OPERATOR,
        transport="test", request_id="r", client=TaskChannel(),
    )  # fmt: skip
    return await task_queries.create(uuid4(), call=call, caller=LOCAL_OPERATOR, keep_seconds=60)


async def _claim(task_id: UUID) -> Lease:
    held = await lease.claim(task_queries.TASKS, work_id=task_id, worker=uuid4().hex)
    assert held is not None
    return held


async def _park(held: Lease, *, client_requests: Row) -> None:
    await held.finish(state="input_required", inquiries=Jsonb(client_requests), answers=Jsonb(held.row["answers"]))


async def _carry_out(task_id: UUID) -> None:
    await worker.execute(task_queries.TASKS, work_id=task_id, work=task_worker.carry_out)


async def test_a_task_is_done_and_kept_for_its_caller_alone() -> None:
    task_id = (await _begin())["id"]

    await _carry_out(task_id)
    mine = await task_queries.read(task_id, caller=LOCAL_OPERATOR)

    assert mine is not None
    assert mine["status"] == "completed"
    assert '"structuredContent"' in mine["outcome"]
    assert await task_queries.read(task_id, caller=STRANGER) is None


async def test_a_stranger_cancels_no_task_and_its_caller_does() -> None:
    task_id = (await _begin())["id"]
    held = await _claim(task_id)

    await task_queries.cancel(task_id, caller=STRANGER)
    is_wanted = await held.heartbeat()
    await task_queries.cancel(task_id, caller=LOCAL_OPERATOR)
    row = await task_queries.read(task_id, caller=LOCAL_OPERATOR)

    assert is_wanted
    assert row is not None
    assert row["status"] == "cancelled"


async def test_a_task_whose_key_has_ended_fails_with_words() -> None:
    task_id = (await _begin())["id"]
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as connection:
        connection.execute("UPDATE toolbox_tasks SET key_id = -1")

    await _carry_out(task_id)

    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as connection:
        found = connection.execute("SELECT state, outcome FROM toolbox_tasks").fetchone()
    assert found is not None
    assert found[0] == "failed"
    assert "The key of this task has ended." in found[1]


async def test_a_task_that_asks_often_has_lost_no_worker() -> None:
    task_id = (await _begin())["id"]
    for number in range(MAX_LOSSES + 1):
        held = await _claim(task_id)
        await _park(held, client_requests={f"a{number}": ASKED["a"]})
        assert await task_queries.tell(task_id, given={f"a{number}": GIVEN}, caller=LOCAL_OPERATOR)

    assert not (await _claim(task_id)).is_hopeless


async def test_only_what_is_asked_is_told_and_all_of_it_before_it_goes_on() -> None:
    task_id = (await _begin())["id"]
    await _park(await _claim(task_id), client_requests=ASKED)

    goes_on = [
        await task_queries.tell(task_id, given=given, caller=LOCAL_OPERATOR)
        for given in ({"unasked": GIVEN}, {"a": GIVEN}, {"a": {}, "b": GIVEN})
    ]
    held = await _claim(task_id)

    assert goes_on == [False, False, True]
    assert held.row["answers"] == {"a": GIVEN, "b": GIVEN}


async def test_an_administrator_cancels_a_task_of_anybody(django_user_model: type[User]) -> None:
    task_id = (await _begin())["id"]
    held = await _claim(task_id)
    admin = await django_user_model.objects.acreate_superuser("tasks-admin")
    browser = AsyncClient()
    await browser.aforce_login(admin)
    chosen = {"action": "cancel", "_selected_action": [str(task_id)]}

    page = await browser.get(f"/admin/toolbox/task/{task_id}/change/")
    first, again = [await browser.post("/admin/toolbox/task/", chosen, follow=True) for _ in range(2)]

    assert A_TOOL.name in page.content.decode()
    assert "1 cancelled; 0 had" in first.content.decode()
    assert "0 cancelled; 1 had" in again.content.decode()
    assert not await held.heartbeat()
