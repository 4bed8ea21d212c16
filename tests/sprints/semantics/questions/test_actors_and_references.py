"""Who did it, which sprint is meant, what a demonstrative stands for: known from the question, or asked back."""

import pytest

from tests.sprints.semantics.questions.test_answers import TEAM, ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

RUNNING = f"(SELECT sprint_id FROM sprints WHERE state = 'active' AND team_id = {TEAM})"
REOPENED = (
    "SELECT DISTINCT issue_key FROM status_changes JOIN issues USING (issue_id) WHERE from_category = 'Done' "
    "AND to_category <> 'Done' AND {} LIMIT 1000"
)
OWED = (
    "SELECT full_name, sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id "
    "WHERE status_category <> 'Done' GROUP BY full_name HAVING sum(story_points) > 20 LIMIT 1000"
)
TRUTHS = [
    ("What is still open in ORBIT's sprint?",
     (f"SELECT issue_key FROM sprint_issues JOIN issues USING (issue_id) WHERE sprint_issues.sprint_id = "
      f"{RUNNING.format('ORBIT')} AND removed_at IS NULL AND status_category <> 'Done' LIMIT 1000")),
    ("How many points did ACCEL commit to in its sprint?",
     f"SELECT committed_points FROM sprint_summary WHERE sprint_id = {RUNNING.format('ACCEL')}"),
    ("Which issues were reopened last month?",
     REOPENED.format("changed_at >= '2026-10-01' AND changed_at < '2026-11-01'")),
    ("How many bugs were reopened since September?",
     ("SELECT count(DISTINCT issue_id) AS n FROM status_changes JOIN issues USING (issue_id) WHERE from_category = "
      "'Done' AND to_category <> 'Done' AND changed_at >= '2026-09-01' AND issue_type = 'Bug'")),
    ("Who has more than 20 points of open work?", OWED),
    ("Which people have more than 20 points of open work assigned to them?", OWED),
    ("Which sprints of ACCEL completed more than 30 points?",
     ("SELECT sprint_name, completed_points FROM sprint_summary WHERE completed_points > 30 AND team_id = "
      f"{TEAM.format('ACCEL')} LIMIT 1000")),
    ("In which sprints did ORBIT complete fewer than 30 points?",
     ("SELECT sprint_name, completed_points FROM sprint_summary WHERE completed_points < 30 AND state <> 'future' "
      f"AND team_id = {TEAM.format('ORBIT')} LIMIT 1000")),
    ("Who has issues of more than 8 points?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE story_points > 8 "
      "AND status_category <> 'Done' GROUP BY full_name LIMIT 1000")),
    ("Who resolved more bugs this month, ORBIT or HARBOR?",
     ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE issue_type = 'Bug' AND "
      "status_category = 'Done' AND resolved_at >= '2026-11-01' AND team_key IN ('ORBIT', 'HARBOR') "
      "GROUP BY team_key LIMIT 1000")),
    ("Who has reopened bugs?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE issue_type = 'Bug' "
      "AND reopened_count > 0 GROUP BY full_name LIMIT 1000")),
    ("What are the most common labels among open issues, in order?",
     ("SELECT label, count(*) AS n FROM issues, unnest(labels) AS label WHERE status_category <> 'Done' GROUP BY label "
      "ORDER BY n DESC LIMIT 1000")),
    ("How many open issues does each team have that nobody is assigned to?",
     ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE status_category <> 'Done' AND "
      "assignee_id IS NULL GROUP BY team_key LIMIT 1000")),
    ("Which ORBIT issues that are open and that are blocked have no points?",
     (f"SELECT issue_key FROM issues WHERE team_id = {TEAM.format('ORBIT')} AND status_category <> 'Done' "
      "AND is_blocked AND story_points IS NULL LIMIT 1000")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Who added the most issues to ACCEL Sprint 8?",
        "Who reopened the most issues?",
        "Who estimated the most issues?",
        "Who blocked the most issues?",
        "Which developer reopened the most bugs?",
        "Which issues did Priya Raman reopen?",
        "What did Zoë Müller add to ACCEL Sprint 8?",
        "Which issues were estimated by Priya Raman?",
        "Which issues were blocked by Priya Raman?",
    ],
)
def test_an_act_whose_actor_is_not_recorded_is_not_ascribed_to_the_assignee(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "who did that" in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "How many bugs does that team have?",
        "Which issues did that person complete in October?",
        "What is the status of that issue?",
        "Who owns those bugs?",
        "How many such issues are open?",
        "how many points is that?",
        "Is that sprint finished?",
    ],
)
def test_a_demonstrative_without_what_it_stands_for_is_asked_about(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "refers to" in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "Which issues were carried over from ACCEL Sprint 7 to Sprint 8?",
        "How many times were bugs reopened in October?",
        "What does ACCEL have in each sprint?",
        "How many points does ACCEL complete in a sprint?",
        "List open bugs by priority, highest first",
        "open bugs sorted by velocity",
    ],
)
def test_what_the_words_do_not_decide_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "column", "is_descending"),
    [
        ("Show open bugs oldest first", "age_days", True),
        ("open bugs in HARBOR sorted by age", "age_days", True),
        ("stories in progress sorted by points, smallest first", "story_points", False),
        ("Velocity by team, lowest first", "velocity", False),
    ],
)
def test_a_clause_at_the_end_sorts_the_rows(question: str, column: str, *, is_descending: bool) -> None:
    numbers = [row[column] for row in ask(question).rows]

    assert len(numbers) > 2
    assert numbers == sorted(numbers, reverse=is_descending)
