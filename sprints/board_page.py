"""A sprint's and a team's page in the admin: charts, each with its table, as the template takes them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from sprints import board_queries as board
from sprints.board_queries import Rows
from sprints.charts import AMBER, BLUE, GRAY, GREEN, RED, Series, columns, dots, lines

MEDIAN, SLOW = 0.5, 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A chart and the table of what it draws."""

    title: str
    drawing: SafeString | str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]


def sprint_panels(sprint_id: UUID) -> list[Panel]:
    """Draw a sprint: burndown, scope change, carry-over. Five statements."""
    total = board.summary(sprint_id)
    return [
        _burndown(board.days(sprint_id)),
        _scope(board.scope_changes(sprint_id), total=total),
        _carry_over(board.carried_over(sprint_id), total=total, brought=board.brought_in(sprint_id)),
    ]


def team_panels(team_id: UUID) -> list[Panel]:
    """Draw a team: velocity and cycle time. Three statements."""
    return [_velocity(board.velocity(team_id)), _cycle_time(board.done(team_id), team_id=team_id)]


def _burndown(days: Rows) -> Panel:
    first = float(days[0]["scope_points"]) if days else 0.0
    ideal = [first * (1 - place / max(len(days) - 1, 1)) for place in range(len(days))]
    series = [
        Series(name="Remaining", values=_numbers(days, "remaining_points"), color=BLUE),
        Series(name="Scope", values=_numbers(days, "scope_points"), color=GRAY, is_step=True),
        Series(name="Ideal", values=ideal, color=GREEN, is_dashed=True),
    ]
    names = ["scope_points", "completed_points", "remaining_points", "scope_issues", "remaining_issues"]
    return Panel(
        title="Burndown", note="Story points at the end of each day, UTC.",
        drawing=lines(series, labels=[f"{day['day']:%d %b}" for day in days], title="Burndown"),
        head=["Day", "Scope", "Done", "Remaining", "Issues", "Issues remaining"],
        rows=[[f"{day['day']:%a %d %b}", *(_plain(day[name]) for name in names)] for day in days],
    )  # fmt: skip


def _scope(changes: Rows, *, total: dict[str, Any]) -> Panel:
    by_day: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for change in changes:
        by_day[f"{change['changed_at']:%d %b}"][change["change"]] += float(change["points_change"])
    colors = {"added": AMBER, "removed": GREEN, "re-estimated": BLUE}
    series = [
        Series(name=name.capitalize(), values=[by_day[day].get(name) for day in by_day], color=color)
        for name, color in colors.items()
    ]
    note = (
        f"{_plain(total['committed_points'])} points committed; {_plain(total['added_points'])} added, "
        f"{_plain(total['removed_points'])} removed after the start."
    )
    return Panel(
        title="Scope change", note=note,
        drawing=columns(series, labels=list(by_day), title="Scope change, in story points"),
        head=["When (UTC)", "Issue", "Title", "Change", "Points"],
        rows=[
            [f"{one['changed_at']:%d %b %H:%M}", _issue(one), one["title"], one["change"],
             f"{float(one['points_change']):+g}"]
            for one in changes
        ],
    )  # fmt: skip


def _carry_over(carried: Rows, *, total: dict[str, Any], brought: dict[str, Any]) -> Panel:
    labels = ["Brought in", "Committed", "Added", "Removed", "Completed", "Carried over"]
    points = [brought["points"], *(total[f"{name}_points"] for name in _PARTS)]
    issues = [brought["issues"], *(total[f"{name}_issues"] for name in _PARTS)]
    series = [
        Series(name="Points", values=[float(value) for value in points], color=BLUE),
        Series(name="Issues", values=[float(value) for value in issues], color=RED),
    ]
    return Panel(
        title="Carry-over",
        note=f"{issues[-1]} issues with {_plain(points[-1])} points were left unfinished at the close; "
             f"{issues[0]} with {_plain(points[0])} had come from earlier sprints.",
        drawing=columns(series, labels=labels, title="What came in, and what became of it") if any(issues) else "",
        head=["Issue", "Title", "Assignee", "Points", "Status now", "Times carried over"],
        rows=[
            [_issue(one), one["title"], one["full_name"] or "nobody", _plain(one["points_at_end"]), one["status"],
             one["times"]]
            for one in carried
        ],
    )  # fmt: skip


_PARTS = ("committed", "added", "removed", "completed", "carried_over")


def _velocity(sprints: Rows) -> Panel:
    done = _numbers(sprints, "completed_points")
    mean = sum(done) / len(done) if done else 0.0
    series = [
        Series(name="Committed", values=_numbers(sprints, "committed_points"), color=GRAY),
        Series(name="Completed", values=done, color=GREEN),
        Series(name=f"Average {mean:.1f}", values=[mean] * bool(done), color=BLUE, is_dashed=True),
    ]
    names = ["committed_points", "completed_points", "added_points", "carried_over_points"]
    return Panel(
        title="Velocity", note=f"The last {len(sprints)} closed sprints, in story points.",
        drawing=columns(series, labels=[one["sprint_name"].rpartition(" ")[2] for one in sprints], title="Velocity"),
        head=["Sprint", "Started", "Committed", "Completed", "Added", "Carried over"],
        rows=[
            [_sprint(one), f"{one['started_at']:%Y-%m-%d}", *(_plain(one[name]) for name in names)]
            for one in reversed(sprints)
        ],
    )  # fmt: skip


def _cycle_time(done: Rows, *, team_id: UUID) -> Panel:
    times = sorted(_numbers(done, "cycle_time_days"))
    first, last = (done[0]["resolved_at"], done[-1]["resolved_at"]) if done else (None, None)
    span = (last - first).total_seconds() if first and last and last > first else 1.0
    points = [
        ((one["resolved_at"] - first).total_seconds() / span, float(one["cycle_time_days"]),
         f"{one['issue_key']}: {float(one['cycle_time_days']):.1f} days")
        for one in done
    ]  # fmt: skip
    guides = [
        Series(name=f"{name} {_percentile(times, share):.1f}", values=[_percentile(times, share)], color=color)
        for name, share, color in (("Median", MEDIAN, GREEN), ("85 %", SLOW, AMBER))
        if times
    ]
    ends = (f"{first:%d %b %Y}", f"{last:%d %b %Y}") if first else ("", "")
    return Panel(
        title="Cycle time", note=f"Days from the start of work to done, of the last {len(done)} finished issues.",
        drawing=dots(points, ends=ends, guides=guides, title="Cycle time, in days"),
        head=["Month", "Issues", "Median, days", "85 % within, days"],
        rows=[
            [f"{one['month']:%b %Y}", one["issues"], one["median"], one["slow"]]
            for one in board.cycle_times_by_month(team_id)
        ],
    )  # fmt: skip


def _percentile(times: Sequence[float], share: float) -> float:
    """Interpolate as PostgreSQL's percentile_cont does."""
    place = share * (len(times) - 1)
    below = int(place)
    above = min(below + 1, len(times) - 1)
    return times[below] + (times[above] - times[below]) * (place - below)


def _numbers(rows: Iterable[dict[str, Any]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def _plain(value: Any) -> str:
    return "" if value is None else f"{float(value):g}"


def _issue(row: dict[str, Any]) -> SafeString:
    return format_html(
        '<a href="{}">{}</a>', reverse("admin:sprints_issue_change", args=[row["issue_id"]]), row["issue_key"]
    )


def _sprint(row: dict[str, Any]) -> SafeString:
    address = reverse("admin:sprints_sprint_change", args=[row["sprint_id"]])
    return format_html('<a href="{}">{}</a>', address, row["sprint_name"])
