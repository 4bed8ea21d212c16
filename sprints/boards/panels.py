"""Charts of a sprint and of a team, each with its tables, for the pages and the admin."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from statistics import mean
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from sprints.boards import queries as board
from sprints.boards.forecasts import CannotForecast, Completion, Throughput, forecast, weekly_throughput
from sprints.boards.queries import Rows
from toolbox.admin_pages.charts import AMBER, BLUE, DASHED, GRAY, GREEN, RED, Dot, Series, columns, dots, evenly, lines
from toolbox.admin_pages.panels import Figures, Panel

MEDIAN, SLOW, MAX_TO_COME = 0.5, 0.85, 60
TRIALS = 2_000
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """How tables link to an issue and a sprint, where the reader may follow."""

    issue: Callable[[Row], str]
    sprint: Callable[[Row], str]


def sprint_panels(sprint_id: UUID, *, total: Row, links: Links) -> list[Panel]:
    """Draw a sprint with this summary: burndown, scope change, carry-over. Runs four statements."""
    brought = board.count_brought_in(sprint_id)
    return [
        _burndown(board.days(sprint_id)),
        _scope(board.scope_changes(sprint_id), total=total, links=links),
        _carry_over(board.fetch_carry_over(sprint_id), total=total, brought=brought, links=links),
    ]


def team_panels(team_id: UUID, *, links: Links) -> list[Panel]:
    """Draw a team: velocity, cycle time, age of work in progress, forecast. Runs six statements."""
    done = board.done(team_id)
    return [
        _velocity(board.velocity(team_id), links=links),
        _cycle_time(done, months=board.cycle_times_by_month(team_id), links=links),
        _draw_ageing(board.at_work(team_id), times=_times(done), links=links),
        _forecast(board.weeks_done(team_id), work=board.open_work(team_id)),
    ]


def _burndown(days: Rows) -> Panel:
    first = float(days[0]["scope_points"]) if days else 0.0
    dates = [day["day"] for day in days] + _to_come(days)
    ideal = [first * (1 - place / max(len(dates) - 1, 1)) for place in range(len(dates))]
    rest = [None] * (len(dates) - len(days))
    series = [
        Series(name="Remaining", values=[*_numbers(days, "remaining_points"), *rest], color=BLUE),
        Series(name="Scope", values=[*_numbers(days, "scope_points"), *rest], color=GRAY, is_step=True),
        Series(name="Ideal", values=ideal, color=GREEN, dash=DASHED),
    ]
    names = ["scope_points", "completed_points", "remaining_points", "scope_issues", "remaining_issues"]
    return Panel(
        title="Burndown", note="Story points at the end of each day, UTC.",
        drawing=lines(series, marks=evenly([f"{day:%d %b}" for day in dates]), title="Burndown"),
        nothing="Nothing to draw: the sprint has not begun.",
        tables=[Figures(
            title="Burndown", head=["Day", "Scope", "Done", "Remaining", "Issues", "Issues remaining"],
            rows=[[f"{day['day']:%a %d %b}", *(_plain(day[name]) for name in names)] for day in days],
        )],
    )  # fmt: skip


def _to_come(days: Rows) -> list[date]:
    """Return the remaining days of an active sprint, at most sixty."""
    if not days or not days[-1]["planned_end"]:
        return []
    left = (days[-1]["planned_end"] - days[-1]["day"]).days
    return [days[-1]["day"] + timedelta(days=number + 1) for number in range(min(left, MAX_TO_COME))]


def _scope(changes: Rows, *, total: Row, links: Links) -> Panel:
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
        nothing="Nothing to draw: the scope did not change after the start.",
        tables=[Figures(
            title="Scope change", head=["Issue", "When (UTC)", "Title", "Change", "Points"],
            rows=[
                [links.issue(one), f"{one['changed_at']:%d %b %H:%M}", one["title"], one["change"],
                 f"{float(one['points_change']):+g}"]
                for one in changes
            ],
        )],
    )  # fmt: skip


def _carry_over(carried: Rows, *, total: Row, brought: Row, links: Links) -> Panel:
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
        nothing="Nothing to draw: no issue was in it.",
        tables=[
            Figures(title="What came in, and what became of it", head=["", "Points", "Issues"], rows=[
                [label, _plain(points[place]), issues[place]] for place, label in enumerate(labels)
            ] if any(issues) else []),
            Figures(
                title="Carry-over", head=["Issue", "Title", "Assignee", "Points", "Status now", "Times carried over"],
                rows=[
                    [links.issue(one), one["title"], one["full_name"] or "nobody", _plain(one["points_at_end"]),
                     one["status"], one["times"]]
                    for one in carried
                ],
            ),
        ],
    )  # fmt: skip


_PARTS = ("committed", "added", "removed", "completed", "carried_over")


def _velocity(sprints: Rows, *, links: Links) -> Panel:
    done = _numbers(sprints, "completed_points")
    average = mean(done) if done else 0.0
    series = [
        Series(name="Committed", values=_numbers(sprints, "committed_points"), color=GRAY),
        Series(name="Completed", values=done, color=GREEN),
        Series(name=f"Average {average:.1f}", values=[average] * bool(done), color=BLUE, dash=DASHED),
    ]
    names = ["committed_points", "completed_points", "added_points", "carried_over_points"]
    return Panel(
        title="Velocity", note=f"The last {len(sprints)} closed sprints, in story points.",
        drawing=columns(series, labels=[one["sprint_name"].rpartition(" ")[2] for one in sprints], title="Velocity"),
        nothing="Nothing to draw: no sprint is closed yet.",
        tables=[Figures(
            title="Velocity", head=["Sprint", "Started", "Committed", "Completed", "Added", "Carried over"],
            rows=[
                [links.sprint(one), f"{one['started_at']:%Y-%m-%d}", *(_plain(one[name]) for name in names)]
                for one in reversed(sprints)
            ],
        )],
    )  # fmt: skip


def _cycle_time(done: Rows, *, months: Rows, links: Links) -> Panel:
    first, last = (done[0]["resolved_at"], done[-1]["resolved_at"]) if done else (None, None)
    span = (last - first).total_seconds() if first and last and last > first else 1.0
    points = [
        Dot(
            place=(one["resolved_at"] - first).total_seconds() / span, value=float(one["cycle_time_days"]),
            words=f"{one['issue_key']}: {float(one['cycle_time_days']):.1f} days",
        )
        for one in done
    ]  # fmt: skip
    marks = [(0.04, f"{first:%d %b %Y}"), (0.96, f"{last:%d %b %Y}")] if first else []
    return Panel(
        title="Cycle time", note=f"Days from the start of work to done, of the last {len(done)} finished issues.",
        drawing=dots(points, marks=marks, guides=_percentiles(_times(done)), title="Cycle time, in days"),
        nothing="Nothing to draw: no issue is finished yet.",
        tables=[
            Figures(
                title="Cycle time", head=["Month", "Issues", "Median, days", "85 % within, days"],
                rows=[[f"{one['month']:%b %Y}", one["issues"], one["median"], one["slow"]] for one in months],
            ),
            Figures(title="Finished issues, the latest first", head=["Issue", "Done", "Days"], rows=[
                [links.issue(one), f"{one['resolved_at']:%Y-%m-%d}", one["cycle_time_days"]] for one in reversed(done)
            ]),
        ],
    )  # fmt: skip


def _draw_ageing(begun: Rows, *, times: Sequence[float], links: Links) -> Panel:
    """Draw the work in progress by status, the earliest status first."""
    stages = _stages(begun)
    points = [
        Dot(
            place=(stage + (place + 1) / (len(issues) + 1)) / len(stages), value=float(one["age_days"]),
            words=f"{one['issue_key']}: {one['age_days']} days, {one['status_days']} of them in {one['status']}",
            color=RED if one["is_blocked"] else BLUE,
        )
        for stage, (_, issues) in enumerate(stages)
        for place, one in enumerate(issues)
    ]  # fmt: skip
    marks = [((stage + 0.5) / len(stages), f"{name} ({len(issues)})") for stage, (name, issues) in enumerate(stages)]
    blocked = sum(one["is_blocked"] for one in begun)
    return Panel(
        title="Work ageing",
        note=f"Days since work began on {len(begun)} unfinished issues, as of the data; {blocked} blocked, in red. "
             "The lines are the cycle times of finished ones: what is above them is late.",
        drawing=dots(points, marks=marks, guides=_percentiles(times), title="Age of work in progress, in days"),
        nothing="Nothing to draw: nothing is in progress.",
        tables=[Figures(
            title="Work ageing",
            head=["Issue", "Title", "Status", "Days since begun", "Days in status", "Points", "Assignee", "Blocked"],
            rows=[
                [links.issue(one), one["title"], one["status"], one["age_days"], one["status_days"],
                 _plain(one["story_points"]), one["full_name"] or "nobody", "blocked" if one["is_blocked"] else ""]
                for one in begun
            ],
        )],
    )  # fmt: skip


def _forecast(weeks: Rows, *, work: Row) -> Panel:
    throughput = weekly_throughput(weeks, unit="issues")
    as_of, rows, reason = work["data_as_of"], [], "no data is loaded"
    for title, name in (("Left in the active sprint", "sprint_issues"), ("All open issues", "open_issues")):
        try:
            dates = _completions(work[name], throughput=throughput, as_of=as_of)
        except CannotForecast as error:
            dates, reason = [], str(error)
        if dates:
            rows.append([title, work[name], *(f"{one.done_at:%Y-%m-%d}" for one in dates)])
    done = Series(name="Finished", values=list(throughput.amounts), color=GREEN)
    return Panel(
        title="Forecast",
        note="When as many issues will be finished, if weeks go on as the last ones did: in 50, 85 and 95 of 100 "
             "simulated cases by that day. The columns are the issues finished in each week before the latest data.",
        drawing=columns([done], labels=[str(-week["ago"]) for week in weeks], title="Issues finished a week")
        if rows else "",
        nothing=f"No forecast: {reason}.",
        tables=[Figures(title="Forecast", head=["Work", "Issues", "50 %", "85 %", "95 %"], rows=rows)],
    )  # fmt: skip


def _completions(issues: int, *, throughput: Throughput, as_of: datetime | None) -> list[Completion]:
    return forecast(float(issues), throughput=throughput, as_of=as_of, trials=TRIALS) if as_of else []


def _stages(begun: Rows) -> list[tuple[str, Rows]]:
    by_status = [(name, list(rows)) for name, rows in groupby(sorted(begun, key=_status), key=_status)]
    return sorted(by_status, key=lambda stage: mean(one["age_days"] - one["status_days"] for one in stage[1]))


def _status(issue: Row) -> str:
    return str(issue["status"])


def _times(done: Rows) -> list[float]:
    return sorted(_numbers(done, "cycle_time_days"))


def _percentiles(times: Sequence[float]) -> list[Series]:
    named = (("Median", MEDIAN, GREEN), ("85 %", SLOW, AMBER)) if times else ()
    return [
        Series(name=f"{name} {value:.1f}", values=[value], color=color, dash=DASHED)
        for name, share, color in named
        for value in [_percentile(times, share)]
    ]


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


def _issue(row: Row) -> SafeString:
    return format_html(
        '<a href="{}">{}</a>', reverse("admin:sprints_issue_change", args=[row["issue_id"]]), row["issue_key"]
    )


def _sprint(row: Row) -> SafeString:
    address = reverse("admin:sprints_sprint_change", args=[row["sprint_id"]])
    return format_html('<a href="{}">{}</a>', address, row["sprint_name"])


TO_ADMIN = Links(issue=_issue, sprint=_sprint)
"""Links of tables in the admin."""
