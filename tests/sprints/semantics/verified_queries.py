"""The verified queries that ship, as queries of the layer; and those that stay SQL, with the reason."""

from typing import Any

Query = dict[str, Any]

# By slug, why a query stays SQL.
KEPT: dict[str, str] = {}
# By slug, why the layer's rows differ where a team is named as well.
DIFFERENT_WITH_TEAM = {
    "epic-progress": "the SQL takes the epic's team, the layer the issues' team",
    "throughput": "the layer has a row with zero for a week in which nothing was resolved",
    "workload-of-person": "the layer has no row for a person without open issues in the team, the SQL has zeros",
}


def hold(predicate: str) -> Query:
    return {"kind": "named", "predicate": predicate}


def compare(field: str, op: str, *values: object) -> Query:
    return {"kind": "comparison", "field": field, "op": op, "values": list(values)}


def both(*parts: Query) -> Query:
    return {"kind": "and", "parts": list(parts)}


def by(*names: str) -> list[Query]:
    grains = {"day", "week", "month"}
    return [{"kind": "time", "grain": n} if n in grains else {"kind": "dimension", "dimension": n} for n in names]


def in_sprints(where: Query) -> Query:
    return {"kind": "in_period", "where": where}


def measures(*names: str, where: Query | None = None, group: tuple[str, ...] = (), **more: object) -> Query:
    return {"measures": list(names), "where": where, "group_by": by(*group), **more}


def rows(entity: str, *columns: str, where: Query | None = None, **more: object) -> Query:
    return {"rows_of": entity, "columns": list(columns), "where": where, **more}


CURRENT = hold("sprint_active")
LAST = compare("sprint_recency", "le", 1)
LAST_SIX = compare("sprint_recency", "le", 6)
IN_PERIOD = {"kind": "time", "start": "2026-09-01", "end": "2026-11-01"}
RESOLVED_IN_PERIOD = IN_PERIOD | {"role": "resolved"}
OPEN, BLOCKED, IN_PROGRESS = hold("open"), hold("blocked"), hold("in_progress")
ASSIGNED, HAS_CYCLE_TIME = hold("assigned"), hold("has_cycle_time")

_CLOSED = (
    "(SELECT sprint_id FROM (SELECT sprint_id, rank() OVER (PARTITION BY team_id ORDER BY completed_at DESC) AS place "
    "FROM sprints WHERE state = 'closed') AS closed WHERE place <= {})"
)
SLOTS = {
    "current sprint": "(SELECT sprint_id FROM sprints WHERE state = 'active')",
    "last sprint": _CLOSED.format(1),
    "last 6 sprints": _CLOSED.format(6),
}
PERIOD = {"period.start": "DATE '2026-09-01'", "period.end": "DATE '2026-11-01'"}
ISSUE_ROWS = ("issue", "title", "issue_type", "status", "priority", "story_points", "assignee")
CYCLE = ("average_cycle_time", "cycle_time", "cycle_time_85", "issues")

