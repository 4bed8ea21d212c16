"""`POST /api/sprints/chat`: keys, scopes, bad input, audit."""

import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from toolbox.audit.log import audit
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool

PATH = "/api/sprints/chat"


async def test_a_question_is_answered(ninja_client: httpx.AsyncClient) -> None:
    reply = await ninja_client.post(PATH, json={"question": "Which issues were carried over from ACCEL's last sprint?"})

    body = reply.json()
    assert reply.status_code == 200
    assert {"question", "answer", "isAmbiguous", "sql", "rows", "rowCount", "assumptions", "suggestions"} <= set(body)
    assert body["rowCount"] == len(body["rows"])
    assert "was_carried_over" in body["sql"]


async def test_a_key_is_needed_and_its_scope(ninja_client: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    without = await ninja_client.post(PATH, json={"question": "x"}, headers={"Authorization": ""})
    bob = await ninja_client.post(PATH, json={"question": "x"}, headers={"Authorization": f"Bearer {cast.bob}"})

    assert (without.status_code, without.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert (bob.status_code, bob.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"nonsense", b'{"question": 5}', b'{"question": ""}', b'{"question": "   "}',
     b'{"question": "a", "more": 1}', b'{"question": "\\u0000"}', json.dumps({"question": "x" * 2001}).encode(),
     b"\xff\xfe"],
)  # fmt: skip
async def test_bad_input_is_refused_with_what_to_send(ninja_client: httpx.AsyncClient, body: bytes) -> None:
    reply = await ninja_client.post(PATH, content=body, headers={"Content-Type": "application/json"})

    assert reply.status_code == 400
    assert reply.json()["error"]["code"] == "INVALID_PARAMETERS"
    assert reply.json()["error"]["suggestion"]


@pytest.mark.parametrize(
    ("body", "fix"),
    [
        ({"question": "and HARBOR?", "previous": "open bugs of ORBIT"}, "Give previous: "),
        ({"question": "and HARBOR?", "previous": [5]}, "Give previous.0: "),
        ({"questoin": "open bugs"}, "Use question"),
        ({"question": "only bugs", "contxt": {"measures": ["issues"]}}, "Use context"),
        ({"question": "only bugs", "without": "0"}, "Give without: "),
        ({"question": "   "}, "Give question: "),
        ({}, "Give question: "),
    ],
)
async def test_each_mistake_is_refused_with_its_own_fix(
    ninja_client: httpx.AsyncClient, body: dict[str, Any], fix: str
) -> None:
    reply = await ninja_client.post(PATH, json=body)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "INVALID_PARAMETERS")
    assert fix in reply.json()["error"]["suggestion"]


@pytest.mark.parametrize(
    "context",
    [
        {"measures": ["nope"]},
        {"rows_of": "nope", "columns": ["issue"]},
        {"measures": ["issues"], "where": {"kind": "named", "predicate": "opn"}},
        {
            "measures": ["created_issues"],
            "where": {"kind": "time", "role": "created", "start": "0001-01-01", "end": "0001-01-01"},
        },
        {"measures": ["created_issues"], "where": {"kind": "time", "start": "0001-01-01T00:00:00+14:00"}},
        {"measures": ["created_issues"], "where": {"kind": "time", "end": "9999-12-31T23:59:59-10:00"}},
        {
            "measures": ["issues"],
            "where": {"kind": "comparison", "field": "story_points", "op": "gt", "values": ["1e99999"]},
        },
    ],
)
async def test_a_context_that_means_nothing_is_refused(
    ninja_client: httpx.AsyncClient, context: dict[str, Any]
) -> None:
    for more in ({}, {"without": [0]}):
        reply = await ninja_client.post(PATH, json={"question": "only bugs", "context": context, **more})

        assert reply.status_code == 400, reply.text
        assert reply.json()["error"]["code"] == "INVALID_PARAMETERS"
        assert "context" in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("context", "without", "known"),
    [
        ({"measures": ["issues"], "where": {"kind": "named", "predicate": "open"}}, [1], "0 (open)"),
        ({"measures": ["issues"], "where": {"kind": "named", "predicate": "open"}}, [0, -1], "0 (open)"),
        ({"measures": ["issues"]}, [0], "Leave without out"),
        (None, [0], "Leave without out"),
    ],
)
async def test_a_part_that_the_context_does_not_have_is_refused(
    ninja_client: httpx.AsyncClient, context: dict[str, Any] | None, without: list[int], known: str
) -> None:
    body = {"question": "How many issues are there?", "context": context, "without": without}
    reply = await ninja_client.post(PATH, json=body)

    assert reply.status_code == 400, reply.text
    assert known in reply.json()["error"]["suggestion"]


async def test_every_question_leaves_an_audit_row(ninja_client: httpx.AsyncClient) -> None:
    await ninja_client.post(PATH, json={"question": "What is blocked?"}, headers={"X-Request-Id": "chat-audited"})

    found = await _read_audit("chat-audited")
    assert [(row["caller"], row["domain"], row["tool"], row["status"]) for row in found] == [
        ("alice", "sprints", "chat", 200)
    ]
    assert "What is blocked?" in found[0]["arguments"]


async def _read_audit(request_id: str) -> list[dict[str, Any]]:
    await event_loop.run_on_loop(audit.flush)
    statement = "SELECT * FROM toolbox_tool_calls WHERE request_id = %s LIMIT 10"
    return (await owner_pool.fetch(statement, [request_id])).rows
