"""Tasks as rows: one worker at a time, a dead one's task is another's, and a stranger's is not there."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient

from tests.toolbox.transports import A_TOOL
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.client_channel import TaskChannel
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call
from toolbox.work import task_queries
from toolbox.work.task_worker import work_on

STRANGER = Caller(name="stranger", scopes=frozenset({"*:read"}), key_id=1)
ASKED = {"a": {"method": "roots/list", "params": {}}, "b": {"method": "roots/list", "params": {}}}
GIVEN: dict[str, Any] = {"roots": []}

pytestmark = pytest.mark.usefixtures("scratch_database")


async def _begun() -> task_queries.Row:
    call = Call(
        tool=A_TOOL.name, domain=A_TOOL.domain, arguments=A_TOOL.example_arguments, credential=LOCAL_OPERATOR,
        transport="test", request_id="r", client=TaskChannel(),
    )  # fmt: skip
    return await task_queries.create(uuid4(), call=call, caller=LOCAL_OPERATOR, keep_seconds=60)


async def test_a_worker_takes_a_task_alone_until_it_is_silent() -> None:
    task_id = (await _begun())["id"]

    first, second = await task_queries.claim(task_id), await task_queries.claim(task_id)
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as connection:
        connection.execute("UPDATE toolbox_tasks SET beat_at = now() - interval '1 minute'")
    found = await task_queries.waiting()
    third = await task_queries.claim(task_id)

    assert first is not None
    assert second is None
    assert found == [task_id]
    assert third is not None
    assert third["tries"] == 2


async def test_a_task_is_done_and_kept_for_its_caller_alone() -> None:
    task_id = (await _begun())["id"]

    await work_on(task_id)
    mine = await task_queries.read(task_id, caller=LOCAL_OPERATOR)

    assert mine is not None
    assert mine["status"] == "completed"
    assert '"structuredContent"' in mine["outcome"]
    assert await task_queries.read(task_id, caller=STRANGER) is None


async def test_what_was_cancelled_stays_so() -> None:
    task_id = (await _begun())["id"]

    await task_queries.cancel(task_id, caller=STRANGER)
    is_wanted = await task_queries.heartbeat(task_id)
    await task_queries.cancel(task_id, caller=LOCAL_OPERATOR)
    await task_queries.end(task_id, status="completed", outcome="{}")
    row = await task_queries.read(task_id, caller=LOCAL_OPERATOR)

    assert is_wanted
    assert row is not None
    assert row["status"] == "cancelled"
    assert not await task_queries.heartbeat(task_id)


async def test_only_what_is_asked_is_told_and_all_of_it_before_it_goes_on() -> None:
    task_id = (await _begun())["id"]
    await task_queries.park(task_id, client_requests=ASKED, answers={})

    goes_on = [
        await task_queries.tell(task_id, given=given, caller=LOCAL_OPERATOR)
        for given in ({"unasked": GIVEN}, {"a": GIVEN}, {"a": {}, "b": GIVEN})
    ]
    row = await task_queries.claim(task_id)

    assert goes_on == [False, False, True]
    assert row is not None
    assert row["answers"] == {"a": GIVEN, "b": GIVEN}


async def test_an_administrator_cancels_a_task_of_anybody(django_user_model: type[User]) -> None:
    task_id = (await _begun())["id"]
    admin = await django_user_model.objects.acreate_superuser("tasks-admin")
    browser = AsyncClient()
    await browser.aforce_login(admin)
    chosen = {"action": "cancel", "_selected_action": [str(task_id)]}

    page = await browser.get(f"/admin/toolbox/task/{task_id}/change/")
    first, again = [await browser.post("/admin/toolbox/task/", chosen, follow=True) for _ in range(2)]

    assert A_TOOL.name in page.content.decode()
    assert "1 cancelled; 0 had" in first.content.decode()
    assert "0 cancelled; 1 had" in again.content.decode()
    assert not await task_queries.heartbeat(task_id)
