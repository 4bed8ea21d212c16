"""Words whose scope is more than the phrase beside them: they change the query, or the question is asked back."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

TRUTHS = [
    ("Stories in the backlog with neither a label nor an estimate",
     ("SELECT issue_key FROM issues WHERE is_in_backlog AND issue_type = 'Story' AND cardinality(labels) = 0 "
      "AND story_points IS NULL LIMIT 1000")),
    ("Stories with neither an assignee nor an estimate",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Story' AND assignee_id IS NULL AND story_points IS NULL "
      "LIMIT 1000")),
    ("Which epic does HARBOR-78 belong to?",
     ("SELECT i.issue_key, e.issue_key AS epic FROM issues AS i LEFT JOIN issues AS e ON e.issue_id = i.epic_id "
      "WHERE i.issue_key = 'HARBOR-78' LIMIT 1000")),
    ("Who still has something to finish in ORBIT Sprint 9?",
     ("SELECT full_name, count(*) AS n FROM sprint_issues AS m JOIN issues AS i USING (issue_id) JOIN users AS u "
      "ON u.user_id = i.assignee_id JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE s.sprint_name = "
      "'ORBIT Sprint 9' AND m.done_at IS NULL AND m.removed_at IS NULL GROUP BY full_name LIMIT 1000")),
    ("Open bugs compared with open stories per team",
     ("SELECT team_key, issue_type, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE status_category <> "
      "'Done' AND issue_type IN ('Bug', 'Story') GROUP BY team_key, issue_type LIMIT 1000")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Who on ACCEL has only bugs left in the current sprint?",
        "Which people have only p0 issues open?",
        "Who is assigned only bugs?",
        "HARBOR: ever blocked for more than 3 days",
        "Which issues were blocked for more than 3 days?",
        "Leaving out June, which month had the most issues created?",
        "Bugs created except in March",
        "How much scope was added after the start in October, in points?",
        "Which issues skipped Code Review?",
        "Which epics have all their stories done?",
        "Which epics have bugs and stories?",
    ],
)
def test_a_word_whose_scope_cannot_be_said_is_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.source is None
    assert answer.rows == []
