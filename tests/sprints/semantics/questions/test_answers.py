"""Words that change the meaning change the rows: answers of the chat beside statements written independently."""

from datetime import UTC, datetime

import pytest

from sprints.asking.chat import ChatAnswer, chat
from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from toolbox.database import event_loop
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
TEAM = "(SELECT team_id FROM teams WHERE team_key = '{}')"
pytestmark = pytest.mark.usefixtures("django_db_setup")


def ask(question: str) -> ChatAnswer:
    return event_loop.run(chat(question, now=NOW, reader=reader, model=None))


TRUTHS = [
    ("customer-labelled issues still open",
     "SELECT issue_key FROM issues WHERE 'customer' = ANY(labels) AND status_category <> 'Done' LIMIT 1000"),
    ("velocity of ACCEL since sprint 5",
     (f"SELECT sprint_name, completed_points FROM sprint_summary WHERE team_id = {TEAM.format('ACCEL')} "
     "AND state = 'closed' AND substring(sprint_name FROM '[0-9]+$')::int >= 5 LIMIT 1000")),
    ("How many sprints has ACCEL had?", (f"SELECT count(*) AS n FROM sprints WHERE team_id = {TEAM.format('ACCEL')} "
     "AND started_at IS NOT NULL")),
    ("What was blocked in sprint 7?",
     ("SELECT DISTINCT i.issue_key FROM blocked_periods AS b JOIN issues AS i USING (issue_id) "
     "JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id "
     "WHERE s.sprint_name LIKE '% Sprint 7' AND b.blocked_at < s.completed_at "
     "AND coalesce(b.unblocked_at, 'infinity') > s.started_at LIMIT 1000")),
    ("created vs resolved each month",
     ("SELECT month, sum(created) AS created, sum(resolved) AS resolved FROM ("
     "SELECT date_trunc('month', created_at)::date AS month, 1 AS created, 0 AS resolved FROM issues UNION ALL "
     "SELECT date_trunc('month', resolved_at)::date, 0, 1 FROM issues WHERE resolved_at IS NOT NULL) AS every "
     "GROUP BY month LIMIT 1000")),
    ("goal of HARBOR Sprint 9?", "SELECT goal FROM sprints WHERE sprint_name = 'HARBOR Sprint 9'"),
    ("total points completed this year",
     "SELECT sum(story_points) AS points FROM issues WHERE status_category = 'Done' AND resolved_at >= '2026-01-01'"),
    ("Which team closed the fewest bugs last month?",
     ("SELECT t.team_key, count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE i.issue_type = 'Bug' "
     "AND i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01' GROUP BY 1 ORDER BY 2 LIMIT 1")),
    ("issues that are neither done nor blocked",
     "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND NOT is_blocked LIMIT 1000"),
    ("How many issues were blocked last month?",
     ("SELECT count(DISTINCT issue_id) AS n FROM blocked_periods WHERE blocked_at < '2026-11-01' "
     "AND coalesce(unblocked_at, 'infinity') > '2026-10-01'")),
    ("open issues except bugs",
     "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND issue_type <> 'Bug' LIMIT 1000"),
    ("issues created in October but not done",
     ("SELECT issue_key FROM issues WHERE created_at >= '2026-10-01' AND created_at < '2026-11-01' "
     "AND status_category <> 'Done' LIMIT 1000")),
    ("Who has more than 3 open issues?",
     ("SELECT u.full_name, count(*) AS n FROM issues AS i JOIN users AS u ON u.user_id = i.assignee_id "
     "WHERE i.status_category <> 'Done' GROUP BY u.user_id, u.full_name HAVING count(*) > 3 LIMIT 1000")),
    ("bugs closed last month vs this month",
     ("SELECT CASE WHEN resolved_at < '2026-11-01' THEN 'last month' ELSE 'this month' END AS side, count(*) AS n "
     "FROM issues WHERE issue_type = 'Bug' AND resolved_at >= '2026-10-01' GROUP BY 1")),
    ("How many points were completed in sprints in total by each team?",
     ("SELECT team_key, sum(completed_points) AS points FROM sprint_summary JOIN teams USING (team_id) "
     "GROUP BY team_key")),
    ("How many points did sprint 3 deliver?",
     ("SELECT team_key, completed_points FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE sprint_name LIKE '% Sprint 3'")),
    ("How many issues were added to and removed from ACCEL Sprint 6?",
     "SELECT added_issues, removed_issues FROM sprint_summary WHERE sprint_name = 'ACCEL Sprint 6'"),
    ("Top 3 people by story points completed in October 2026",
     ("SELECT full_name, sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id "
     "WHERE resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01' GROUP BY user_id, full_name "
     "ORDER BY points DESC FETCH FIRST 3 ROWS WITH TIES")),
    ("What was the scope change in points of HARBOR Sprint 5?",
     ("SELECT sum(points_change) AS points FROM scope_changes JOIN sprints USING (sprint_id) "
     "WHERE sprint_name = 'HARBOR Sprint 5'")),
    ("What percentage of open issues are bugs?",
     ("SELECT round(100.0 * count(*) FILTER (WHERE issue_type = 'Bug') / count(*), 1) AS percent FROM issues "
     "WHERE status_category <> 'Done'")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.error is None

    answer = ask(question)

    assert answer.source == "layer", answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.sql, answer.rows[:5], gold.rows[:5])


@pytest.mark.parametrize("question", ["status?", "Committed vs finished work lately", "slowest issues on average"])
def test_a_verified_query_that_says_less_than_the_question_does_not_answer_it(question: str) -> None:
    assert ask(question).is_ambiguous


def test_what_is_left_in_a_sprint_is_what_the_burndown_says_remains() -> None:
    answer = ask("What's left in ACCEL's current sprint?")
    burndown = event_loop.run(
        try_execute(
            "SELECT remaining_issues, remaining_points FROM sprint_days WHERE sprint_id = (SELECT sprint_id "
            "FROM sprints "
            f"WHERE state = 'active' AND team_id = {TEAM.format('ACCEL')}) ORDER BY day DESC LIMIT 1"
        )
    )

    [day] = burndown.rows
    points = sum(row["points_at_end"] or 0 for row in answer.rows)
    assert (answer.count, points) == (day["remaining_issues"], day["remaining_points"])
    assert answer.count == 5
    assert points == 20


def test_a_follow_up_changes_what_was_understood() -> None:
    first = ask("How many open bugs does ACCEL have?")

    second = event_loop.run(chat("and for HARBOR?", now=NOW, reader=reader, model=None, context=first.query))

    assert second.interpretation == "open issues, type Bug, team HARBOR, now"
    assert [one.text for one in second.filters or []] == ["open", "type Bug", "team HARBOR"]
    assert second.rows == ask("How many open bugs does HARBOR have?").rows


def test_a_filter_is_taken_away() -> None:
    first = ask("How many open bugs does ACCEL have?")
    place = next(one.position for one in first.filters or [] if one.text == "type Bug")

    second = event_loop.run(
        chat(first.question, now=NOW, reader=reader, model=None, context=first.query, without=[place])
    )

    assert second.rows == ask("How many open issues does ACCEL have?").rows
