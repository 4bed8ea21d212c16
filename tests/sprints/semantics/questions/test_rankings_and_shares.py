"""Best and worst sprints, trends, sizes, repetitions and shares: beside statements written independently."""

import pytest

from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

RESULT = (
    "SELECT sprint_name, completed_points FROM (SELECT *, rank() OVER (ORDER BY completed_points {1}) AS at "
    "FROM sprint_summary JOIN teams USING (team_id) WHERE state = 'closed' AND {0}) AS s WHERE at <= {2} LIMIT 1000"
)
OF_TEAM = "team_key = '{}'"
PER_TEAM = (
    "SELECT sprint_name, team_key, completed_points FROM (SELECT *, rank() OVER (PARTITION BY team_id ORDER BY "
    "completed_points {}) AS at FROM sprint_summary WHERE state = 'closed') AS s JOIN teams USING (team_id) "
    "WHERE at = 1 LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("worst sprint of orbit by completed points", RESULT.format(OF_TEAM.format("ORBIT"), "", 1)),
        ("best sprint of accel by velocity", RESULT.format(OF_TEAM.format("ACCEL"), "DESC", 1)),
        ("which was harbor's best sprint", RESULT.format(OF_TEAM.format("HARBOR"), "DESC", 1)),
        ("best sprint of accel", RESULT.format(OF_TEAM.format("ACCEL"), "DESC", 1)),
        ("orbit's worst sprint", RESULT.format(OF_TEAM.format("ORBIT"), "", 1)),
        ("what was our best sprint", PER_TEAM.format("DESC")),
        ("best sprint per team", PER_TEAM.format("DESC")),
        ("worst sprint of each team", PER_TEAM.format("")),
        ("best sprint of orbit by carry-over rate", None),
        ("sprints by velocity for accel", RESULT.format(OF_TEAM.format("ACCEL"), "DESC", 1000)),
    ],
)
def test_the_best_sprint_has_the_most_completed_points(question: str, truth: str | None) -> None:
    if truth is None:
        assert {row["sprint"] for row in ask(question).rows}.isdisjoint({"ORBIT Sprint 9", "ORBIT Sprint 10"})
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "is velocity going up or down for harbor", "is harbor's velocity improving", "is velocity rising for harbor",
        "is the velocity of harbor getting better or worse", "is harbor's velocity increasing or decreasing",
        "is velocity going down for harbor",
    ],
)  # fmt: skip
def test_whether_a_measure_rises_is_told_by_its_trend(question: str) -> None:
    rows = ask(question).rows

    assert [row["velocity"] for row in rows] == [row["velocity"] for row in ask("velocity trend for harbor").rows]
    assert len(rows) == 8


