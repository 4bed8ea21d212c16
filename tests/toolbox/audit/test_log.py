"""Every call on every transport leaves one row of who called what, how it ended, and what it took."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from asgiref.sync import sync_to_async
from django.db.models import Q

from tests.toolbox.transports import A_TOOL, TOOLS, address, mcp_in_memory, tool_id, until
from toolbox.audit.log import MAX_ARGUMENTS, Audit, CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable, Refusal
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.models import ToolCall

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=tool_id)


async def _rows(mark: str) -> list[ToolCall]:
    """Return the rows of this test, which have its mark as request id or in the arguments."""
    await audit.flush()
    marked = Q(request_id=mark) | Q(arguments__contains=mark)
    return await sync_to_async(lambda: list(ToolCall.objects.filter(marked).order_by("id")))()


def _record(**changes: Any) -> CallRecord:
    told: dict[str, Any] = {
        "called_at": datetime(2025, 2, 1, tzinfo=UTC), "request_id": "r", "caller": "c", "key_id": None,
        "transport": "test",
        "domain": "d", "tool": "t", "arguments": b"{}", "outcome": "answered", "code": "", "status": 200, "rows": 1,
        "answer_bytes": 2, "milliseconds": 0.5,
    }  # fmt: skip
    return CallRecord(**told | changes)


@every_tool
async def test_an_answer_leaves_one_row_that_says_everything(
    database_access: None, mark: str, fast_client: httpx.AsyncClient, tool: Tool
) -> None:
    before = datetime.now(UTC)

    answered = await fast_client.post(address(tool), content=tool.example_arguments, headers={"X-Request-Id": mark})

    (row,) = await _rows(mark)
    assert (row.caller, row.transport, row.domain, row.tool) == ("alice", "rest", tool.domain, tool.name)
    assert (row.outcome, row.code, row.status) == ("answered", "", 200)
    assert row.arguments.encode() == tool.example_arguments
    assert row.answer_bytes == len(answered.content)
    assert row.request_id == mark
    assert row.key_id is not None
    assert before <= row.called_at <= datetime.now(UTC)
    assert 0 < row.milliseconds < 60_000


async def test_a_linescore_answer_s_rows_are_counted(
    database_access: None, mark: str, fast_client: httpx.AsyncClient
) -> None:
    await fast_client.post(
        "/api/tools/linescore/query_linescore_data", json={"limit": 7}, headers={"X-Request-Id": mark}
    )

    (row,) = await _rows(mark)
    assert row.rows == 7


@every_tool
async def test_both_lanes_and_mcp_leave_the_same_row_but_for_the_face(
    database_access: None, mark: str, fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient, tool: Tool
) -> None:
    await fast_client.post(address(tool), json={"surely_no_parameter": mark})
    await ninja_client.post(address(tool), json={"surely_no_parameter": mark})
    async with mcp_in_memory(Caller(name="local", scopes=frozenset({"*:read", "*:write"}))) as client:
        await client.call_tool(tool.name, {"surely_no_parameter": mark})

    rows = await _rows(mark)
    assert [row.transport for row in rows] == ["rest", "rest", "memory"]
    assert [row.caller for row in rows] == ["alice", "alice", "local"]
    assert [orjson.loads(row.arguments) for row in rows] == [{"surely_no_parameter": mark}] * 3
    alike = {(row.domain, row.tool, row.outcome, row.code, row.status, row.answer_bytes) for row in rows}
    assert len(alike) == 1
    assert rows[0].outcome == "refused"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ((None, address(A_TOOL), b"{}"), ("", "refused", "UNAUTHENTICATED", 401)),
        (("charlie", address(A_TOOL), b"{}"), ("charlie", "refused", "FORBIDDEN", 403)),
        (("alice", "/api/tools/no_such_domain/no_such_tool", b"{}"), ("alice", "refused", "UNKNOWN_TOOL", 404)),
        (("alice", address(A_TOOL), b" " * 2_000_000), ("alice", "refused", "PAYLOAD_TOO_LARGE", 413)),
    ],
    ids=["no key", "no scope", "no tool", "too large"],
)
@pytest.mark.usefixtures("database_access")
async def test_a_refusal_by_the_kernel_leaves_a_row_as_well(
    mark: str,
    fast_client: httpx.AsyncClient,
    cast: SimpleNamespace,
    sent: tuple[str | None, str, bytes],
    told: tuple[object, ...],
) -> None:
    key, path, body = sent
    del fast_client.headers["Authorization"]
    headers = {"X-Request-Id": mark} | ({"Authorization": f"Bearer {getattr(cast, key)}"} if key else {})

    await fast_client.post(path, content=body, headers=headers)

    (row,) = await _rows(mark)
    assert (row.caller, row.outcome, row.code, row.status) == told


async def test_a_call_that_was_left_leaves_a_row(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, tool = asyncio.Event(), A_TOOL

    async def endless(*_: object) -> None:
        entered.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("toolbox.dispatch.dispatch._call_tool", endless)
    call = Call(tool=tool.name, arguments=b"{}", credential=_operator(), transport="test", request_id=mark)
    task = asyncio.ensure_future(dispatch(call))
    await until(entered.is_set)
    task.cancel()
    await asyncio.wait([task])

    await until(lambda: any(record.request_id == mark for record in audit._buffer))
    rows = await _rows(mark)
    assert (rows[0].outcome, rows[0].status, rows[0].code) == ("cancelled", 499, "CANCELLED")


async def test_long_arguments_are_cut_and_secrets_blanked(
    database_access: None, mark: str, fast_client: httpx.AsyncClient
) -> None:
    await fast_client.post(
        address(A_TOOL), json={"password": "hunter2hunter2", "text": "x" * 10_000}, headers={"X-Request-Id": mark}
    )

    (row,) = await _rows(mark)
    assert len(row.arguments) == MAX_ARGUMENTS
    assert "hunter2" not in row.arguments
    assert row.arguments.startswith('{"password":"[redacted]"')


@pytest.mark.parametrize(
    "arguments", [b"\x00\x00", b"\xff\xfe", b'{"a": "\\ud800"}', "é🏒".encode() * 3000, b"\\N\t\n\\.", b""]
)
async def test_whatever_was_sent_can_be_kept(database_access: None, mark: str, arguments: bytes) -> None:
    call = Call(
        tool="\x00" * 300,
        arguments=arguments,
        credential=_operator(),
        transport="test",
        request_id=mark,
        domain="d" * 99,
    )

    await dispatch(call)

    (row,) = await _rows(mark)
    assert len(row.arguments) <= MAX_ARGUMENTS


async def test_one_record_that_cannot_be_kept_does_not_stop_the_others(database_access: None, mark: str) -> None:
    """A lone surrogate cannot be written as UTF-8; it may come in by way of an environment or a protocol's JSON."""
    await event_loop.run_on_loop(
        lambda: _record_all(_record(tool="\ud800", request_id=mark), _record(tool="after", request_id=mark))
    )

    try:
        rows = await _rows(mark)
    finally:
        audit._buffer.clear()
    assert "after" in [row.tool for row in rows]


