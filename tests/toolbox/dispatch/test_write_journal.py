"""A call that writes is recorded before it begins; what a killed process did stays unknown, and is shown as such."""

import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.conftest import server_environment
from toolbox.audit import traffic
from toolbox.audit.log import LOST_SECONDS, audit
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.pools import owner_pool
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, Request, perform, perform_in_thread
from toolbox.models import CallCount, ToolCall

ALICE = Caller(name="alice", scopes=frozenset({"linescore:write"}), owner_id=7)
WRITE = Operation(name="journaled_write", domain="linescore", scope="linescore:write", writes=True)


async def rows_of(mark: str) -> list[ToolCall]:
    return await sync_to_async(lambda: list(ToolCall.objects.filter(request_id=mark)))()


async def count_of(outcome: str) -> int:
    def count() -> int:
        counted = CallCount.objects.filter(grain="all", tool=WRITE.name, outcome=outcome)
        return sum(row.calls for row in counted)

    return await sync_to_async(count)()


def make_request(mark: str, *, arguments: bytes = b"{}", caller: Caller = ALICE) -> Request:
    return Request(credential=caller, transport="test", request_id=mark, arguments=arguments)


async def test_the_row_is_there_before_the_work_begins(database_access: None, mark: str) -> None:
    seen: list[ToolCall] = []

    async def work(_: ActiveCall) -> str:
        seen.extend(await rows_of(mark))
        return "done"

    assert await perform(WRITE, request=make_request(mark), work=work) == "done"

    (intent,), (row,) = seen, await rows_of(mark)
    assert (intent.outcome, intent.caller, intent.tool) == ("unknown", "alice", WRITE.name)
    assert (row.pk, row.outcome, row.status) == (intent.pk, "answered", 200)
    assert row.idempotency_key == intent.idempotency_key != ""


@pytest.mark.parametrize(("raised", "outcome"), [(RuntimeError("crash"), "failed"), (None, "answered")])
async def test_a_journaled_call_is_counted_once_when_it_has_ended(
    database_access: None, mark: str, raised: Exception | None, outcome: str
) -> None:
    before, unknown = await count_of(outcome), await count_of("unknown")

    async def work(_: ActiveCall) -> Reply:
        assert await count_of(outcome) == before
        if raised:
            raise raised
        return Reply(body=b"{}", rows=3)

    await perform(WRITE, request=make_request(mark), work=work)

    assert await count_of(outcome) == before + 1
    assert await count_of("unknown") == unknown == 0


async def test_another_change_of_a_recorded_call_counts_nothing(database_access: None, mark: str) -> None:
    await perform(WRITE, request=make_request(mark), work=_do_nothing)
    before = await count_of("answered")

    await owner_pool.fetch("UPDATE toolbox_tool_calls SET rows = 1 WHERE request_id = %s RETURNING id", [mark])

    assert await count_of("answered") == before


