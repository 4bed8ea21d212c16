"""A secret that comes in by any way is in no table, no log and no page afterwards."""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from config.observability.logs import JsonLines, TextLines
from devassist.models import RootCause
from tests.toolbox.text.test_redaction import GIVEN, VALUE
from tests.toolbox.transports import mcp_in_memory
from toolbox.audit.log import audit

SECRET = "zq9Marked-Secret7"
PROPOSED = "ZqMarkedException"
KINDS = [
    *(kind.replace(VALUE, SECRET) for kind in GIVEN if VALUE in kind and not re.search(r"BEGIN(?!.*END)", kind, re.S)),
    f"the password is {SECRET}", f"changed the passphrase from {SECRET} to {SECRET}", f"mysql -uroot -p{SECRET} shop",
    f"db.example:5432:shop:bob:{SECRET}",
]  # fmt: skip
TEXT = "\n".join(KINDS)

Send = Callable[[httpx.AsyncClient, str], Awaitable[Any]]


async def _call_over_rest(client: httpx.AsyncClient, text: str) -> None:
    tools = (
        "devassist/vector_search_db",
        "devassist/diagnose",
        "linescore/query_linescore_data",
        "sprints/ask_sprints",
    )
    for tool in tools:
        await client.post(f"/api/tools/{tool}", json={"query": text, "question": text, "trace": text})
    proposed = await client.post("/api/tools/devassist/propose_rca", json={
        "errorType": PROPOSED, "errorDescription": text, "rootCause": text, "solution": text,
        "language": "python",
    })  # fmt: skip
    assert proposed.status_code == 200, proposed.text


async def _call_a_tool_that_is_not_there(client: httpx.AsyncClient, text: str) -> None:
    await client.post("/api/tools/linescore/no_such_tool", json={"query": text})
    await client.post("/api/tools/linescore/query_linescore_data", content=f'{{"query": "{text}'.encode())
    await client.post("/api/tools/linescore/query_linescore_data", json={text: 1})


async def _call_over_mcp(_: httpx.AsyncClient, text: str) -> None:
    async with mcp_in_memory() as client:
        for name in ("vector_search_db", "query_linescore_data", "diagnose", "no_such_tool"):
            await _attempt(client.call_tool(name, {"query": text, "question": text, "trace": text}))
        await _attempt(client.read_resource(f"toolroom://{text}"))
        await _attempt(client.get_prompt(text, {"question": text}))


async def _push_from_an_editor(client: httpx.AsyncClient, text: str) -> None:
    pushed = await client.put("/api/devassist/editor-context", json={
        "activeFile": "src/a.py", "selectedText": text, "terminalOutput": text,
        "diagnostics": [{"severity": "error", "message": kind, "line": 1} for kind in KINDS[:20]],
    })  # fmt: skip
    assert pushed.status_code == 200, pushed.text
    await client.post("/api/tools/devassist/get_user_error_context", json={"captureTerminal": True})


async def _ask_graphql(client: httpx.AsyncClient, text: str) -> None:
    await client.post("/api/tools/graphql_proxy/execute_graphql", json={"query": f'{{ a(text: "{text}") }}'})


async def _hold_a_conversation(client: httpx.AsyncClient, text: str) -> None:
    title = f"with password {SECRET}"
    made = await client.post("/api/agents/conversations", json={"title": title})
    assert made.status_code == 201, made.text
    address = f"/api/agents/conversations/{made.json()['id']}"
    await client.patch(address, json={"title": title})
    posted = await client.post(f"{address}/messages", json={"text": text})
    assert posted.status_code == 202, posted.text
    copied = await client.post(f"{address}/fork", json={"message": 1, "title": title})
    assert copied.status_code == 201, copied.text
    MADE.extend((made.json()["id"], copied.json()["id"]))


async def _attempt(call: Awaitable[Any]) -> None:
    try:
        await call
    except Exception:  # noqa: BLE001 - whether it is refused is another test's
        logging.getLogger(__name__).debug("refused")


MADE: list[str] = []
"""Conversations to delete."""
WAYS: list[Send] = [
    _hold_a_conversation, _call_over_rest, _call_a_tool_that_is_not_there, _call_over_mcp, _push_from_an_editor,
    _ask_graphql,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("send", WAYS, ids=lambda send: send.__name__)
async def test_a_secret_is_in_no_table_and_no_log(
    send: Send, fast_client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    try:
        await send(fast_client, TEXT)
        await audit.flush()
        found = await sync_to_async(_tables_with)(SECRET)
    finally:
        await fast_client.delete("/api/devassist/editor-context")
        await RootCause.objects.filter(error_type=PROPOSED).adelete()
        while MADE:
            await fast_client.delete(f"/api/agents/conversations/{MADE.pop()}")

    assert found == []
    lines = [formatter.format(record) for record in caplog.records for formatter in (JsonLines(), TextLines())]
    assert not [line for line in lines if SECRET in line]


def _tables_with(text: str) -> list[str]:
    """Return the tables in which a row has the text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                       " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1000")  # fmt: skip
        names = [name for (name,) in cursor.fetchall()]
        found = []
        for name in names:
            cursor.execute(f"SELECT EXISTS (SELECT FROM {name} row WHERE row::text LIKE %s)", [f"%{text}%"])
            if cursor.fetchone()[0]:
                found.append(name)
        return found
