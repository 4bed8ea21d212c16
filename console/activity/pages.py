"""Activity: the list of calls, a call and its repetition, conversations over time, refusals, trends by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from agents.queries import history
from agents.queries.questions import find_unanswered, find_uncovered
from agents.queries.waterfall import find_step_of_call, find_timed_steps, sum_cost_by_day
from console.activity.calls import (
    Comparison,
    compare_calls,
    find_stored_answer,
    find_visible_call,
    format_arguments,
    sees_everything,
)
from console.activity.queries import list_key_choices, list_keys
from console.activity.waterfall import Span, draw_waterfall, split_sessions
from console.teaching.lessons import list_lessons
from console.tools.result_table import format_json, parse_json
from toolbox.access.people import require_person
from toolbox.admin_pages.charts import AMBER, BLUE, GREEN, RED, Series, columns, evenly, lines
from toolbox.admin_pages.panels import Figures, Panel
from toolbox.audit.call_log import (
    MAX_SCANNED,
    PAGE,
    SORTS,
    CallFilter,
    FoundCalls,
    Row,
    find_calls,
    find_calls_beside,
    group_refusals,
)
from toolbox.audit.traffic import Traffic, by_day
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_CODES
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.http.form_submissions import mark_submission
from toolbox.http.pages import page
from toolbox.models import ToolCall
from toolbox.text.moments import read_moment

SESSION_GAP_SECONDS = 600
QUEUE_DAYS = 30
DAYS = (7, 30, 90)
MAX_ID = 2**63 - 1
MAX_PAGE = MAX_SCANNED // PAGE
_LABELS = {
    "time": "Called at (UTC)", "tool": "Tool", "caller": "Caller", "outcome": "Outcome", "rows": "Rows", "ms": "ms",
}  # fmt: skip
_DESCENDING_FIRST = ("time", "rows", "ms")
"""Columns that are first sorted in descending order."""
MAX_ARGUMENTS = 200_000


@require_GET
@page(domain="console")
def list_calls(request: HttpRequest) -> HttpResponse:
    """
    List calls, filtered by key, tool and outcome and sorted by a column, as the address says.

    With `live`, the first page is loaded again every 5 s, in the chosen order.
    """
    wanted = _read_filter(request)
    found = event_loop.run(find_calls(wanted))
    chosen = {name: request.GET.get(name, "") for name in ("key", "tool", "outcome", "pages")}
    chosen["sort"] = "" if wanted.is_by_time else f"{'-' if wanted.is_descending else ''}{wanted.sort}"
    query = {name: value for name, value in chosen.items() if value}
    is_live = bool(request.GET.get("live"))
    shown = {
        "found": found,
        "chosen": chosen,
        "headings": [_make_heading(name, wanted=wanted, query=query, is_live=is_live) for name in SORTS],
        "is_live": is_live and "before" not in request.GET,
        "is_by_time": wanted.is_by_time,
        "looked_through": MAX_SCANNED,
        "live_query": urlencode(query | {"live": 1}),
        "query": urlencode(query),
        "more": _write_next_page(wanted, query=query) if found.has_more else "",
        "next": _write_next_window(found, query=query),
        "section": "calls",
    }
    if request.headers.get("HX-Request"):
        return render(request, "console/activity_rows.html", shown)
    choices = {
        "keys": list_key_choices(owner_id=None if sees_everything(request) else request.user.pk),
        "tools": sorted(tool.name for tool in registry.tools()),
        "outcomes": ToolCall.Outcome.choices,
        "sees_everything": sees_everything(request),
    }
    return render(request, "console/activity.html", shown | choices)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def open_call(request: HttpRequest, *, call_id: int) -> HttpResponseBase:
    """Show a call; on POST, repeat it as the person and compare the answers."""
    event_loop.run(dynamic_tools.wait_until_loaded())
    caller = require_person(request)
    call = find_visible_call(request, call_id=min(call_id, MAX_ID), caller=caller) if request.method == "POST" else None
    tool = _find_tool(call, caller=caller) if call else None
    if call is None or tool is None:
        return show_call(request, call_id=call_id)
    typed = request.POST.get("arguments", "")[:MAX_ARGUMENTS]
    arguments = parse_json(typed)
    if not isinstance(arguments, dict):
        return _render_call(request, call=call, arguments=typed, problem="The arguments must be a JSON object.")
    stored = find_stored_answer(_find_step(call, caller=caller), tool=tool, call=call, caller=caller)
    compared = compare_calls(tool, call=call, stored=stored, typed=arguments, caller=caller)
    response = _render_call(request, call=call, arguments=format_json(arguments), compared=compared)
    return mark_submission(response, is_done=tool.writes and not compared.after.code)


@page(domain="console")
def show_call(request: HttpRequest, *, call_id: int) -> HttpResponse:
    """Show a call, the calls of its key around it, and a form that repeats it with the address's arguments."""
    call = find_visible_call(request, call_id=min(call_id, MAX_ID), caller=require_person(request))
    if call is None:
        raise Http404
    given = parse_json(request.GET.get("arguments", "")[:MAX_ARGUMENTS])
    arguments = format_json(given) if isinstance(given, dict) else format_arguments(call)
    return _render_call(request, call=call, arguments=arguments)


