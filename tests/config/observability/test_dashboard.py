"""The admin's first page: what calls came to, what may be seen of it, and what it costs; and how old calls go."""

import csv
import io
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import AsyncRequestFactory, Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from config.observability import dashboard, error_pages, health
from toolbox.admin_pages import csv_export
from toolbox.audit import retention
from toolbox.audit.traffic import Span
from toolbox.database import event_loop
from toolbox.models import CallCount, ToolCall

NOW = datetime.now(UTC).replace(minute=30)


def call(*, ago: timedelta, **columns: Any) -> ToolCall:
    usual = {
        "called_at": NOW - ago, "request_id": "request-1", "caller": "alice", "transport": "rest",
        "domain": "linescore",
        "tool": "dashboard_tool", "arguments": "=1+1", "outcome": "answered", "code": "", "status": 200, "rows": 1,
        "answer_bytes": 1, "milliseconds": 12.0,
    }  # fmt: skip
    return ToolCall(**usual | columns)


@pytest.fixture
def curator(scratch_database: None, monkeypatch: pytest.MonkeyPatch) -> Client:
    async def check_parts() -> list[health.Part]:
        return [health.Part(name="broker", is_up=False, says="does not answer")]

    monkeypatch.setattr(dashboard, "parts", check_parts)
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username="curator"))
    return client


def test_the_page_tells_calls_parts_and_runs_without_reading_calls_and_old_ones_are_forgotten(curator: Client) -> None:
    day = timedelta(days=1)
    limited = {"outcome": "refused", "code": "RATE_LIMITED", "status": 429}
    recent = [call(ago=timedelta(0)) for _ in range(18)] + [call(ago=timedelta(0), **limited) for _ in range(2)]
    ToolCall.objects.bulk_create([*recent, *(call(ago=500 * day) for _ in range(5)), call(ago=3 * day)])

    with CaptureQueriesContext(connection) as asked:
        page = curator.get("/admin/?span=24h").context
    week = curator.get("/admin/?span=7d").context
    event_loop.run(retention.forget(days=400))

    line = next(line for line in page["calls"] if line.tool == "dashboard_tool")
    assert (line.traffic.calls, line.traffic.rate_limited, line.traffic.failed_calls) == (20, 2, 0)
    assert (line.p50, line.p95) == ("12.5 ms", "14.8 ms")
    assert next(line for line in week["calls"] if line.tool == "dashboard_tool").traffic.calls == 21
    assert [part.name for part in page["parts"]] == ["broker"]
    assert page["runs"].runs["queued"] == 0
    assert not any("toolbox_tool_calls" in query["sql"] for query in asked)
    assert ToolCall.objects.filter(tool="dashboard_tool").count() == 21
    assert not CallCount.objects.filter(grain="day", began_at__lt=NOW - 400 * day).exists()
    assert sum(CallCount.objects.filter(grain="all", tool="dashboard_tool").values_list("calls", flat=True)) == 26

    exported = curator.post(
        "/admin/toolbox/toolcall/", {"action": "export_csv", "_selected_action": [ToolCall.objects.latest("pk").pk]}
    )
    lines = list(csv.DictReader(io.StringIO(b"".join(exported.streaming_content).decode())))  # type: ignore[attr-defined]
    assert [line["arguments"] for line in lines] == ["'=1+1"]


def make_calls(count: int) -> list[str]:
    ToolCall.objects.bulk_create([call(ago=timedelta(0), arguments=f"row {number}") for number in range(count)])
    return [f"row {number}" for number in reversed(range(count))]


@pytest.mark.django_db
def test_an_export_asks_for_a_batch_of_rows_at_a_time_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_export, "BATCH_ROWS", 2)
    wanted = make_calls(5)
    shown = SimpleNamespace(exports=["arguments"])
    chosen = ToolCall.objects.filter(arguments__in=wanted).order_by("-pk")

    with CaptureQueriesContext(connection) as queries:
        response = csv_export.export_csv(shown, RequestFactory().get("/"), chosen)
        text = b"".join(response.streaming_content).decode()  # type: ignore[arg-type]

    assert text.splitlines() == ["arguments", *wanted]
    assert len(queries) == 4  # the keys, and three batches


async def test_an_export_by_asgi_is_sent_as_it_is_made(scratch_database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_export, "BATCH_ROWS", 2)
    wanted = await sync_to_async(make_calls)(5)
    chosen = ToolCall.objects.filter(arguments__in=wanted).order_by("-pk")

    response = csv_export.export_csv(SimpleNamespace(exports=["arguments"]), AsyncRequestFactory().get("/"), chosen)
    parts = [part async for part in response]

    assert response.is_async
    assert [part.decode().splitlines() for part in parts] == [["arguments"], wanted[:2], wanted[2:4], wanted[4:]]


def test_a_clerk_without_rights_sees_no_figures(curator: Client) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    client = Client()
    client.force_login(clerk)

    page = client.get("/admin/")

    assert "may see no figures" in page.content.decode()
    assert "dashboard_tool" not in page.content.decode()


def test_a_database_that_is_away_is_a_page_and_other_faults_are_not_blamed_on_it() -> None:
    request = RequestFactory().get("/admin/")
    statuses = []
    for error in (OperationalError("connection refused at secret.host"), KeyError("x")):
        try:
            raise error
        except (OperationalError, KeyError):
            page = error_pages.show_failure(request)
        statuses.append(page.status_code)
        assert "secret" not in page.content.decode()

    assert statuses == [503, 500]


def test_too_large_a_form_and_a_foreign_name_are_told_what_to_do(db: None) -> None:
    client = Client()

    large = client.post("/login/", {"username": "x" * 3_000_000})
    foreign = client.get("/login/", headers={"host": "elsewhere.example"})

    assert (large.status_code, "at once" in large.content.decode()) == (413, True)
    assert (foreign.status_code, "ALLOWED_HOSTS" in foreign.content.decode()) == (400, True)
    assert ["Back to" in answer.content.decode() for answer in (large, foreign)] == [True, False]


def test_a_long_span_is_read_by_days() -> None:
    moment = datetime(2026, 1, 20, 13, 45, tzinfo=UTC)

    assert Span.last(timedelta(hours=24), until=moment) == Span("hour", datetime(2026, 1, 19, 13, tzinfo=UTC))
    assert Span.last(timedelta(days=7), until=moment) == Span("day", datetime(2026, 1, 13, tzinfo=UTC))