async def test_without_a_journal_nothing_is_written(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    async def away(*_: object) -> None:
        raise DatabaseUnavailable("gone")

    async def work(_: ActiveCall) -> None:
        begun.append("begun")

    with monkeypatch.context() as broken:
        broken.setattr(audit, "flush", _later)
        broken.setattr("toolbox.audit.log.owner_pool.fetch", away)
        reply = await perform(WRITE, request=make_request(mark), work=work)

    assert isinstance(reply, Reply)
    assert (reply.status, reply.code, begun) == (503, "UNAVAILABLE", [])
    await audit.flush()
    (row,) = await rows_of(mark)
    assert (row.outcome, row.code) == ("refused", "UNAVAILABLE")


async def test_a_killed_process_leaves_an_unknown_outcome(
    database_access: None, mark: str, cast: SimpleNamespace
) -> None:
    command = [sys.executable, "-m", "tests.toolbox.dispatch.killed_call", mark]
    with subprocess.Popen(command, env=server_environment(), stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220
        assert process.stdout
        line = process.stdout.readline()
        process.kill()
    assert line == "inside\n"
    before = (await traffic.lost_calls()).get(("linescore", "killed_write"), 0)

    def age() -> None:
        heartbeat = datetime.now(UTC) - timedelta(seconds=LOST_SECONDS + 1)
        ToolCall.objects.filter(request_id=mark).update(heartbeat_at=heartbeat)

    await sync_to_async(age)()

    (row,) = await rows_of(mark)
    assert (row.outcome, row.caller, row.arguments) == ("unknown", "alice", '{"a": 1}')
    assert (await traffic.lost_calls())[("linescore", "killed_write")] == before + 1


async def test_metrics_count_what_is_unknown(database_access: None, mark: str) -> None:
    from config.observability.metrics import exposition

    await _leave_lost_call(mark)
    try:
        text = (await exposition()).decode()
    finally:
        await sync_to_async(ToolCall.objects.filter(request_id=mark).delete)()

    assert 'toolroom_calls_outcome_unknown{domain="linescore",tool="lost_write"} 1.0' in text


async def _leave_lost_call(mark: str) -> None:
    def make() -> None:
        long_ago = datetime.now(UTC) - timedelta(hours=1)
        ToolCall.objects.create(
            called_at=long_ago, heartbeat_at=long_ago, request_id=mark, caller="alice", transport="test",
            domain="linescore", tool="lost_write", arguments="{}", outcome="unknown", status=0, answer_bytes=0,
            milliseconds=0,
        )  # fmt: skip

    await sync_to_async(make)()


@pytest.mark.parametrize(
    ("other", "key"),
    [
        ({}, "same"),
        ({"arguments": b'{"a": 2}'}, "another"),
        ({"caller": Caller(name="bob", scopes=ALICE.scopes, owner_id=8)}, "another"),
    ],
)
async def test_the_idempotency_key_is_the_same_for_every_attempt(
    database_access: None, mark: str, other: dict[str, Any], key: str
) -> None:
    first = await _key_of(make_request(mark))
    again = await _key_of(make_request(mark, **other))

    assert ("same" if first == again else "another") == key
    assert len(first) == 32


async def test_a_call_that_reads_has_no_key_and_no_intent(database_access: None, mark: str) -> None:
    read = Operation(name="journaled_read", domain="linescore", scope=None)
    seen: list[str] = []

    async def work(call: ActiveCall) -> None:
        seen.append(call.context.idempotency_key)
        assert await rows_of(mark) == []

    await perform(read, request=make_request(mark), work=work)

    assert seen == [""]


def test_synchronous_code_is_journaled_as_well(database_access: None, mark: str) -> None:
    seen: list[str] = []

    def work(_: ActiveCall) -> None:
        seen.extend(ToolCall.objects.filter(request_id=mark).values_list("outcome", flat=True))

    perform_in_thread(WRITE, request=make_request(mark), work=work)

    (row,) = ToolCall.objects.filter(request_id=mark)
    assert (seen, row.outcome) == (["unknown"], "answered")


async def test_the_admin_says_that_an_outcome_is_unknown(database_access: None, mark: str, admin_page: Any) -> None:
    await _leave_lost_call(mark)
    try:
        page = await admin_page(f"/admin/toolbox/toolcall/?outcome__exact=unknown&q={mark}")
    finally:
        await sync_to_async(ToolCall.objects.filter(request_id=mark).delete)()

    assert "outcome unknown" in page
    assert "Outcome unknown" in page  # the filter


@pytest.fixture
def admin_page(cast: SimpleNamespace) -> Callable[[str], Awaitable[str]]:
    from django.contrib.auth.models import User
    from django.test import AsyncClient

    async def get(path: str) -> str:
        client = AsyncClient()
        await client.aforce_login(await User.objects.aget(username="curator"))
        answer = await client.get(path)
        assert answer.status_code == 200, answer
        return str(answer.content.decode())

    return get


async def _key_of(request: Request) -> str:
    seen: list[str] = []

    async def work(call: ActiveCall) -> None:
        seen.append(call.context.idempotency_key)

    await perform(WRITE, request=request, work=work)
    return seen[0]


async def _do_nothing(_: ActiveCall) -> None:
    return None


async def _later() -> None:
    raise DatabaseUnavailable("gone")


async def test_a_tool_that_writes_is_journaled(
    database_access: None, mark: str, fast_client: httpx.AsyncClient
) -> None:
    answer = await fast_client.post(
        "/api/tools/graphql_proxy/execute_graphql_mutation",
        json={"query": "mutation { no }", "upstream": "absent"},
        headers={"X-Request-Id": mark},
    )

    assert answer.status_code >= 400
    (row,) = await rows_of(mark)
    assert (row.outcome, row.status) == ("refused", answer.status_code)
    assert row.heartbeat_at is not None