def _render_call(
    request: HttpRequest, *, call: Row, arguments: str, compared: Comparison | None = None, problem: str = ""
) -> HttpResponse:
    caller = require_person(request)
    tool, step = _find_tool(call, caller=caller), _find_step(call, caller=caller)
    codes = (*(tool.codes if tool else ()), *KERNEL_CODES)
    shown = {
        "call": call,
        "tool": tool,
        "arguments": arguments,
        "recorded": format_arguments(call),
        "stored": find_stored_answer(step, tool=tool, call=call, caller=caller) if tool and not compared else None,
        "meaning": next((one.meaning for one in codes if one.code == call["code"]), ""),
        "compared": compared,
        "problem": problem,
        "sessions": _draw_session(call),
        "conversation": step["conversation_id"] if step else None,
    }
    return render(request, "console/activity_call.html", shown)


def _find_tool(call: Row, *, caller: Caller) -> Tool | None:
    """Return the tool of a call if the person may use it."""
    tool = registry.find(call["tool"])
    return tool if tool and tool.is_listed_for(caller) else None


@require_GET
@page(domain="console", scope="agents:read")
def show_conversation(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Show the latest runs of a conversation over time: each call of the model and of a tool."""
    caller = require_person(request)
    talk = event_loop.run(history.find_readable(conversation_id, reader_id=caller.owner_id or 0))
    if talk is None:
        raise Http404
    steps = event_loop.run(find_timed_steps(conversation_id))
    runs: dict[UUID, list[Row]] = {}
    for step in steps:
        runs.setdefault(step["run_id"], []).append(step)
    shown = [_show_run(own) for own in runs.values()]
    return render(request, "console/activity_conversation.html", {"talk": talk, "runs": shown, "section": "calls"})


@require_GET
@page(domain="console")
def show_queue(request: HttpRequest) -> HttpResponse:
    """Show everyone's unanswered questions, and refused and failed calls, of the last days."""
    if not sees_everything(request):
        return render(request, "console/activity_queue.html", {"is_hidden": True, "section": "queue"})
    since = timezone.now() - timedelta(days=QUEUE_DAYS)
    sees_runs, may_teach = request.user.has_perm("agents.view_run"), bool(list_lessons(request, domain=""))
    shown = {
        "sees_uncovered": sees_runs or may_teach,
        "uncovered": event_loop.run(find_uncovered(since=since)) if sees_runs or may_teach else [],
        "may_teach": may_teach,
        "sees_runs": sees_runs,
        "questions": event_loop.run(find_unanswered(since=since)) if sees_runs else [],
        "groups": event_loop.run(group_refusals(since=since)),
        "days": QUEUE_DAYS,
        "section": "queue",
    }
    return render(request, "console/activity_queue.html", shown)


@require_GET
@page(domain="console")
def show_trends(request: HttpRequest) -> HttpResponse:
    """Draw calls, their 95th percentile, errors and cost by day; for people who may see every call."""
    if not sees_everything(request):
        return render(request, "console/activity_trends.html", {"is_hidden": True, "section": "trends"})
    days = next((one for one in DAYS if str(one) == request.GET.get("days")), 30)
    first = (timezone.now() - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    traffic = event_loop.run(by_day(since=first))
    cost = {row["day"]: row for row in event_loop.run(sum_cost_by_day(since=first))}
    moments = [first + timedelta(days=number) for number in range(days)]
    panels = draw_trends(moments, traffic=traffic, cost={day: float(row["cost"]) for day, row in cost.items()})
    shown = {"panels": panels, "days": days, "choices": DAYS, "section": "trends"}
    return render(request, "console/activity_trends.html", shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRun:
    """A run with its waterfall."""

    question: str
    state: str
    tokens: int
    cost: float | None
    panel: Panel


def draw_trends(
    moments: Sequence[datetime], *, traffic: dict[datetime, Traffic], cost: dict[Any, float]
) -> list[Panel]:
    """Draw four charts over the same days; a day without calls has no percentile. Pure."""
    labels = [f"{moment:%d %b}" for moment in moments]
    own = [traffic.get(moment) for moment in moments]
    calls = [float(one.calls) if one else 0.0 for one in own]
    slow = [one.quantile(0.95) if one else None for one in own]
    failed = [float(one.failed_calls) if one else 0.0 for one in own]
    refused = [float(one.refused_calls) if one else 0.0 for one in own]
    spent = [cost.get(moment.date(), 0.0) for moment in moments]
    marks = evenly(labels)

    def table(title: str, *named: tuple[str, Sequence[float | None]]) -> list[Figures]:
        rows = list(
            zip(labels, *(["" if one is None else f"{one:,.6g}" for one in values] for _, values in named), strict=True)
        )
        return [Figures(title=title, head=["Day", *(name for name, _ in named)], rows=rows)]

    return [
        Panel(
            title="Calls", note="", tables=table("Calls by day", ("Calls", calls)),
            drawing=columns([Series(name="calls", values=calls, color=BLUE)], labels=labels, title="Calls by day"),
        ),
        Panel(
            title="Slowest twentieth", note="95th percentile, to within a bucket of durations.",
            tables=table("95th percentile by day, ms", ("ms", slow)),
            drawing=lines([Series(name="p95, ms", values=slow, color=AMBER)], marks=marks, title="p95 by day"),
        ),
        Panel(
            title="Refused and failed", note="", tables=table("By day", ("Refused", refused), ("Failed", failed)),
            drawing=columns(
                [Series(name="refused", values=refused, color=AMBER), Series(name="failed", values=failed, color=RED)],
                labels=labels, title="Refused and failed calls by day",
            ),
        ),
        Panel(
            title="Cost of models", note="By the prices that are set.", tables=table("Cost by day", ("Cost", spent)),
            drawing=columns([Series(name="cost", values=spent, color=GREEN)], labels=labels, title="Cost by day"),
        ),
    ]  # fmt: skip


def _read_filter(request: HttpRequest) -> CallFilter:
    """Read the filter from the address; an unknown or forbidden key finds nothing, a cursor that is no time is 404."""
    before, _, before_id = request.GET.get("before", "").partition("~")
    moment = read_moment(before) if before else timezone.now() + timedelta(days=1)
    if moment is None:
        raise Http404
    written, page = request.GET.get("sort", ""), request.GET.get("page", "")
    sort = written.removeprefix("-")
    key, own = request.GET.get("key", ""), _list_allowed_keys(request)
    keys: list[int] | None = own
    if key:
        number = int(key) if key.isdecimal() and len(key) < len(str(MAX_ID)) else -1
        keys = [number] if own is None or number in own else []
    return CallFilter(
        keys=keys,
        tool=request.GET.get("tool", "")[:200].replace("\x00", ""),
        outcome=request.GET.get("outcome", "") if request.GET.get("outcome") in ToolCall.Outcome.values else "",
        before=moment,
        before_id=int(before_id) if before_id.isdecimal() and len(before_id) < len(str(MAX_ID)) else MAX_ID,
        pages=bool(request.GET.get("pages")),
        sort=sort if sort in SORTS else "time",
        is_descending=sort not in SORTS or written.startswith("-"),
        page=max(1, min(int(page), MAX_PAGE)) if page.isdecimal() and len(page) <= len(str(MAX_PAGE)) else 1,
    )


def _list_allowed_keys(request: HttpRequest) -> list[int] | None:
    """Return the keys whose calls the person may see; None for all."""
    return None if sees_everything(request) else list_keys(owner_id=request.user.pk or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A column's heading; `query` sorts by it, or reverses the order if the list is sorted by it."""

    name: str
    label: str
    query: str
    is_number: bool
    sorted: str
    """Value of `aria-sort`; "" if the list is sorted by another column."""


def _make_heading(name: str, *, wanted: CallFilter, query: dict[str, str], is_live: bool) -> Heading:
    is_current = wanted.sort == name
    is_descending = not wanted.is_descending if is_current else name in _DESCENDING_FIRST
    sort = f"{'-' if is_descending else ''}{name}"
    changed = {part: value for part, value in query.items() if part != "sort"} | {"sort": sort}
    return Heading(
        name=name, label=_LABELS[name], query=urlencode(changed | ({"live": "1"} if is_live else {})),
        is_number=name in ("rows", "ms"),
        sorted=("descending" if wanted.is_descending else "ascending") if is_current else "",
    )  # fmt: skip


def _write_next_page(wanted: CallFilter, *, query: dict[str, str]) -> str:
    """Return the query of the next page of the same calls; the first page's cursor is the present."""
    moment = min(wanted.before, timezone.now()).astimezone(UTC).isoformat()
    return urlencode(query | {"before": f"{moment}~{wanted.before_id}", "page": wanted.page + 1})


def _write_next_window(found: FoundCalls, *, query: dict[str, str]) -> str:
    if found.next is None:
        return ""
    moment, number = found.next
    return urlencode(query | {"before": f"{moment.astimezone(UTC).isoformat()}~{number}"})


def _draw_session(call: Row) -> Panel | None:
    """Draw the calls of a call's key around it, up to a gap of more than ten minutes."""
    if call["key_id"] is None:
        return None
    beside = event_loop.run(
        find_calls_beside(key_id=call["key_id"], at=call["called_at"], span_seconds=6 * SESSION_GAP_SECONDS)
    )
    spans = [
        Span(
            label=row["tool"], began_at=row["called_at"], milliseconds=row["milliseconds"],
            address=reverse("console:call", args=[row["id"]]), words=row["code"] or row["outcome"],
            is_bad=row["outcome"] in ("refused", "failed"), is_chosen=row["id"] == call["id"],
        )
        for row in beside
    ]  # fmt: skip
    sessions = split_sessions(spans, gap_seconds=SESSION_GAP_SECONDS)
    own = next((one for one in sessions if any(span.is_chosen for span in one)), [])
    return _panel("Session", spans=own, note="Calls with the same key; ten minutes without one end a session.")


def _find_step(call: Row, *, caller: Caller) -> Row | None:
    """Return the step of a run that made the call, if the person may read its conversation."""
    if call["transport"] != "agents":
        return None
    step = event_loop.run(find_step_of_call(call["request_id"]))
    if step is None:
        return None
    talk = event_loop.run(history.find_readable(step["conversation_id"], reader_id=caller.owner_id or 0))
    return step if talk else None


def _show_run(steps: Sequence[Row]) -> TimedRun:
    first = steps[0]
    spans = [
        Span(
            label=step["tool"] or f"model {first['model']}".strip(), began_at=step["created_at"],
            milliseconds=_milliseconds(step), words=f"{step['state']} {step['code']}".strip(),
            is_bad=step["state"] in ("refused", "rejected"),
        )
        for step in steps
    ]  # fmt: skip
    return TimedRun(
        question=first["question"],
        state=first["run_state"],
        tokens=sum(step["prompt_tokens"] + step["completion_tokens"] for step in steps),
        cost=first["cost"] or None,
        panel=_panel("Steps", spans=spans, note=""),
    )


def _milliseconds(step: Row) -> float:
    if step["milliseconds"] is not None:
        return float(step["milliseconds"])
    return (step["finished_at"] - step["created_at"]).total_seconds() * 1000 if step["finished_at"] else 0.0


def _panel(title: str, *, spans: Sequence[Span], note: str) -> Panel:
    rows = [
        [span.label, f"{span.began_at.astimezone(UTC):%H:%M:%S.%f}"[:-3], f"{span.milliseconds:.1f}", span.words]
        for span in spans
    ]
    table = Figures(title=title, head=["What", "Began (UTC)", "ms", "Outcome"], rows=rows)
    drawing = draw_waterfall(spans, title=f"{title}, drawn over time; the table below has the figures")
    return Panel(title=title, drawing=drawing, note=note, tables=[table])
