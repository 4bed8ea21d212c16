"""What was so before, moves into a status, re-estimates and durations: beside statements over the histories."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

LIST = "SELECT i.issue_key FROM issues AS i JOIN teams AS t USING (team_id) WHERE {} LIMIT 1000"
COUNT = "SELECT count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE {}"
DONE = "i.status_category = 'Done'"
BLOCKED = "EXISTS (SELECT 1 FROM blocked_periods AS b WHERE b.issue_id = i.issue_id{})"
BEGAN = " AND b.blocked_at >= '{}' AND b.blocked_at < '{}'"
MOVED = "i.issue_id IN (SELECT h.issue_id FROM status_changes AS h WHERE {})"
LAST_WEEK = "h.changed_at >= '2026-11-09' AND h.changed_at < '2026-11-16'"
YESTERDAY = "h.changed_at >= '2026-11-17' AND h.changed_at < '2026-11-18'"
OCTOBER = "h.changed_at >= '2026-10-01' AND h.changed_at < '2026-11-01'"
ESTIMATED = "i.issue_id IN (SELECT h.issue_id FROM points_changes AS h WHERE h.from_points IS NOT NULL AND {})"
REOPENED = MOVED.format("h.from_category = 'Done' AND h.to_category <> 'Done'")
IN_QA = "EXISTS (SELECT 1 FROM status_changes AS h WHERE h.issue_id = i.issue_id AND h.to_status = '{}')"
STATUS_OF_DAY = (
    "(SELECT h.to_status FROM status_changes AS h WHERE h.issue_id = i.issue_id AND h.changed_at < '{}' "
    "ORDER BY h.changed_at DESC LIMIT 1)"
)
MOVES = (
    "SELECT i.issue_key, i.title, h.changed_at, h.from_status, h.to_status, u.full_name FROM status_changes AS h "
    "JOIN issues AS i USING (issue_id) LEFT JOIN users AS u ON u.user_id = h.changed_by_id WHERE {} LIMIT 1000"
)
BLOCKED_DAYS = (
    "SELECT round(CAST(coalesce(sum(extract(epoch FROM least(coalesce(b.unblocked_at, s.as_of), '2026-11-01') "
    "- greatest(b.blocked_at, '2026-10-01')) / 86400), 0) AS numeric), 1) AS days FROM blocked_periods AS b "
    "JOIN issues AS i USING (issue_id) CROSS JOIN snapshot AS s WHERE {} AND b.blocked_at < '2026-11-01' "
    "AND coalesce(b.unblocked_at, s.as_of) > '2026-10-01'"
)
STAYED = "avg(extract(epoch FROM coalesce(b.unblocked_at, s.as_of) - b.blocked_at) / 86400)"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("which done issues were blocked", LIST.format(f"{DONE} AND {BLOCKED.format('')}")),
        ("issues which have been blocked and are done", LIST.format(f"{DONE} AND {BLOCKED.format('')}")),
        ("stories that were blocked and are finished",
         LIST.format(f"{DONE} AND i.issue_type = 'Story' AND {BLOCKED.format('')}")),
        ("p0 issues that were blocked", LIST.format(f"i.priority = 'p0' AND {BLOCKED.format('')}")),
        ("which p0 issues have been blocked", LIST.format(f"i.priority = 'p0' AND {BLOCKED.format('')}")),
        ("bugs that were not blocked", LIST.format(f"i.issue_type = 'Bug' AND NOT {BLOCKED.format('')}")),
        ("which epics had blocked issues",
         LIST.format("i.issue_type = 'Epic' AND i.issue_id IN (SELECT p.epic_id FROM issues AS p "
                     "JOIN blocked_periods AS b USING (issue_id))")),
        ("how many issues were blocked", COUNT.format(BLOCKED.format(""))),
        ("which bugs are blocked", LIST.format("i.issue_type = 'Bug' AND i.is_blocked")),
        ("issues that got blocked this week",
         LIST.format(BLOCKED.format(BEGAN.format("2026-11-16", "2026-11-23")))),
        ("what got blocked this week", LIST.format(BLOCKED.format(BEGAN.format("2026-11-16", "2026-11-23")))),
        ("how many issues got blocked in October",
         COUNT.format(BLOCKED.format(BEGAN.format("2026-10-01", "2026-11-01")))),
        ("issues that were in review and are done",
         LIST.format(f"{DONE} AND ({IN_QA.format('In Review')} OR {IN_QA.format('Code Review')})")),
        ("which bugs have been in QA", LIST.format(f"i.issue_type = 'Bug' AND {IN_QA.format('QA')}")),
        ("issues that were in QA on 1 October", LIST.format(f"{STATUS_OF_DAY.format('2026-10-02')} = 'QA'")),
        ("what was in QA yesterday", LIST.format(f"{STATUS_OF_DAY.format('2026-11-18')} = 'QA'")),
        ("issues that were reopened and are open again", LIST.format(f"NOT {DONE} AND {REOPENED}")),
        ("stories that are open again", LIST.format(f"NOT {DONE} AND {REOPENED} AND i.issue_type = 'Story'")),
        ("which bugs came back after being closed", LIST.format(f"{REOPENED} AND i.issue_type = 'Bug'")),
    ],
)  # fmt: skip
def test_what_was_so_at_any_time_is_read_from_the_history(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many tickets went into QA last week", COUNT.format(MOVED.format(f"h.to_status = 'QA' AND {LAST_WEEK}"))),
        ("last week, how many tickets moved to QA?", COUNT.format(MOVED.format(f"h.to_status = 'QA' AND {LAST_WEEK}"))),
        ("what moved to in review yesterday",
         LIST.format(MOVED.format(f"h.to_status IN ('In Review', 'Code Review') AND {YESTERDAY}"))),
        ("which issues entered QA yesterday", LIST.format(MOVED.format(f"h.to_status = 'QA' AND {YESTERDAY}"))),
        ("which stories moved from QA to Done in October",
         LIST.format("i.issue_type = 'Story' AND " + MOVED.format(
             f"h.from_status = 'QA' AND h.to_status = 'Done' AND {OCTOBER}"))),
        ("what was moved from QA yesterday", LIST.format(MOVED.format(f"h.from_status = 'QA' AND {YESTERDAY}"))),
        ("tickets moved to QA last week that are done",
         LIST.format(f"{DONE} AND " + MOVED.format(f"h.to_status = 'QA' AND {LAST_WEEK}"))),
        ("which bugs created in October moved to QA",
         LIST.format("i.issue_type = 'Bug' AND i.created_at >= '2026-10-01' AND i.created_at < '2026-11-01' AND "
                     + MOVED.format("h.to_status = 'QA'"))),
        ("when did ACCEL-82 go into QA", MOVES.format("i.issue_key = 'ACCEL-82' AND h.to_status = 'QA'")),
        ("when was ACCEL-82 moved to Done", MOVES.format("i.issue_key = 'ACCEL-82' AND h.to_status = 'Done'")),
        ("status history of ACCEL-40", MOVES.format("i.issue_key = 'ACCEL-40'")),
        ("how many status changes per person",
         ("SELECT u.full_name, count(*) AS n FROM status_changes AS h JOIN users AS u ON u.user_id = h.changed_by_id "
          "GROUP BY u.user_id, u.full_name LIMIT 1000")),
        ("issues whose estimate changed in October", LIST.format(ESTIMATED.format(OCTOBER))),
        ("bugs whose points were changed last month",
         LIST.format(f"i.issue_type = 'Bug' AND {ESTIMATED.format(OCTOBER)}")),
        ("how did the scope of HARBOR sprint 9 change",
         ("SELECT s.sprint_name, c.changed_at, c.change, i.issue_key, i.title, c.points_change FROM scope_changes AS c "
          "JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
          "WHERE s.sprint_name = 'HARBOR Sprint 9' LIMIT 1000")),
        ("points re-estimated during sprint 8",
         ("SELECT t.team_key, coalesce(sum(i.story_points), 0) AS points FROM teams AS t LEFT JOIN issues AS i "
          "ON i.team_id = t.team_id AND i.issue_id IN "
          "(SELECT h.issue_id FROM points_changes AS h JOIN sprint_issues AS m USING (issue_id) "
          "JOIN sprints AS s ON s.sprint_id = m.sprint_id AND s.sprint_name LIKE '% Sprint 8' "
          "WHERE h.from_points IS NOT NULL AND h.changed_at >= s.started_at AND h.changed_at < s.completed_at) "
          "GROUP BY t.team_key LIMIT 1000")),
        ("did we pull anything into the harbor sprint after it began?",
         ("SELECT s.sprint_name, i.issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
          "JOIN issues AS i USING (issue_id) WHERE s.sprint_name = 'HARBOR Sprint 9' AND m.was_added_after_start "
          "LIMIT 1000")),
    ],
)  # fmt: skip
def test_a_change_is_read_from_the_history_of_changes(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many days was ACCEL-88 blocked in October?", BLOCKED_DAYS.format("i.issue_key = 'ACCEL-88'")),
        ("how long were bugs blocked in October", BLOCKED_DAYS.format("i.issue_type = 'Bug'")),
        ("issue with the longest time blocked",
         ("SELECT i.issue_key FROM issues AS i JOIN blocked_periods AS b USING (issue_id) CROSS JOIN snapshot AS s "
          "GROUP BY i.issue_key ORDER BY sum(coalesce(b.unblocked_at, s.as_of) - b.blocked_at) DESC LIMIT 1")),
        ("how long does a ticket stay blocked on average, per team",
         (f"SELECT t.team_key, round(CAST({STAYED} AS numeric), 2) AS days FROM blocked_periods AS b "
          "JOIN issues AS i USING (issue_id) JOIN teams AS t USING (team_id) CROSS JOIN snapshot AS s "
          "GROUP BY t.team_key LIMIT 1000")),
        ("how long do bugs stay in QA on average",
         ("SELECT round(CAST(avg(extract(epoch FROM p.left_at - p.entered_at) / 86400) AS numeric), 2) AS days "
          "FROM status_periods AS p JOIN issues AS i USING (issue_id) "
          "WHERE i.issue_type = 'Bug' AND p.status = 'QA' AND p.left_at IS NOT NULL")),
        ("how long are bugs blocked on average",
         (f"SELECT round(CAST({STAYED} AS numeric), 2) AS days FROM blocked_periods AS b "
          "JOIN issues AS i USING (issue_id) CROSS JOIN snapshot AS s WHERE i.issue_type = 'Bug'")),
        ("how long did ORBIT-82 take from start to finish",
         ("SELECT issue_key, title, round(CAST(extract(epoch FROM resolved_at - started_at) / 86400 AS numeric), 2) "
          "AS days FROM issues WHERE issue_key = 'ORBIT-82'")),
        ("average time to fix a bug, by priority",
         ("SELECT priority, round(CAST(avg(extract(epoch FROM resolved_at - created_at) / 86400) AS numeric), 2) AS n "
          "FROM issues WHERE issue_type = 'Bug' AND status_category = 'Done' GROUP BY priority LIMIT 1000")),
        ("most recent closed ticket per person",
         ("SELECT u.full_name, i.issue_key FROM users AS u CROSS JOIN LATERAL (SELECT issue_key FROM issues "
          "WHERE assignee_id = u.user_id AND status_category = 'Done' ORDER BY resolved_at DESC LIMIT 1) AS i "
          "LIMIT 1000")),
        ("most recent bug closed",
         ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category = 'Done' "
          "ORDER BY resolved_at DESC LIMIT 1")),
        ("bugs where the time spent exceeded the estimate",
         LIST.format("i.issue_type = 'Bug' AND i.time_spent_hours > i.original_estimate_hours")),
        ("issues whose time spent is over the estimate",
         LIST.format("i.time_spent_hours > i.original_estimate_hours")),
        ("sprints where nothing was carried over",
         ("SELECT sprint_name FROM sprints AS s WHERE state = 'closed' AND NOT EXISTS "
          "(SELECT 1 FROM sprint_issues AS m WHERE m.sprint_id = s.sprint_id AND m.was_carried_over) LIMIT 1000")),
        ("how many days left in the current sprint",
         ("SELECT t.team_key, s.sprint_name, round(CAST(extract(epoch FROM s.ends_at - n.as_of) / 86400 AS numeric), "
          "1) AS days FROM sprints AS s JOIN teams AS t USING (team_id) CROSS JOIN snapshot AS n "
          "WHERE s.state = 'active' LIMIT 1000")),
        ("what needs code review in accel", LIST.format("t.team_key = 'ACCEL' AND i.status = 'Code Review'")),
        ("what needs QA", LIST.format("i.status = 'QA'")),
        ("bugs that need an estimate",
         LIST.format(f"i.issue_type = 'Bug' AND i.story_points IS NULL AND NOT {DONE}")),
    ],
)  # fmt: skip
def test_a_duration_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_a_share_of_overruns_is_of_issues_that_have_both_numbers() -> None:
    assert_same_rows(
        "percentage of issues where the time spent went over the estimate",
        truth="SELECT count(*) AS n, count(*) FILTER (WHERE time_spent_hours > original_estimate_hours) AS over, "
        "round(100.0 * count(*) FILTER (WHERE time_spent_hours > original_estimate_hours) / count(*), 1) AS share "
        "FROM issues WHERE original_estimate_hours IS NOT NULL AND time_spent_hours IS NOT NULL",
    )


def test_the_history_of_a_status_begins_with_the_first_move() -> None:
    moments = [str(row["status_changed_at"]) for row in ask("status history of ACCEL-40").rows]

    assert moments == sorted(moments)


@pytest.mark.parametrize(
    "question",
    [
        "hours by sprint",
        "how many issues were in progress",
        "how many bugs were open",
        "issues that were in QA and are now in progress",
        "Has ACCEL-104 been in code review?",
        "which bugs were in QA last week",
        "what went to QA in sprint 8",
        "when did bugs move to QA",
        "how many bugs did Priya move to QA",
        "issues never moved to QA",
        "issues not moved to QA last week",
        "tickets moved to QA and closed last week",
        "how many tickets were moved to QA or Done last week",
        "how many tickets went to QA per week",
        "how many status changes did Priya have",
        "status changes of Priya in October",
        "issues whose priority changed in October",
        "tickets with changed estimates",
        "what needs Priya",
        "who needs QA",
        "the most recent bug to be closed",
        "most recent blocked issue",
        "which issues moved back to In Progress last week",
        "issues that were blocked and in QA",
        "which issues were blocked and for how long",
        "which issue has been blocked the longest",
        "average carried-over issues by sprint",
        "how many days of work are left in the sprint",
    ],
)
def test_what_has_no_place_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
