"""Known things said in other parts of speech: places, nouns of acts, shares, absences, and groups without rows."""

import pytest

from tests.sprints.semantics.questions.reading import parse, parts_of, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")
SUMMARY = "SELECT {columns} FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) WHERE {where}"
POINTS = (
    "sum(points_at_start) AS points, sum(points_at_start) FILTER (WHERE was_completed) AS part, "
    "round(100.0 * sum(points_at_start) FILTER (WHERE was_completed) / sum(points_at_start), 1) AS share"
)
OF_ORBIT = SUMMARY.format(columns=POINTS, where="s.sprint_name = 'ORBIT Sprint 6' AND m.was_committed")
ISSUES = "SELECT issue_key FROM issues AS i WHERE {where} LIMIT 1000"
STAYS = (
    "(SELECT count(DISTINCT m.sprint_id) FROM sprint_issues AS m "
    "WHERE m.issue_id = i.issue_id AND (was_committed OR was_added_after_start))"
)
TRUTHS = [
    ("issues waiting in Code Review", ISSUES.format(where="status = 'Code Review'")),
    ("How many stories are parked in Code Review?",
     "SELECT count(*) AS n FROM issues WHERE status = 'Code Review' AND issue_type = 'Story'"),
    ("Which open issues have been sitting untouched for a week?",
     ISSUES.format(where="status_category <> 'Done' AND updated_at < "
                   "(SELECT as_of FROM snapshot) - interval '7 days'")),
    ("Which open issues still need an assignee?",
     ISSUES.format(where="status_category <> 'Done' AND assignee_id IS NULL")),
    ("How many points remain in ORBIT?",
     ("SELECT sum(story_points) AS n FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' "
     "AND status_category <> 'Done'")),
    ("completions per month",
     ("SELECT date_trunc('month', resolved_at)::date AS month, count(*) AS n FROM issues "
     "WHERE status_category = 'Done' GROUP BY 1 LIMIT 1000")),
    ("average time from creation to resolution per team",
     ("SELECT team_key, round(avg(lead_time_days)::numeric, 2) AS days FROM issues JOIN teams USING (team_id) "
     "WHERE lead_time_days IS NOT NULL GROUP BY 1 LIMIT 1000")),
    ("What share of the committed points did ORBIT complete in Sprint 6?", OF_ORBIT),
    ("share of committed points completed in ORBIT Sprint 6", OF_ORBIT),
    ("What percentage of the points it had committed to did ORBIT complete in Sprint 6?", OF_ORBIT),
    ("How many different people have open bugs?",
     ("SELECT count(DISTINCT assignee_id) AS n FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done'")),
    ("How many bugs and how many stories are open?",
     ("SELECT issue_type, count(*) AS n FROM issues WHERE issue_type IN ('Bug', 'Story') "
     "AND status_category <> 'Done' GROUP BY 1 LIMIT 1000")),
    ("How many open issues does each team have that nobody is assigned to?",
     ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE status_category <> 'Done' "
     "AND assignee_id IS NULL GROUP BY 1 LIMIT 1000")),
    ("open issues, epics excluded", ISSUES.format(where="status_category <> 'Done' AND issue_type <> 'Epic'")),
    ("All bugs of HARBOR, finished ones included",
     "SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND issue_key LIKE 'HARBOR-%' LIMIT 1000"),
    ("Which issues were never in a sprint?", ISSUES.format(where=f"{STAYS} = 0")),
    ("issues that have been in more than one sprint", ISSUES.format(where=f"{STAYS} > 1")),
    ("open issues with at least two labels",
     ISSUES.format(where="status_category <> 'Done' AND cardinality(labels) >= 2")),
    ("stories with exactly one label", ISSUES.format(where="issue_type = 'Story' AND cardinality(labels) = 1")),
    ("issues with several labels", ISSUES.format(where="cardinality(labels) >= 2")),
    ("Which epics are completely done?",
     ISSUES.format(where="issue_type = 'Epic' AND NOT EXISTS (SELECT 1 FROM issues AS o WHERE o.epic_id = i.issue_id "
                   "AND o.status_category <> 'Done')")),
    ("Which team is slowest, by median cycle time?",
     ("SELECT team_key, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cycle_time_days)::numeric, 2) AS days "
     "FROM issues JOIN teams USING (team_id) WHERE cycle_time_days IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1")),
    ("Which team has the fewest blocked bugs?",
     ("SELECT team_key, count(issue_id) AS n FROM teams AS t LEFT JOIN issues AS i ON i.team_id = t.team_id "
     "AND is_blocked AND issue_type = 'Bug' GROUP BY 1 ORDER BY 2 LIMIT 1")),
    ("Which teams have fewer than 3 blocked bugs?",
     ("SELECT team_key, count(issue_id) AS n FROM teams AS t LEFT JOIN issues AS i ON i.team_id = t.team_id "
     "AND is_blocked AND issue_type = 'Bug' GROUP BY 1 HAVING count(issue_id) < 3 LIMIT 1000")),
    ("Which ACCEL sprint had the fewest blockages?",
     ("SELECT sprint_name, 0 AS n FROM sprints AS s WHERE sprint_name LIKE 'ACCEL %' AND started_at IS NOT NULL "
     "AND NOT EXISTS (SELECT 1 FROM sprint_blocked_periods AS b WHERE b.sprint_id = s.sprint_id) LIMIT 1000")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_a_construction_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", [
    "issues waiting for Zoë", "issues waiting on HARBOR", "Which issues are in more than one sprint?",
    "Which bugs are completely done?", "How many different issues were carried over in ACCEL sprints?",
    "Which issues need work?", "Which people have more than one sprint?", "bugs and stories, bugs included",
])  # fmt: skip
def test_an_unclear_construction_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(("question", "other"), [
    ("time from start to finish per team", "cycle time per team"),
    ("How long does it take from creation to completion?", "lead time"),
    ("How many bugs remain open in ACCEL?", "How many bugs are open in ACCEL?"),
    ("open bugs, p0 excluded", "open bugs except p0"),
    ("number of bugs and number of stories per team", "bugs and stories per team side by side"),
])  # fmt: skip
def test_two_constructions_say_the_same(question: str, other: str) -> None:
    assert parts_of(read(question)) == parts_of(read(other))
