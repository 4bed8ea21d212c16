"""
Every route that reaches data passes the one entry: one audit row, the limit counted, the envelope right.

Walks the URLconf, so that a new route fails the test until it has a case here or a reason in EXEMPT. The methods of MCP
are walked by tests/toolbox/mcp/test_requests.py, the forms of MCP's tool calls by tests/toolbox/audit/test_log.py.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.urls import URLPattern, URLResolver, get_resolver

from backtests.contracts.error_envelope import BacktestsErrorEnvelope
from devassist.error_envelope import DevassistErrorEnvelope
from sprints.envelopes import SprintsEnvelope
from tests.conftest import ALICE_KEY, CHARLIE_KEY
from tests.toolbox.transports import CATALOGUE
from toolbox.access.limits import CallLimits
from toolbox.audit.log import audit
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, ErrorEnvelope, ToolError
from toolbox.contract.tool import Tool
from toolbox.dispatch.entry import ActiveCall
from toolbox.models import ToolCall

A_RUN, NOBODYS = "00000000-0000-4000-8000-00000000abcd", "00000000-0000-4000-8000-000000000000"
PAGES = (
    "a page for people who are logged in, guarded by require_person or require_scope; what it changes, and the tools "
    "it calls, pass the entry as the person"
)
EXEMPT = {
    ".well-known/": "metadata of OAuth",
    "oauth/": "endpoints of OAuth: they give credentials and take none",
    "admin/": "Django's admin, with its own log of changes",
    "login/": "logging in",
    "logout/": "logging out",
    "api/openapi.json": "documentation, public",
    "api/docs": "documentation, public",
    "api/resources/openapi.json": "documentation, public",
    "api/resources/docs": "documentation, public",
    "api/resources/": "leads to the documentation",
    "api/": "django-ninja's root: it answers 404",
    "api/agents/": "405 and 404 of addresses that are none",
    "api/agents/<path:rest>": "405 and 404 of addresses that are none",
    **dict.fromkeys(("", "ask/", "c/", "tools/", "clients/", "activity/", "connect/", "data/", "teach/"), PAGES),
    **dict.fromkeys(("linescore/", "devassist/", "schemas/", "backtests/", "sprints/"), PAGES),
}
EXACT = {"", "api/", "api/resources/", "api/agents/", "api/agents/<path:rest>"}
"""Those of them that stand for one route; the others stand for all that begins so."""


async def _do_nothing(*_: Any, **__: Any) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    One operation: `route` is the URLconf's, `path` the requested one.

    `inside` names the function that does the work: it crashes in one test, and returns `gives` in another. None leaves
    it unchanged, for work that changes nothing.
    """

    method: str
    route: str
    path: str
    inside: str | None
    tool: str
    gives: Callable[..., Any] | None = None
    envelope: ErrorEnvelope = KERNEL_ENVELOPE
    body: bytes = b""
    crash_status: int | None = None
    succeeds: bool = True
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.route}"


def _tool_case(tool: Tool) -> Case:
    path = f"api/tools/{tool.domain}/{tool.name}"
    ask = "toolbox.contract.tool.Tool.ask"
    return Case(
        method="POST", route=path, path=f"/{path}", inside=ask, tool=tool.name, envelope=tool.envelope,
        body=tool.example_arguments, succeeds=not tool.writes and tool.name != "ask_agent",
    )  # fmt: skip


RESOURCES = {
    "backtests": ["runs", "quarantine"],
    "linescore": ["teams", "games", "periods", "period-results"],
    "sprints": ["teams", "users", "sprints", "issues", "sprint-issues", "status-changes"],
}


def _resource_cases() -> Iterator[Case]:
    crash = "toolbox.resources_api.filters.KnownParametersOnly.filter_queryset"
    for domain, names in RESOURCES.items():
        root = f"api/resources/{domain}/"
        yield Case(
            method="GET", route=root, path=f"/{root}", inside="rest_framework.routers.APIRootView.get", tool="resources"
        )
        for name in names:
            basename = {"period-results": "periodresult"}.get(name, "")
            about: dict[str, Any] = {"inside": crash, "tool": f"resources/{basename}" if basename else "resources/"}
            yield Case(method="GET", route=f"{root}^{name}/$", path=f"/{root}{name}/?page_size=2", **about)
            path = f"/{root}{name}/1/"
            about["inside"] = "toolbox.resources_api.views.ReadOnlyResource.get_object"
            yield Case(method="GET", route=f"{root}^{name}/(?P<pk>[^/]+)/$", path=path, succeeds=False, **about)