async def _record_all(*records: CallRecord) -> None:
    for record in records:
        audit.record(record)


def _operator() -> Any:
    from toolbox.contract.caller import LOCAL_OPERATOR

    return LOCAL_OPERATOR


def test_rows_are_written_by_themselves(database_access: None, mark: str) -> None:
    """No flush here: the task writes them out after 250 ms at most."""
    event_loop.run(_record_all(_record(request_id=mark)))

    asyncio.run(until(lambda: all(record.request_id != mark for record in audit._buffer)))

    assert ToolCall.objects.filter(request_id=mark).count() == 1


async def test_a_secret_within_a_text_is_blanked(
    database_access: None, mark: str, fast_client: httpx.AsyncClient
) -> None:
    texts = ["connect(pwd='hunter2')", "login with password=hunter2 failed", 'body: {\\"secret\\": \\"hunter2\\"}']
    texts += ['val apiKey = "hunter2"', 'storePassword("hunter2")', "<password>hunter2</password>", "DB_PASS=hunter2"]
    await fast_client.post(address(A_TOOL), json={"text": "\n".join(texts)}, headers={"X-Request-Id": mark})

    (row,) = await _rows(mark)
    assert "hunter2" not in row.arguments
    assert "login with" in row.arguments


async def test_only_so_much_of_large_arguments_is_searched_for_secrets(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search runs on the loop that serves every call: a megabyte of text took it more than a second."""
    searched: list[int] = []

    def note_search(text: str, **_: bool) -> str:
        searched.append(len(text))
        return text

    monkeypatch.setattr("toolbox.audit.log.mask_secrets", note_search)

    await event_loop.run_on_loop(lambda: _record_all(_record(request_id=mark, arguments=b"x" * 1_000_000)))
    await _rows(mark)

    assert 0 < max(searched) <= 65_536


def test_closing_writes_out_what_is_left(database_access: None, mark: str) -> None:
    async def record_and_close() -> None:
        own = Audit()
        own.record(_record(request_id=mark))
        await own.close()

    event_loop.run(record_and_close())

    assert ToolCall.objects.filter(request_id=mark).count() == 1


def test_while_the_database_is_away_rows_wait_and_none_is_lost(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: object) -> None:
        raise DatabaseUnavailable("away")

    async def through_an_outage() -> int:
        own = Audit()
        with monkeypatch.context() as patch:
            patch.setattr(owner_pool, "run", away)
            own.record(_record(request_id=mark))
            with pytest.raises(DatabaseUnavailable):
                await own._flush()
        waiting = len(own._buffer)
        await own.close()
        return waiting

    assert event_loop.run(through_an_outage()) == 1
    assert ToolCall.objects.filter(request_id=mark).count() == 1


def test_a_full_buffer_makes_calls_wait_then_refuses_them(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolbox.audit.log.WAIT_SECONDS", 0.01)
    monkeypatch.setattr("toolbox.audit.log.BUFFER_ROWS", 5)

    async def full() -> Refusal:
        own = Audit()
        own._buffer.extend(_record(request_id=mark) for _ in range(4))
        own.record(_record())
        with pytest.raises(Refusal) as refused:
            await own.room()
        own._buffer.clear()
        await own.close()
        return refused.value

    refusal = event_loop.run(full())

    assert (refusal.code.code, refusal.code.status) == ("UNAVAILABLE", 503)
    assert refusal.retry_after_seconds


def test_a_call_waits_for_room_and_is_then_taken(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolbox.audit.log.BUFFER_ROWS", 5)

    async def waits() -> None:
        own = Audit()
        own._buffer.extend(_record(request_id=mark) for _ in range(4))
        own.record(_record(request_id=mark))
        waiting = asyncio.ensure_future(own.room())
        await asyncio.sleep(0)
        assert not waiting.done()
        await own.close()
        await waiting

    event_loop.run(waits())

    assert ToolCall.objects.filter(request_id=mark).count() == 5


def test_a_writing_tool_s_call_is_on_record_before_it_is_answered(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    from toolbox.catalogue.registry import registry

    tool = dataclasses.replace(A_TOOL, writes=True)
    monkeypatch.setattr(registry, "_tools", {tool.name: tool})
    operator = dataclasses.replace(_operator(), scopes=frozenset({"*:write"}))

    reply = event_loop.run(
        dispatch(Call(tool=tool.name, arguments=b"{}", credential=operator, transport="test", request_id=mark))
    )

    assert orjson.loads(reply.body)
    assert ToolCall.objects.filter(request_id=mark).count() == 1