# By slug: the query, and the slots that its SQL gets. The slot team is tried with and without a team where it may be
# left out.
EXPRESSED: dict[str, tuple[Query, dict[str, str]]] = {
    "blocked-issues": (
        rows("issue", "issue", "title", "status", "assignee", "blocked_since", "blocked_for_days", where=BLOCKED), {},
    ),
    "blocked-time": (measures("blockages", "average_blocked_days", "blocked_days", group=("team",)), {}),
    "blocked-reasons": (measures("blockages", group=("blocked_reason",)), {}),
    "blocked-by-person": (measures("issues", where=both(BLOCKED, ASSIGNED), group=("assignee",)), {}),
    "blocking-links": (
        rows("link", "issue", "title", "status", "link_type", "linked_issue", "linked_title", "linked_status",
             where=hold("blocking")), {},
    ),
    "links-of-issue": (
        rows("link", "issue", "title", "link_type", "linked_issue", "linked_title", "linked_status",
             where={"kind": "or", "parts": [compare("issue", "eq", "ACCEL-13"),
                                                      compare("linked_issue", "eq", "ACCEL-13")]}),
        {"key": "('ACCEL-13')"},
    ),
    "blocked-count": (measures("issues", where=BLOCKED, group=("team",)), {}),
    "burndown": (
        rows("sprint_day", "team", "sprint", "sprint_day", "remaining_points_on_day", "scope_points_on_day",
             where=in_sprints(CURRENT)), {"sprint": "current sprint"},
    ),
    "remaining-in-sprint": (
        measures("remaining_points", "remaining_issues", where=in_sprints(CURRENT), group=("team", "sprint")),
        {"sprint": "current sprint"},
    ),
    "carried-over-issues": (
        rows("membership", "team", "sprint", "issue", "title", "points_at_end", "assignee",
             where=both(hold("carried_over"), in_sprints(LAST))), {"sprint": "last sprint"},
    ),
    "carry-over-by-sprint": (
        measures("carried_over_issues", "carried_over_points", where=in_sprints(LAST_SIX), group=("team", "sprint")),
        {"sprint": "last 6 sprints"},
    ),
    "carry-over-rate": (
        measures("carried_over_issues", "finished_or_carried_issues", "carry_over_rate", where=in_sprints(LAST_SIX),
                 group=("team",)), {"sprint": "last 6 sprints"},
    ),
    "issues-carried-over-repeatedly": (
        rows("issue", "team", "issue", "title", "status", "times_carried_over",
             where=compare("times_carried_over", "gt", 1)), {},
    ),
    "cycle-time-by-points": (
        measures("cycle_time", "average_cycle_time", "issues", where=both(HAS_CYCLE_TIME, hold("estimated")),
                 group=("story_points",)), {},
    ),
    "hours-against-estimate": (
        measures("issues", "estimated_hours", "spent_hours", "spent_per_estimated",
                 where=both(hold("done"), hold("has_hours")), group=("team",)), {},
    ),
    "unestimated-issues": (
        rows("issue", "issue", "title", "issue_type", "status", "assignee", where=both(OPEN, hold("unestimated"))), {},
    ),
    "re-estimated-issues": (
        rows("points_change", "issue", "title", "points_changed_at", "from_points", "to_points",
             where=hold("re_estimate")), {},
    ),
    "cycle-time": (measures(*CYCLE, where=HAS_CYCLE_TIME, group=("team",)), {}),
    "cycle-time-by-person": (
        measures("cycle_time", "average_cycle_time", "issues", where=both(HAS_CYCLE_TIME, ASSIGNED),
             group=("assignee",)),
        {},
    ),
    "cycle-time-trend": (
        measures("cycle_time", "average_cycle_time", "resolved_issues", where=HAS_CYCLE_TIME, group=("month",)),
        {"unit": "'month'"},
    ),
    "slowest-issues": (
        rows("issue", "issue", "title", "issue_type", "story_points", "assignee", "cycle_time_days",
             where=HAS_CYCLE_TIME, order=[{"by": "cycle_time_days", "direction": "desc"}], limit=10), {"top": "10"},
    ),
    "lead-time": (
        measures("average_lead_time", "lead_time", "lead_time_85", "issues", where=hold("has_lead_time"),
             group=("team",)),
        {},
    ),
    "throughput": (measures("resolved_issues", group=("week",)), {"unit": "'week'"}),
    "done-count": (measures("resolved_issues", where=IN_PERIOD), PERIOD),
    "done-in-sprint": (
        rows("membership", "issue", "title", "issue_type", "points_at_end", "assignee", "sprint",
             where=both(hold("completed"), in_sprints(LAST))), {"sprint": "last sprint"},
    ),
    "done-in-period": (
        rows("issue", "issue", "title", "issue_type", "story_points", "assignee", "resolved_at",
             where=RESOLVED_IN_PERIOD), PERIOD,
    ),
    "done-by-person": (
        measures("resolved_issues", "resolved_points", where=both(IN_PERIOD, ASSIGNED), group=("assignee",)), PERIOD,
    ),
    "created-against-done": (
        measures("created_issues", "resolved_issues", where=IN_PERIOD, group=("week",)), PERIOD | {"unit": "'week'"},
    ),
    "created-count": (measures("created_issues", where=IN_PERIOD), PERIOD),
    "reopened": (measures("reopened_issues", "reopen_rate", group=("team",)), {}),
    "reopened-issues": (
        rows("issue", "issue", "title", "status", "reopened_count", "assignee", where=hold("reopened")), {},
    ),
    "time-in-status": (
        measures("status_stays", "time_in_status", "median_time_in_status", group=("past_status",),
                 where=compare("past_status", "is_not_null")), {},
    ),
    "priority-mix": (measures("issues", "points", where=OPEN, group=("priority",)), {}),
    "urgent-issues": (
        rows("issue", "issue", "title", "issue_type", "priority", "status", "assignee",
             where=both(OPEN, hold("urgent"))),
        {},
    ),
    "type-mix": (measures("issues", "done_issues", "points", group=("issue_type",)), {}),
    "issues-with-label": (
        rows("issue", "issue", "title", "status", "priority", "assignee", where=compare("label", "eq", "customer")),
        {"label": "('customer')"},
    ),
    "one-issue": (
        rows("issue", *ISSUE_ROWS, "current_sprint", "is_blocked", "created_at", "started_at", "resolved_at",
             where=compare("issue", "eq", "ACCEL-13")), {"key": "('ACCEL-13')"},
    ),
    "epic-progress": (
        measures("issues", "done_issues", "done_rate", where=hold("has_epic"), group=("epic", "epic_title")), {},
    ),
    "backlog": (
        rows("issue", "issue", "title", "issue_type", "priority", "story_points", "created_at",
             where=hold("in_backlog")),
        {},
    ),
    "work-in-progress": (
        rows("issue", "issue", "title", "status", "story_points", "priority", "assignee", "started_at", "updated_at",
             where=IN_PROGRESS), {},
    ),
    "wip-by-team": (measures("issues", "points", where=IN_PROGRESS, group=("team",)), {}),
    "wip-by-person": (measures("issues", "points", where=both(IN_PROGRESS, ASSIGNED), group=("assignee",)), {}),
    "wip-by-status": (measures("issues", "points", group=("status", "status_category")), {}),
    "issues-in-status": (
        rows("issue", "issue", "title", "status", "story_points", "priority", "assignee", "updated_at",
             where=compare("status", "eq", "QA")), {"status": "('QA')"},
    ),
    "ageing-work": (
        rows("issue", "issue", "title", "status", "assignee", "work_age_days",
             where=both(IN_PROGRESS, compare("started_at", "is_not_null"))), {},
    ),
    "stale-issues": (
        rows("issue", "issue", "title", "status", "assignee", "updated_at", "days_since_update",
             where=both(OPEN, compare("days_since_update", "gt", 14))), {"days": "14"},
    ),
    "oldest-open-issues": (
        rows("issue", "issue", "title", "issue_type", "status", "priority", "created_at", "age_days", where=OPEN,
             order=[{"by": "age_days", "direction": "desc"}], limit=10), {"top": "10"},
    ),
    "workload-of-person": (
        measures("issues", "points", "issues_in_progress", group=("assignee",),
                 where=both(OPEN, compare("assignee", "eq", "Avery Hernandez"))),
        {"person": "(SELECT user_id FROM users WHERE full_name = 'Avery Hernandez')"},
    ),
    "workload-by-person": (
        measures("issues", "points", "issues_in_progress", where=both(OPEN, ASSIGNED), group=("assignee",)), {},
    ),
    "open-issues": (rows("issue", *ISSUE_ROWS, where=OPEN), {}),
    "open-count": (measures("issues", where=OPEN), {}),
    "unassigned-issues": (
        rows("issue", "issue", "title", "issue_type", "status", "priority", where=both(OPEN, hold("unassigned"))), {},
    ),
    "due-issues": (
        rows("issue", "issue", "title", "status", "due_date", "assignee", where=hold("overdue")), {},
    ),
    "added-after-start": (
        rows("membership", "team", "sprint", "issue", "title", "points_at_start", "added_at",
             where=both(hold("added_late"), in_sprints(CURRENT))), {"sprint": "current sprint"},
    ),
    "removed-from-sprint": (
        rows("membership", "team", "sprint", "issue", "title", "points_at_end", "removed_at",
             where=both(hold("removed"), in_sprints(LAST))), {"sprint": "last sprint"},
    ),
    "scope-change-by-sprint": (
        measures("committed_points", "added_points", "removed_points", "added_issues", "removed_issues", "scope_growth",
                 where=in_sprints(LAST_SIX), group=("team", "sprint")), {"sprint": "last 6 sprints"},
    ),
    "scope-changes": (
        rows("scope_change", "team", "sprint", "scope_changed_at", "scope_change", "issue", "title",
             "scope_change_points",
             where=in_sprints(CURRENT)), {"sprint": "current sprint"},
    ),
    "velocity-by-sprint": (
        measures("velocity", where=in_sprints(LAST_SIX), group=("team", "sprint", "day")), {"sprint": "last 6 sprints"},
    ),
    "average-velocity": (
        measures("velocity", "sprints", where=in_sprints(LAST_SIX), group=("team",)), {"sprint": "last 6 sprints"},
    ),
    "points-done-in-sprint": (
        measures("completed_points", where=in_sprints(LAST), group=("team", "sprint")), {"sprint": "last sprint"},
    ),
    "committed-against-completed": (
        measures("committed_points", "completed_points", "committed_issues", "completed_issues",
                 where=in_sprints(LAST_SIX), group=("team", "sprint")), {"sprint": "last 6 sprints"},
    ),
    "completion-rate": (
        measures("committed_issues_in_closed", "committed_and_completed_issues", "completion_rate",
                 where=in_sprints(LAST_SIX), group=("team",)), {"sprint": "last 6 sprints"},
    ),
    "sprints-at-a-glance": (
        measures("sprint_points", "committed_points", "completed_points", "added_points", "removed_points",
                 "carried_over_points", "committed_issues", "completed_issues", where=in_sprints(LAST),
                 group=("team", "sprint", "sprint_state")), {"sprint": "last sprint"},
    ),
    "active-sprints": (
        rows("sprint", "team", "sprint", "sprint_state", "sprint_start", "sprint_end", "sprint_goal", where=CURRENT),
        {"sprint": "current sprint"},
    ),
}  # fmt: skip