AGENTS = "api/agents/conversations"
RUN = f"{AGENTS}/<conversation_id>/runs/<run_id>"
AGENT_ROUTES = [
    ("GET", AGENTS, True), ("POST", AGENTS, True), ("GET", f"{AGENTS}/<conversation_id>", False),
    ("PATCH", f"{AGENTS}/<conversation_id>", False), ("DELETE", f"{AGENTS}/<conversation_id>", False),
    ("POST", f"{AGENTS}/<conversation_id>/fork", False), ("GET", f"{AGENTS}/<conversation_id>/messages", False),
    ("POST", f"{AGENTS}/<conversation_id>/messages", False), ("GET", RUN, False),
    ("GET", f"{RUN}/steps/<number>", False), ("GET", f"{RUN}/events", False), ("POST", f"{RUN}/cancel", False),
    ("POST", f"{RUN}/approve", False), ("POST", f"{RUN}/reject", False),
]  # fmt: skip
"""Those of what is not there are refused; tests/agents has their successes."""
BODIES = {
    "PATCH": b'{"title": "x"}',
    "messages": b'{"text": "x"}',
    "fork": b'{"message": 1}',
    "approve": b'{"step": 1}',
}


def _agent_cases() -> Iterator[Case]:
    for method, route, succeeds in AGENT_ROUTES:
        path = route.replace("<conversation_id>", NOBODYS).replace("<run_id>", NOBODYS).replace("<number>", "1")
        last = route.rpartition("/")[2]
        body = b"" if method == "GET" else BODIES.get(last, BODIES.get(method, b"{}"))
        yield Case(method=method, route=route, path=f"/{path}", inside=None, tool="", body=body, succeeds=succeeds)


def _store_nothing(*_: Any, report: Any, run_id: Any, **__: Any) -> None:
    report.run_ids.append(run_id)


def _keep_nothing(*_: Any, name: str, **__: Any) -> Any:
    return SimpleNamespace(file_id=A_RUN, name=name, size_bytes=4, uploaded_at=datetime(2026, 1, 1, tzinfo=UTC))


CASES = [
    *map(_tool_case, CATALOGUE),
    *_resource_cases(),
    *_agent_cases(),
    Case(method="POST", route="api/backtests/runs/<run_id>/events", path=f"/api/backtests/runs/{A_RUN}/events",
         inside="backtests.uploads.storage.load_lines", gives=_store_nothing, tool="upload_backtest_events",
         envelope=BacktestsErrorEnvelope(), body=b'{"x": 1}\n'),
    Case(method="POST", route="api/backtests/files", path="/api/backtests/files?name=a.csv",
         inside="backtests.uploads.storage.keep_file", gives=_keep_nothing, tool="upload_backtest_file",
         envelope=BacktestsErrorEnvelope(), body=b"a,b\n"),
    Case(method="PUT", route="api/devassist/editor-context", path="/api/devassist/editor-context",
         inside="devassist.editor.queries.push", gives=_do_nothing, tool="push_editor_context",
         envelope=DevassistErrorEnvelope(), body=b'{"activeFile": "a.ts"}'),
    Case(method="DELETE", route="api/devassist/editor-context", path="/api/devassist/editor-context",
         inside="devassist.editor.queries.clear", gives=_do_nothing, tool="clear_editor_context",
         envelope=DevassistErrorEnvelope()),
    Case(method="POST", route="api/sprints/chat", path="/api/sprints/chat", inside="sprints.api.chat", tool="chat",
         envelope=SprintsEnvelope(), body=b'{"question": "How many sprints are there?"}'),
    Case(method="POST", route="api/sprints/verified-queries", path="/api/sprints/verified-queries",
         inside="sprints.api.promote", gives=lambda *_, **__: ("slug", True), tool="promote_verified_query",
         envelope=SprintsEnvelope(), body=json.dumps({"question": "How many issues are there?",
                                                     "sql": "SELECT count(*) FROM issues"}).encode()),
    Case(method="POST", route="graphql/", path="/graphql/", inside="linescore.graphql.schema.the_league",
         tool="graphql", body=b'{"query": "{ leagues { totalCount } }"}',
         headers={"Content-Type": "application/json"}, crash_status=200),
]  # fmt: skip
each = pytest.mark.parametrize("case", CASES, ids=str)


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path
        elif path != "admin/":
            yield from _routes(pattern, path)


def _is_exempt(route: str) -> bool:
    return any(route == name or (name not in EXACT and route.startswith(name)) for name in EXEMPT)


def test_every_route_is_walked_or_exempt_by_name() -> None:
    walked = {case.route for case in CASES} | {"api/tools/", "api/tools/<path:rest>"}  # no tool: see test_log

    missed = {route for route in _routes(get_resolver()) if route not in walked and not _is_exempt(route)}

    assert missed == set()
    assert len(walked) > 60


