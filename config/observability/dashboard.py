"""The admin's first page: calls, conversations, jobs and the state of every part, from a bounded number of rows."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.http import HttpRequest

from agents.queries.metrics import RunCounts, count_runs
from config.observability.health import Part, parts
from toolbox.audit import traffic
from toolbox.audit.traffic import Span, Traffic
from toolbox.catalogue.registry import domain_title
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.models import Job

SPANS = {"2h": timedelta(hours=1), "24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""Spans cover whole hours or days: two hours are the current one and the one before."""
USUAL = "24h"
MAX_TOOLS = 60
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A tool's calls, as the table shows them."""

    tool: str
    domain: str
    traffic: Traffic

    @property
    def p50(self) -> str:
        """Return the median duration."""
        return _milliseconds(self.traffic.quantile(0.5))

    @property
    def p95(self) -> str:
        """Return the 95th percentile of the duration."""
        return _milliseconds(self.traffic.quantile(0.95))


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the page's data to its context; only what the person may see."""
    span = request.GET.get("span", USUAL)
    span = span if span in SPANS else USUAL
    counted = Span.last(SPANS[span], until=datetime.now(UTC))
    may = request.user.has_perm
    sees_calls, sees_runs = may("toolbox.view_toolcall"), may("agents.view_run")
    calls, runs, health = event_loop.run(_gather_figures(counted, sees_calls=sees_calls, sees_runs=sees_runs))
    return context | {
        "spans": {"2h": "2 hours", "24h": "24 hours", "7d": "7 days", "30d": "30 days"},
        "span": span,
        "since": counted.since,
        "calls": _lines(calls) if calls is not None else None,
        "whole": Line(tool="all", domain="", traffic=traffic.sum_traffic(calls)) if calls else None,
        "runs": runs,
        "jobs": Job.find_latest() if may("toolbox.view_job") else None,
        "parts": health if request.user.is_superuser or sees_calls else None,
        "sees": {"calls": sees_calls, "runs": sees_runs, "jobs": may("toolbox.view_job")},
    }


async def _gather_figures(
    span: Span, *, sees_calls: bool, sees_runs: bool
) -> tuple[list[Traffic] | None, RunCounts | None, list[Part]]:
    """Load everything concurrently; a figure that cannot be loaded is None, and the page says so."""
    calls = _or_none(traffic.by_tool(span)) if sees_calls else _give_none()
    runs = _or_none(count_runs(since=span.since)) if sees_runs else _give_none()
    return await asyncio.gather(calls, runs, parts())


async def _or_none(asked: Awaitable[Value]) -> Value | None:
    try:
        return await asked
    except DatabaseUnavailable:
        return None


async def _give_none() -> None:
    return None


def _lines(calls: list[Traffic]) -> list[Line]:
    """Return the tools with the most calls, the most called first."""
    busiest = sorted(calls, key=lambda one: one.calls, reverse=True)[:MAX_TOOLS]
    return [
        Line(tool=one.tool or "names that are no tool's", domain=domain_title(one.domain), traffic=one)
        for one in busiest
    ]


def _milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms"  # noqa: PLR2004 - three digits are enough
