"""Contract test 8: five seconds at most; a statement that hangs is cancelled in the database itself."""

import asyncio
import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connections

from tests.conftest import running_server
from tests.toolbox.transports import until
from toolbox.catalogue.registry import registry

pytestmark = pytest.mark.slow

ADDRESS = "/api/tools/linescore/query_linescore_data"
# pg_stat_activity hides what other roles run, pg_locks does not.
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'linescore_period_results'::regclass"


def _connection() -> psycopg.Connection[tuple[int]]:
    entry = connections["default"].settings_dict
    return psycopg.connect(
        dbname=entry["NAME"], user=entry["USER"], host=entry["HOST"], password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None, autocommit=True,
    )  # fmt: skip


def _count_waiting(connection: psycopg.Connection[tuple[int]]) -> int:
    row = connection.execute(WAITING).fetchone()
    assert row
    return row[0]


@pytest.fixture
def onlooker(scratch_database: None) -> Iterator[psycopg.Connection[tuple[int]]]:
    """Hold the results so that every SELECT of them hangs; yields a connection to look on with."""
    with _connection() as holder, _connection() as onlooker:
        holder.execute("BEGIN")
        holder.execute("LOCK TABLE linescore_period_results IN ACCESS EXCLUSIVE MODE")
        yield onlooker
        holder.execute("ROLLBACK")


def test_the_tool_s_deadline_is_the_contract_s_five_seconds() -> None:
    tool = registry.find("query_linescore_data")

    assert tool is not None
    assert tool.deadline_seconds == 5


@pytest.mark.usefixtures("true_deadlines")
async def test_past_the_deadline_the_statement_is_cancelled_in_the_database(
    onlooker: psycopg.Connection[tuple[int]], fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = registry.find("query_linescore_data")
    assert tool is not None
    hasty = dataclasses.replace(tool, deadline_seconds=0.3)
    monkeypatch.setattr(registry, "_tools", {tool.name: hasty})

    call = asyncio.ensure_future(fast_client.post(ADDRESS, json={"teamCode": "CAR"}))
    await until(lambda: _count_waiting(onlooker) == 1)
    answer = await call

    error = answer.json()["error"]
    assert answer.status_code == 504
    assert error["type"] == "QUERY_ERROR"
    assert error["details"]["code"] == "QUERY_TIMEOUT"
    assert error["suggestion"]
    assert _count_waiting(onlooker) == 0


async def test_a_caller_who_leaves_takes_the_statement_along(
    onlooker: psycopg.Connection[tuple[int]], fast_client: httpx.AsyncClient
) -> None:
    call = asyncio.ensure_future(fast_client.post(ADDRESS, json={"teamCode": "CAR"}))
    await until(lambda: _count_waiting(onlooker) == 1)

    call.cancel()
    await asyncio.wait([call])

    await until(lambda: _count_waiting(onlooker) == 0)
    assert call.cancelled()


MCP_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "query_linescore_data", "arguments": {"teamCode": "CAR"}},
}
TRANSPORTS = {"REST": (ADDRESS, {"teamCode": "CAR"}), "MCP": ("/mcp", MCP_CALL)}


@pytest.mark.parametrize(("path", "message"), TRANSPORTS.values(), ids=list(TRANSPORTS))
async def test_a_connection_that_is_dropped_takes_the_statement_along(
    onlooker: psycopg.Connection[tuple[int]], cast: SimpleNamespace, path: str, message: Any
) -> None:
    headers = {"Authorization": f"Bearer {cast.alice}", "Accept": "application/json, text/event-stream"}
    with running_server() as server:
        async with httpx.AsyncClient(base_url=server, headers=headers, timeout=30) as client:
            call = asyncio.ensure_future(client.post(path, json=message))
            await until(lambda: _count_waiting(onlooker) == 1)
            call.cancel()
            await asyncio.wait([call])

        await until(lambda: _count_waiting(onlooker) == 0)


@pytest.mark.usefixtures("true_deadlines")
async def test_after_a_deadline_the_next_call_is_answered(
    scratch_database: None, fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = registry.find("query_linescore_data")
    assert tool is not None
    with monkeypatch.context() as patch, _connection() as holder:
        patch.setattr(registry, "_tools", {tool.name: dataclasses.replace(tool, deadline_seconds=0.2)})
        holder.execute("BEGIN")
        holder.execute("LOCK TABLE linescore_period_results IN ACCESS EXCLUSIVE MODE")
        first = await fast_client.post(ADDRESS, json={"teamCode": "CAR"})
        holder.execute("ROLLBACK")

    second = await fast_client.post(ADDRESS, json={"teamCode": "CAR"})

    assert (first.status_code, second.status_code) == (504, 200)
