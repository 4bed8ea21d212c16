"""The official conformance suite passes on the real server, and can fail."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.agents.processes import own_broker
from tests.conformance.__main__ import CACHE
from tests.conformance.referee import REVISIONS, NotToBeHad, Referee, Verdict, installed
from tests.conformance.under_test import serving
from tests.conftest import ALICE_KEY, server_environment
from toolbox.models import ApiKey

pytestmark = pytest.mark.slow

CAROL_KEY = "tr_carol_is_not_alice"
MODERN = "2026-07-28"
CLIENT = {"name": "tests", "version": "1"}
NAMED = {"action": "accept", "content": {"name": "Ada"}}
ACCEPT = {"accept": "application/json, text/event-stream"}
LEGACY = ACCEPT | {"mcp-protocol-version": "2025-11-25"}

NEED_NO_FIXTURES = {
    "2025-11-25": {
        "server-initialize", "logging-set-level", "ping", "tools-list", "server-sse-multiple-streams", "resources-list",
        "resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection",
    },
    "2026-07-28": {
        "tools-list", "server-sse-multiple-streams", "resources-list", "sep-2164-resource-not-found", "prompts-list",
        "dns-rebinding-protection", "input-required-result-unsupported-methods", "caching",
    },
}  # fmt: skip
"""What a server without the suite's own tools, documents and prompts has to pass."""

NEED_FIXTURES = {
    "2025-11-25": {"tools-call-image", "tools-call-with-progress", "tools-call-sampling", "resources-read-text"},
    "2026-07-28": {"server-stateless", "prompts-get-simple", "tools-call-audio", "input-required-result-multi-round"},
}
"""What it cannot pass: if it did, the suite would not look."""


@pytest.fixture(scope="module")
def referee() -> Referee:
    """Return the suite; skips if npm cannot install it."""
    try:
        return installed(CACHE)
    except NotToBeHad as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def address(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """Run the server under test, which also knows carol."""
    with django_db_blocker.unblock():
        carol, _ = User.objects.get_or_create(username="carol")
        ApiKey.make(name="carol", owner_id=carol.pk, scopes=["*:read"], key=CAROL_KEY)
    with own_broker() as broker:
        environment = server_environment() | {"CELERY_BROKER_URL": broker.address}
        with serving(environment, key=ALICE_KEY) as address:
            yield address


def _judged(referee: Referee, url: str) -> dict[str, Verdict]:
    with ThreadPoolExecutor() as both:
        verdicts = both.map(lambda revision: referee.judge(url, revision=revision), REVISIONS)
        return dict(zip(REVISIONS, verdicts, strict=True))


def test_every_required_scenario_of_both_eras_and_every_one_of_tasks_passes(referee: Referee, address: str) -> None:
    verdicts = _judged(referee, f"{address}/mcp")

    counted = [len(verdicts[revision].required) for revision in REVISIONS]
    assert [*counted, len(verdicts["2026-07-28"].tasks)] == [30, 37, 9]
    assert "tasks-status-notifications" in verdicts["2026-07-28"].unchecked
    assert {name for verdict in verdicts.values() for name, failed in verdict.failed.items() if failed} == set()


def test_without_the_fixtures_the_scenarios_that_need_none_pass_and_the_others_fail(
    referee: Referee, address: str
) -> None:
    verdicts = _judged(referee, f"{address}/mcp/linescore")

    for revision, verdict in verdicts.items():
        passed = {name for name, failed in verdict.failed.items() if not failed}
        assert passed >= NEED_NO_FIXTURES[revision]
        assert passed.isdisjoint(NEED_FIXTURES[revision])


def test_a_state_and_a_task_are_good_for_their_own_call_and_caller_only(address: str) -> None:
    first = _call(address, "test_input_required_result_multi_round")
    answer = {"inputResponses": {"step1": NAMED}, "requestState": first["result"]["requestState"]}
    task = _call(address, "slow_compute", arguments={"seconds": 60})["result"]["taskId"]

    codes = [
        _call(address, "test_input_required_result_multi_round", **answer).get("error", {}).get("code"),
        _call(address, "test_input_required_result_multi_round", key=CAROL_KEY, **answer)["error"]["code"],
        _call(address, "test_input_required_result_elicitation", **answer)["error"]["code"],
        _posted(address, "tasks/get", {"taskId": task}, name=task, key=CAROL_KEY)["error"]["code"],
        _posted(address, "tasks/get", {"taskId": task}, name=task).get("error", {}).get("code"),
    ]

    assert codes == [None, -32602, -32602, -32602, None]


def test_a_question_of_2025_takes_its_answer_from_its_own_caller_only(address: str) -> None:
    with httpx.Client(base_url=address, headers=LEGACY | _key(ALICE_KEY), timeout=30) as client:
        declared = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": CLIENT}
        begun = client.post("/mcp", json=_message("initialize", declared))
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        asked = {"name": "test_elicitation", "arguments": {"message": "Who are you?"}}
        with client.stream("POST", "/mcp", json=_message("tools/call", asked), headers=session) as stream:
            events = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            question = next(events)
            told = [
                httpx.post(f"{address}/mcp", json=_answer(question, name=name), headers=LEGACY | _key(key)).status_code
                for name, key in (("mallory", CAROL_KEY), ("alice", ALICE_KEY))
            ]
            answered = next(events)
        forged = {"mcp-session-id": session["mcp-session-id"][1:]}
        refused = client.post("/mcp", json=_message("ping", {}), headers=forged)

    assert told == [202, 202]
    assert "alice" in answered["result"]["content"][0]["text"]
    assert refused.status_code == 404


def _answer(question: dict[str, Any], *, name: str) -> dict[str, Any]:
    content = {"username": name, "email": f"{name}@example.org"}
    return {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": content}}


def _call(address: str, tool: str, *, key: str = ALICE_KEY, **params: Any) -> dict[str, Any]:
    return _posted(address, "tools/call", {"name": tool, "arguments": {}} | params, name=tool, key=key)


def _posted(address: str, method: str, params: dict[str, Any], *, name: str, key: str = ALICE_KEY) -> dict[str, Any]:
    capabilities: dict[str, Any] = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    meta = {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: capabilities, CLIENT_INFO_META_KEY: CLIENT}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": name}
    message = _message(method, params | {"_meta": meta})
    answered: dict[str, Any] = httpx.post(
        f"{address}/mcp", json=message, headers=ACCEPT | headers | _key(key), timeout=30
    ).json()
    return answered


def _message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _key(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}