MEDIAN = (
    "SELECT round(CAST(percentile_cont(0.5) WITHIN GROUP (ORDER BY i.cycle_time_days) AS numeric), 2) AS n "
    "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id "
    "WHERE i.issue_type = '{}' AND {}"
)
BACKLOG = "SELECT team_key, {} FROM issues JOIN teams USING (team_id) WHERE is_in_backlog GROUP BY 1 LIMIT 1000"
MOST = "SELECT issue_key FROM issues ORDER BY {} DESC LIMIT 1"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how long does Levi take on bugs", MEDIAN.format("Bug", "u.full_name = 'Levi Walker'")),
        ("how long does Levi take per bug", MEDIAN.format("Bug", "u.full_name = 'Levi Walker'")),
        ("how long does ACCEL take for a story", MEDIAN.format("Story", "t.team_key = 'ACCEL'")),
        ("backlog size per team in points", BACKLOG.format("sum(story_points) AS n")),
        ("backlog size per team", BACKLOG.format("sum(story_points) AS points, count(*) AS issues")),
        ("size of the backlog per team", BACKLOG.format("sum(story_points) AS points, count(*) AS issues")),
        ("average story size per team",
         ("SELECT team_key, round(avg(story_points), 2) AS n FROM issues JOIN teams USING (team_id) "
          "WHERE issue_type = 'Story' GROUP BY 1 LIMIT 1000")),
        ("average bug size", "SELECT round(avg(story_points), 2) AS n FROM issues WHERE issue_type = 'Bug'"),
        ("when was ACCEL-100 started", "SELECT issue_key, title, started_at FROM issues WHERE issue_key = 'ACCEL-100'"),
        ("when did work on ACCEL-100 start",
         "SELECT issue_key, title, started_at FROM issues WHERE issue_key = 'ACCEL-100'"),
    ],
)  # fmt: skip
def test_sizes_durations_and_moments(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_the_trend_of_what_is_carried_over_is_of_closed_sprints() -> None:
    rows = ask("is carry-over going down for orbit").rows

    assert [row["sprint"] for row in rows] == [f"ORBIT Sprint {number}" for number in range(1, 9)]


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("completed points per team this sprint",
         ("SELECT team_key, completed_points FROM sprint_summary JOIN teams USING (team_id) WHERE state = 'active' "
          "LIMIT 1000")),
        ("committed points per sprint for orbit",
         ("SELECT sprint_name, committed_points FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE team_key = 'ORBIT' AND state <> 'future' LIMIT 1000")),
        ("carried over points per sprint for accel",
         ("SELECT sprint_name, carried_over_points FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE team_key = 'ACCEL' AND state = 'closed' LIMIT 1000")),
        ("how much did scope change in the current sprint",
         ("SELECT team_key, sum(points_change) AS points, count(*) AS n FROM scope_changes JOIN sprints "
          "USING (sprint_id) JOIN teams USING (team_id) WHERE state = 'active' GROUP BY 1 LIMIT 1000")),
        ("epic with the most bugs",
         ("SELECT e.issue_key, e.title, count(*) AS n FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id "
          "WHERE i.issue_type = 'Bug' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1")),
        ("hours left in the current sprint for accel",
         ("SELECT sum(remaining_estimate_hours) AS n FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues "
          "USING (issue_id) WHERE sprint_name = 'ACCEL Sprint 9' AND is_in_scope")),
        ("how long are sprints on average",
         ("SELECT round(CAST(avg(extract(epoch FROM coalesce(completed_at, ends_at) - started_at)) / 86400 "
          "AS numeric), 1) AS n FROM sprints")),
        ("ratio of bugs to stories per team",
         ("SELECT team_key, issue_type, count(*) AS n FROM issues JOIN teams USING (team_id) "
          "WHERE issue_type IN ('Bug', 'Story') GROUP BY 1, 2 LIMIT 1000")),
    ],
)  # fmt: skip
def test_what_is_said_of_sprints_and_epics(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", ["where do tickets spend the most time", "which status takes longest"])
def test_where_time_is_spent_is_told_by_status(question: str) -> None:
    rows = ask(question).rows

    assert [row["status"] for row in rows][:2] == ["To Do", "Selected"]


@pytest.mark.parametrize(
    ("question", "column", "value"),
    [
        ("most reopened issue", "reopened_count", "reopened_count"),
        ("which issue was reopened the most", "reopened_count", "reopened_count"),
        ("which issue was reopened most often", "reopened_count", "reopened_count"),
        ("which issue was blocked most often", "times_blocked",
         "(SELECT count(*) FROM blocked_periods AS b WHERE b.issue_id = issues.issue_id)"),
        ("which issue was re-estimated most often", "times_re_estimated",
         "(SELECT count(*) FROM points_changes AS c WHERE c.issue_id = issues.issue_id AND c.from_points IS NOT NULL)"),
        ("which issue was carried over most often", "times_carried_over",
         "(SELECT count(*) FROM sprint_issues AS m WHERE m.issue_id = issues.issue_id AND m.was_carried_over)"),
        ("longest blocked issue ever", "total_blocked_days",
         ("(SELECT round(CAST(sum(extract(epoch FROM coalesce(unblocked_at, (SELECT as_of FROM snapshot)) "
          "- blocked_at)) / 86400 AS numeric), 1) FROM blocked_periods AS b WHERE b.issue_id = issues.issue_id)")),
    ],
)  # fmt: skip
def test_what_happened_most_often(question: str, column: str, value: str) -> None:
    gold = event_loop.run(try_execute(f"SELECT max({value}) AS n FROM issues"))
    answer = ask(question)

    assert not answer.is_ambiguous, answer.answer
    assert {row[column] for row in answer.rows} == {gold.rows[0]["n"]}


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("what percentage of issues done last sprint were bugs", "LIKE '% Sprint 8' AND m.was_completed"),
        ("what percentage of issues completed in the last sprint were bugs", "LIKE '% Sprint 8' AND m.was_completed"),
        ("what share of the issues carried over from ACCEL Sprint 8 were bugs",
         "= 'ACCEL Sprint 8' AND m.was_carried_over"),
    ],
)  # fmt: skip
def test_a_share_of_what_became_of_issues_in_a_sprint(question: str, share: str) -> None:
    gold = event_loop.run(try_execute(
        "SELECT count(*) AS n, count(*) FILTER (WHERE i.issue_type = 'Bug') AS bugs FROM sprint_issues AS m "
        f"JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) WHERE s.sprint_name {share}"
    ))  # fmt: skip
    rows = ask(question).rows

    assert sum(list(row.values())[-2] for row in rows) == gold.rows[0]["bugs"]
    assert sum(list(row.values())[-3] for row in rows) == gold.rows[0]["n"]


@pytest.mark.parametrize(
    "question",
    [
        "progress of the last sprint",  # what is done by now, or what was completed in it
        "done rate of ACCEL Sprint 8",
        "how long does each team take on bugs in ACCEL Sprint 8",
        "which issue was reopened most often in October",  # all its reopenings are counted
    ],
)
def test_what_is_not_known_of_then_or_not_clear_is_asked(question: str) -> None:
    assert ask(question).is_ambiguous