def test_a_new_route_would_be_missed() -> None:
    assert not _is_exempt("api/sprints/new-thing")
    assert not _is_exempt("api/agents/new-thing")
    assert not _is_exempt("newdomain/")


@pytest.fixture
async def client(cast: SimpleNamespace, database_access: None) -> AsyncIterator[httpx.AsyncClient]:
    from django.core.asgi import get_asgi_application

    from backtests.uploads.middleware import UploadMiddleware
    from toolbox.rest.middleware import ToolCallMiddleware

    application: Any = ToolCallMiddleware(UploadMiddleware(get_asgi_application()))  # type: ignore[arg-type]
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as made:
        yield made


@pytest.fixture
def counted_callers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the callers that the rate limit counts."""
    names: list[str] = []
    original = CallLimits.count

    async def count(self: CallLimits, caller: Caller) -> None:
        names.append(caller.name)
        await original(self, caller)

    monkeypatch.setattr(CallLimits, "count", count)
    return names


async def _send(client: httpx.AsyncClient, case: Case, *, key: str | None, mark: str) -> httpx.Response:
    headers = {"X-Request-Id": mark, **case.headers} | ({"Authorization": f"Bearer {key}"} if key else {})
    return await client.request(case.method, case.path, content=case.body, headers=headers)


async def _row(mark: str) -> ToolCall:
    await audit.flush()
    (row,) = await sync_to_async(lambda: list(ToolCall.objects.filter(request_id=mark)))()
    return row


@each
async def test_without_a_credential_it_is_refused_once(
    client: httpx.AsyncClient, case: Case, mark: str, counted_callers: list[str]
) -> None:
    answer = await _send(client, case, key=None, mark=mark)

    row = await _row(mark)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert (row.outcome, row.code, row.status, row.caller, row.arguments) == ("refused", "UNAUTHENTICATED", 401, "", "")
    assert counted_callers == []
    assert answer.headers["X-Request-Id"] == mark


@each
async def test_without_the_scope_it_is_refused_once_and_counted(
    client: httpx.AsyncClient, case: Case, mark: str, counted_callers: list[str]
) -> None:
    answer = await _send(client, case, key=CHARLIE_KEY, mark=mark)

    row = await _row(mark)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert (row.outcome, row.code, row.status, row.caller) == ("refused", "FORBIDDEN", 403, "charlie")
    assert counted_callers == ["charlie"]


@each
async def test_a_crash_is_answered_in_the_envelope_once(
    client: httpx.AsyncClient, case: Case, mark: str, counted_callers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _let_it_crash(case, monkeypatch)

    answer = await _send(client, case, key=ALICE_KEY, mark=mark)

    row = await _row(mark)
    crash = case.envelope.crash
    assert answer.status_code == (case.crash_status or crash.status)
    assert (row.outcome, row.code, row.caller) == ("failed", crash.code, "alice")
    assert counted_callers == ["alice"]
    assert "injected" not in answer.text
    if case.crash_status is None:
        shape: Any = case.envelope.refusal(ToolError(crash, "m", suggestion="s"))
        assert set(answer.json()) == set(shape)


@pytest.mark.parametrize("case", [case for case in CASES if case.succeeds], ids=str)
async def test_a_success_is_recorded_once(
    client: httpx.AsyncClient, case: Case, mark: str, counted_callers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.gives and case.inside:
        monkeypatch.setattr(case.inside, case.gives)

    answer = await _send(client, case, key=ALICE_KEY, mark=mark)

    row = await _row(mark)
    assert answer.status_code < 300, answer.text
    assert (row.outcome, row.code, row.status, row.caller) == ("answered", "", answer.status_code, "alice")
    assert row.answer_bytes == len(answer.content)
    assert counted_callers == ["alice"]
    assert row.tool == case.tool or case.tool in ("", "resources/")


async def test_an_upload_that_django_serves_is_recorded_alike(
    ninja_client: httpx.AsyncClient, database_access: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case,) = [case for case in CASES if case.tool == "upload_backtest_events"]
    monkeypatch.setattr("backtests.uploads.storage.load_lines", _crash)
    mark = f"mark-{uuid4().hex}"

    answer = await ninja_client.post(case.path, content=case.body, headers={"X-Request-Id": mark})

    row = await _row(mark)
    assert (answer.status_code, row.outcome, row.code) == (500, "failed", BacktestsErrorEnvelope().crash.code)


def _crash(*_: Any, **__: Any) -> Any:
    raise RuntimeError("injected")


def _let_it_crash(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.inside:
        monkeypatch.setattr(case.inside, _crash)
        return
    original = ActiveCall.begin

    async def begin(self: ActiveCall) -> Any:
        await original(self)
        raise RuntimeError("injected")

    monkeypatch.setattr(ActiveCall, "begin", begin)
