"""SQL of boards over the views that agents see, so that pages, the admin and tools agree. Each has a limit."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from toolbox.database.pools import Pool

DAYS = """
SELECT d.day, d.scope_points, d.completed_points, d.remaining_points, d.scope_issues, d.remaining_issues,
       CASE WHEN s.state = 'active' THEN s.end_date END AS planned_end
FROM sprintscope.sprint_days AS d JOIN sprintscope.sprints AS s USING (sprint_id)
WHERE d.sprint_id = %s ORDER BY d.day LIMIT 200
"""
SUMMARY = "SELECT * FROM sprintscope.sprint_summary WHERE sprint_id = %s LIMIT 1"
CHANGES = """
SELECT c.changed_at, i.issue_id, i.issue_key, i.title, c.change, c.points_change
FROM sprintscope.scope_changes AS c JOIN sprintscope.issues AS i USING (issue_id)
WHERE c.sprint_id = %s ORDER BY c.changed_at, i.issue_key LIMIT 200
"""
CARRIED = """
SELECT i.issue_id, i.issue_key, i.title, u.full_name, m.points_at_end, i.status,
       (SELECT count(*) FROM sprintscope.sprint_issues AS all_of_it
        WHERE all_of_it.issue_id = i.issue_id AND all_of_it.was_carried_over) AS times
FROM sprintscope.sprint_issues AS m
JOIN sprintscope.issues AS i USING (issue_id)
LEFT JOIN sprintscope.users AS u ON u.user_id = i.assignee_id
WHERE m.sprint_id = %s AND m.was_carried_over
ORDER BY m.points_at_end DESC NULLS LAST, i.issue_key LIMIT 200
"""
_BROUGHT = """
SELECT count(*) AS issues, coalesce(sum(m.points_at_start), 0) AS points
FROM sprintscope.sprint_issues AS m JOIN sprintscope.sprints AS p USING (sprint_id)
WHERE m.sprint_id = %s AND EXISTS (
  SELECT FROM sprintscope.sprint_issues AS before JOIN sprintscope.sprints AS q USING (sprint_id)
  WHERE before.issue_id = m.issue_id AND before.was_carried_over AND q.started_at < p.started_at)
LIMIT 1
"""
VELOCITY = """
SELECT * FROM (
  SELECT sprint_id, sprint_name, started_at, committed_points, completed_points, added_points, carried_over_points
  FROM sprintscope.sprint_summary
  WHERE sprint_id = ANY (ARRAY(
    SELECT sprint_id FROM sprintscope.sprints WHERE team_id = %s AND state = 'closed' AND started_at IS NOT NULL
    ORDER BY started_at DESC LIMIT 16))
  LIMIT 16
) AS latest ORDER BY started_at
"""
_DONE = """
SELECT * FROM (
  SELECT issue_id, issue_key, resolved_at, cycle_time_days FROM sprintscope.issues
  WHERE team_id = %s AND resolved_at IS NOT NULL AND started_at IS NOT NULL
  ORDER BY resolved_at DESC LIMIT 400
) AS latest ORDER BY resolved_at LIMIT 400
"""
_MONTHS = """
SELECT date_trunc('month', resolved_at AT TIME ZONE 'UTC')::date AS month, count(*) AS issues,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cycle_time_days)::numeric, 1) AS median,
       round(percentile_cont(0.85) WITHIN GROUP (ORDER BY cycle_time_days)::numeric, 1) AS slow
FROM (
  SELECT resolved_at, cycle_time_days FROM sprintscope.issues
  WHERE team_id = %s AND resolved_at IS NOT NULL AND started_at IS NOT NULL
  ORDER BY resolved_at DESC LIMIT 400
) AS latest GROUP BY 1 ORDER BY 1 LIMIT 60
"""
_AT_WORK = """
SELECT i.issue_id, i.issue_key, i.title, i.status, i.story_points, u.full_name, i.is_blocked,
       round(extract(epoch FROM t.data_as_of - i.started_at) / 86400, 1) AS age_days,
       round(extract(epoch FROM t.data_as_of - coalesce(
         (SELECT max(c.changed_at) FROM sprintscope.status_changes AS c WHERE c.issue_id = i.issue_id), i.started_at
       )) / 86400, 1) AS status_days
FROM sprintscope.issues AS i
JOIN sprintscope.teams AS t USING (team_id)
LEFT JOIN sprintscope.users AS u ON u.user_id = i.assignee_id
WHERE i.team_id = %s AND i.status_category = 'In Progress' AND i.started_at <= t.data_as_of
ORDER BY i.started_at, i.issue_key LIMIT 200
"""
_TEAMS = """
SELECT team_id, team_key, team_name, organisation_name, data_as_of
FROM sprintscope.teams ORDER BY team_key, organisation_name, team_id LIMIT 500
"""
_SPRINTS = """
SELECT sprint_id, sprint_name, state, goal, started_at, ends_at, completed_at
FROM sprintscope.sprints WHERE team_id = %s
ORDER BY coalesce(started_at, ends_at, 'infinity') DESC, sprint_name DESC LIMIT 200
"""
_TEAM_CALLED = """
SELECT team_id, team_key, data_as_of FROM sprintscope.teams
WHERE data_as_of IS NOT NULL
  AND (team_id::text = lower(%(name)s) OR lower(team_key) = lower(%(name)s) OR lower(team_name) = lower(%(name)s))
LIMIT 2
"""
# Whole weeks back from the latest data, none before the team's first issue.
_WEEKS_DONE = """
SELECT weeks.ago, count(i.issue_id) AS issues, coalesce(sum(i.story_points), 0) AS points,
       count(i.issue_id) FILTER (WHERE i.story_points IS NULL) AS unestimated
