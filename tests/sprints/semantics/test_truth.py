"""Key measures against independently written SQL over the base tables of the shipped organisation."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from tests.sprints.semantics.running import Answer, run_checked

Ask = Callable[..., Answer]

BY_TEAM = {"kind": "dimension", "dimension": "team"}
BY_SPRINT = {"kind": "dimension", "dimension": "sprint"}
OPEN = {"kind": "named", "predicate": "open"}


def team(key: str) -> dict[str, Any]:
    return {"kind": "comparison", "field": "team", "op": "eq", "values": [key]}


def sprints(where: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "in_period", "where": where, **more}


def make_number_filter(number: int, *, op: str = "eq") -> dict[str, Any]:
    return {"kind": "comparison", "field": "sprint_number", "op": op, "values": [number]}


def both(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "and", "parts": list(parts)}


def test_velocity_of_each_closed_sprint(ask: Ask) -> None:
    answer = ask(measures=["velocity"], group_by=[BY_TEAM, BY_SPRINT])

    truth = run_checked("""
        SELECT p.sprint_name, coalesce(sum(m.points_at_end), 0) AS points
        FROM sprints_sprints p LEFT JOIN sprints_sprint_issues m
          ON m.sprint_id = p.sprint_id AND m.done_at >= p.started_at AND m.done_at <= p.completed_at
         AND m.added_at <= p.completed_at AND (m.removed_at IS NULL OR m.removed_at >= p.completed_at)
        WHERE p.state = 'closed' GROUP BY p.sprint_id, p.sprint_name""")
    assert {row["sprint"]: row["velocity"] for row in answer.rows} == {
        row["sprint_name"]: row["points"] for row in truth
    }


def test_the_change_of_velocity_is_since_the_sprint_before_of_the_same_team(ask: Ask) -> None:
    plain = ask(measures=["velocity"], group_by=[BY_TEAM, BY_SPRINT])
    by_team: dict[str, list[tuple[str, Any]]] = {}
    for row in plain.rows:
        by_team.setdefault(row["team"], []).append((row["sprint"], row["velocity"]))
    expected: dict[str, Any] = {}
    for rows in by_team.values():
        rows.sort(key=lambda pair: int(pair[0].rpartition(" ")[2]))
        before = [None, *(velocity for _, velocity in rows[:-1])]
        expected |= {
            sprint: None if earlier is None else velocity - earlier
            for (sprint, velocity), earlier in zip(rows, before, strict=True)
        }

    answer = ask(measures=["velocity"], group_by=[BY_SPRINT], trend=True)

    assert {row["sprint"]: row["velocity_change"] for row in answer.rows} == expected
    assert len(by_team) > 1


def test_velocity_since_sprint_five_is_of_all_later_sprints(ask: Ask) -> None:
    answer = ask(
        measures=["velocity"], group_by=[BY_SPRINT], where=both(team("ACCEL"), sprints(make_number_filter(5, op="ge")))
    )

    assert answer.column("sprint") == [f"ACCEL Sprint {number}" for number in range(5, 9)]


def test_carried_over_issues_of_each_sprint(ask: Ask) -> None:
    answer = ask(measures=["carried_over_issues", "carried_over_points"], group_by=[BY_SPRINT])

    truth = run_checked("""
        SELECT p.sprint_name, count(*) AS issues, coalesce(sum(m.points_at_end), 0) AS points
        FROM sprints_sprint_issues m JOIN sprints_sprints p USING (sprint_id)
        WHERE p.completed_at IS NOT NULL AND m.added_at <= p.completed_at
          AND (m.removed_at IS NULL OR m.removed_at >= p.completed_at)
          AND NOT EXISTS (
            SELECT FROM sprints_status_changes c JOIN sprints_statuses t ON t.status_id = c.to_status_id
            WHERE c.issue_id = m.issue_id AND c.changed_at <= p.completed_at AND t.status_category = 'Done'
              AND NOT EXISTS (SELECT FROM sprints_status_changes d
                              JOIN sprints_statuses u ON u.status_id = d.to_status_id
                              WHERE d.issue_id = c.issue_id AND d.changed_at > c.changed_at
                                AND d.changed_at <= p.completed_at AND u.status_category <> 'Done'))
        GROUP BY p.sprint_name""")
    found = {row["sprint"]: (row["carried_over_issues"], row["carried_over_points"]) for row in answer.rows}
    assert len(found) == run_checked("SELECT count(DISTINCT sprint_id) AS n FROM sprints_sprint_issues")[0]["n"]
    assert {sprint: carried for sprint, carried in found.items() if any(carried)} == {
        row["sprint_name"]: (row["issues"], row["points"]) for row in truth
    }


def test_three_issues_were_blocked_during_sprint_seven_of_their_team(ask: Ask) -> None:
    answer = ask(rows_of="issue", columns=["issue"], where=sprints(make_number_filter(7), how="during", role="blocked"))

    truth = run_checked("""
        SELECT DISTINCT i.issue_key FROM sprints_issues i
        JOIN sprints_blocked_periods b USING (issue_id)
        JOIN sprints_sprint_issues m USING (issue_id)
        JOIN sprints_sprints p ON p.sprint_id = m.sprint_id
        WHERE p.sprint_name LIKE '%Sprint 7' AND b.blocked_at < p.completed_at
          AND (b.unblocked_at IS NULL OR b.unblocked_at > p.started_at)
          AND m.added_at <= p.completed_at AND (m.removed_at IS NULL OR m.removed_at > p.started_at)""")
    assert sorted(answer.column("issue")) == sorted(row["issue_key"] for row in truth)
    assert len(answer.rows) == 3


@pytest.mark.parametrize("key", ["ACCEL", "ORBIT", "HARBOR"])
def test_what_is_left_in_the_active_sprint_is_what_the_history_leaves(ask: Ask, key: str) -> None:
    active = sprints({"kind": "named", "predicate": "sprint_active"})

    answer = ask(measures=["remaining_issues", "remaining_points"], where=both(team(key), active))

    (truth,) = run_checked(
        """
        SELECT count(*) AS issues, coalesce(sum(i.story_points), 0) AS points
        FROM sprints_sprint_issues m JOIN sprints_sprints p USING (sprint_id) JOIN sprints_teams t USING (team_id)
        JOIN sprints_issues i USING (issue_id) JOIN sprints_statuses s USING (status_id)
        WHERE p.state = 'active' AND t.team_key = %s AND m.removed_at IS NULL AND s.status_category <> 'Done'""",
        key,
    )
    assert answer.rows == [{"remaining_issues": truth["issues"], "remaining_points": truth["points"]}]
    listed = ask(rows_of="issue", where=both(team(key), OPEN, active))
    assert len(listed.rows) == truth["issues"]


def test_open_and_done_issues_of_the_active_sprints_are_all_of_them(ask: Ask) -> None:
    active = sprints({"kind": "named", "predicate": "sprint_active"})
    done = {"kind": "named", "predicate": "done"}

    every, opened, closed = (
        ask(measures=["issues"], where=where).value for where in (active, both(active, OPEN), both(active, done))
    )

    assert opened + closed == every
    assert opened == ask(measures=["remaining_issues"], where=active).value


def test_ten_open_issues_are_labelled_customer(ask: Ask) -> None:
    where = both(OPEN, {"kind": "comparison", "field": "label", "op": "eq", "values": ["customer"]})

    truth = run_checked("""
        SELECT count(*) AS issues FROM sprints_issues JOIN sprints_statuses s USING (status_id)
        WHERE 'customer' = ANY (labels) AND s.status_category <> 'Done'""")
    assert ask(measures=["issues"], where=where).value == truth[0]["issues"] == 10


def test_sprints_of_accel_are_counted(ask: Ask) -> None:
    truth = run_checked("SELECT count(*) AS n FROM sprints_sprints JOIN sprints_teams USING (team_id) "
                        "WHERE team_key = 'ACCEL'")  # fmt: skip

    assert ask(measures=["sprints"], where=team("ACCEL")).value == truth[0]["n"]


def test_created_and_resolved_by_month_cover_the_whole_range(ask: Ask) -> None:
    answer = ask(measures=["created_issues", "resolved_issues"], group_by=[{"kind": "time", "grain": "month"}])

    truth = run_checked("""
        SELECT month::date, (SELECT count(*) FROM sprints_issues WHERE date_trunc('month', created_at, 'UTC') = month)
                 AS created,
               (SELECT count(*) FROM sprints_issues i JOIN sprints_statuses s USING (status_id)
                WHERE s.status_category = 'Done' AND date_trunc('month', resolved_at, 'UTC') = month) AS resolved
        FROM generate_series((SELECT date_trunc('month', min(created_at), 'UTC') FROM sprints_issues),
                             (SELECT max(coalesce(resolved_at, created_at)) FROM sprints_issues), '1 month') AS month
        ORDER BY 1""")
    assert [(row["month"], row["created_issues"], row["resolved_issues"]) for row in answer.rows] == [
        (row["month"], row["created"], row["resolved"]) for row in truth
    ]


def test_points_completed_in_a_year_are_one_number(ask: Ask) -> None:
    (truth,) = run_checked("""
        WITH latest AS (SELECT date_trunc('year', max(resolved_at), 'UTC') AS year FROM sprints_issues)
        SELECT extract(year FROM year)::int AS year, (SELECT sum(story_points) FROM sprints_issues
          WHERE resolved_at >= year) AS points FROM latest""")
    year = truth["year"]

    where = {"kind": "time", "start": f"{year}-01-01", "end": f"{year + 1}-01-01"}
    assert ask(measures=["resolved_points"], where=where).value == truth["points"]


def test_the_median_cycle_time_is_from_the_first_move_into_progress_until_done(ask: Ask) -> None:
    answer = ask(measures=["cycle_time", "resolved_issues"], group_by=[BY_TEAM])

    truth = run_checked("""
        SELECT t.team_key, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY
                 round(extract(epoch FROM i.resolved_at - began.at) / 86400, 2))::numeric, 2) AS days
        FROM sprints_issues i JOIN sprints_teams t USING (team_id) JOIN sprints_statuses s USING (status_id),
        LATERAL (SELECT min(c.changed_at) AS at FROM sprints_status_changes c
                 JOIN sprints_statuses u ON u.status_id = c.to_status_id
                 WHERE c.issue_id = i.issue_id AND u.status_category = 'In Progress') AS began
        WHERE s.status_category = 'Done' AND began.at IS NOT NULL GROUP BY t.team_key""")
    assert {row["team"]: row["cycle_time"] for row in answer.rows} == {row["team_key"]: row["days"] for row in truth}


def test_the_goal_of_a_sprint_is_a_column(ask: Ask) -> None:
    where = {"kind": "comparison", "field": "sprint", "op": "eq", "values": ["HARBOR Sprint 9"]}

    answer = ask(rows_of="sprint", columns=["sprint", "sprint_goal"], where=where)

    truth = run_checked("SELECT sprint_name AS sprint, goal AS sprint_goal FROM sprints_sprints "
                        "WHERE sprint_name = 'HARBOR Sprint 9'")  # fmt: skip
    assert answer.rows == truth


def test_days_blocked_in_a_period_are_those_within_it_and_months_sum_to_the_whole(ask: Ask) -> None:
    by_month = ask(measures=["blocked_days"], group_by=[{"kind": "time", "grain": "month"}])
    october = ask(measures=["blocked_days"], where={"kind": "time", "start": "2026-10-01", "end": "2026-11-01"})

    truth = run_checked("""
        SELECT month::date, round(sum(extract(epoch FROM least(ended, month + interval '1 month')
                                                         - greatest(blocked_at, month)) / 86400), 1) AS days
        FROM (SELECT blocked_at AT TIME ZONE 'UTC' AS blocked_at, coalesce(unblocked_at,
                (SELECT max(data_as_of) FROM sprints_organisations)) AT TIME ZONE 'UTC' AS ended
              FROM sprints_blocked_periods) AS b,
             LATERAL generate_series(date_trunc('month', blocked_at), ended, interval '1 month') AS month
        GROUP BY month ORDER BY month""")
    assert [(row["month"], row["blocked_days"]) for row in by_month.rows] == [
        (row["month"], row["days"]) for row in truth
    ]
    assert october.value == next(row["days"] for row in truth if row["month"] == date(2026, 10, 1))


def test_the_leader_of_each_sprint_has_some_and_sprints_are_in_the_order_of_time(ask: Ask) -> None:
    answer = ask(
        measures=["completed_points"],
        group_by=[BY_SPRINT, {"kind": "dimension", "dimension": "assignee"}],
        where={"kind": "comparison", "field": "team", "op": "eq", "values": ["ACCEL"]},
        rank={"count": 1, "by": "completed_points", "direction": "desc", "within": ["sprint"]},
        limit=1000,
    )

    truth = run_checked("""
        WITH points AS (
            SELECT p.sprint_name, p.started_at, m.issue_id, m.points_at_end FROM sprints_sprints p
            JOIN sprints_sprint_issues m ON m.sprint_id = p.sprint_id AND m.done_at >= p.started_at
             AND m.done_at <= coalesce(p.completed_at, m.done_at) AND m.added_at <= coalesce(p.completed_at, m.done_at)
             AND (m.removed_at IS NULL OR m.removed_at >= coalesce(p.completed_at, m.removed_at))
            JOIN sprints_teams t ON t.team_id = p.team_id AND t.team_key = 'ACCEL')
        SELECT sprint_name FROM points WHERE points_at_end > 0 GROUP BY sprint_name ORDER BY min(started_at)""")
    assert list(dict.fromkeys(row["sprint"] for row in answer.rows)) == [row["sprint_name"] for row in truth]
    assert all(row["completed_points"] > 0 for row in answer.rows)