FROM sprintscope.teams AS t
CROSS JOIN LATERAL (SELECT min(created_at) AS at FROM sprintscope.issues WHERE team_id = t.team_id) AS first
CROSS JOIN LATERAL generate_series(
  1, least(%(most)s, floor(extract(epoch FROM t.data_as_of - first.at) / 604800))::int
) AS weeks (ago)
LEFT JOIN (
  SELECT i.issue_id, i.story_points, 1 + floor(extract(epoch FROM o.data_as_of - i.resolved_at) / 604800)::int AS ago
  FROM sprintscope.teams AS o JOIN sprintscope.issues AS i USING (team_id)
  WHERE o.team_id = %(team)s AND i.team_id = %(team)s AND i.resolved_at <= o.data_as_of
    AND i.resolved_at > o.data_as_of - 52 * interval '7 days'
) AS i ON i.ago = weeks.ago
WHERE t.team_id = %(team)s AND first.at IS NOT NULL
GROUP BY weeks.ago ORDER BY weeks.ago DESC LIMIT 60
"""
_SPRINTS_DONE = """
SELECT * FROM (
  SELECT started_at, completed_issues AS issues, completed_points AS points, unestimated_issues AS unestimated
  FROM sprintscope.sprint_summary
  WHERE sprint_id = ANY (ARRAY(
    SELECT sprint_id FROM sprintscope.sprints WHERE team_id = %(team)s AND state = 'closed' AND started_at IS NOT NULL
    ORDER BY started_at DESC LIMIT %(most)s))
  LIMIT %(most)s
) AS latest ORDER BY started_at
"""
_OPEN_WORK = """
SELECT t.data_as_of,
       (SELECT coalesce(sum(p.remaining_issues), 0) FROM sprintscope.sprint_summary AS p
        WHERE p.sprint_id = ANY (ARRAY(SELECT s.sprint_id FROM sprintscope.sprints AS s
                                       WHERE s.team_id = t.team_id AND s.state = 'active'))) AS sprint_issues,
       (SELECT count(*) FROM sprintscope.issues AS i
        WHERE i.team_id = t.team_id AND i.status_category <> 'Done') AS open_issues
FROM sprintscope.teams AS t WHERE t.team_id = %s LIMIT 1
"""
_TEAM_OF = "SELECT team_id FROM sprintscope.sprints WHERE sprint_id = %s LIMIT 1"

Rows = list[dict[str, Any]]


def days(sprint_id: UUID) -> Rows:
    """Return the state at the end of each day of a sprint."""
    return _rows(DAYS, [sprint_id])


def summary(sprint_id: UUID) -> dict[str, Any]:
    """Return the summary of a sprint."""
    return _rows(SUMMARY, [sprint_id])[0]


def scope_changes(sprint_id: UUID) -> Rows:
    """Return the scope changes of a sprint, at most 200."""
    return _rows(CHANGES, [sprint_id])


def fetch_carry_over(sprint_id: UUID) -> Rows:
    """Return the unfinished issues of a sprint, at most 200."""
    return _rows(CARRIED, [sprint_id])


def count_brought_in(sprint_id: UUID) -> dict[str, Any]:
    """Count the issues carried over from an earlier sprint."""
    return _rows(_BROUGHT, [sprint_id])[0]


def velocity(team_id: UUID) -> Rows:
    """Return a team's last sixteen closed sprints, in order."""
    return _rows(VELOCITY, [team_id])


def done(team_id: UUID) -> Rows:
    """Return a team's last 400 finished issues with their cycle times, in order."""
    return _rows(_DONE, [team_id])


def cycle_times_by_month(team_id: UUID) -> Rows:
    """Return the medians and 85th percentiles of those by month."""
    return _rows(_MONTHS, [team_id])


def at_work(team_id: UUID) -> Rows:
    """Return a team's work in progress, the oldest first, at most 200. Ages count to the data's moment, not to now."""
    return _rows(_AT_WORK, [team_id])


def weeks_done(team_id: UUID) -> Rows:
    """Count what a team finished in each of the last twelve weeks of its data, the oldest first."""
    return _rows(_WEEKS_DONE, {"team": team_id, "most": 12})


def open_work(team_id: UUID) -> dict[str, Any]:
    """Count the open issues of a team, and those left in its active sprints."""
    return _rows(_OPEN_WORK, [team_id])[0]


def teams() -> Rows:
    """Return the teams by their keys, at most 500."""
    return _rows(_TEAMS)


def sprints(team_id: UUID) -> Rows:
    """Return a team's sprints, future ones first, then the latest, at most 200."""
    return _rows(_SPRINTS, [team_id])


def team_of(sprint_id: UUID) -> UUID | None:
    """Return the team of a sprint."""
    found = _rows(_TEAM_OF, [sprint_id])
    return found[0]["team_id"] if found else None


async def find_teams(reader: Pool, *, name: str) -> Rows:
    """Return the team of this id, key or name that has data. Two if several match."""
    return (await reader.fetch(_TEAM_CALLED, {"name": name})).rows


async def list_team_keys(reader: Pool) -> list[str]:
    """List the keys of teams, at most 500."""
    return [row["team_key"] for row in (await reader.fetch(_TEAMS, {})).rows]


async def read_throughput(reader: Pool, *, team_id: UUID, basis: str, most: int) -> Rows:
    """Read what a team finished in its last weeks or closed sprints, the oldest first."""
    statement = _WEEKS_DONE if basis == "weeks" else _SPRINTS_DONE
    return (await reader.fetch(statement, {"team": team_id, "most": most})).rows


def _rows(statement: str, keys: Sequence[UUID] | Mapping[str, Any] = ()) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(statement, keys)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
