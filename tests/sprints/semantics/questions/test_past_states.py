"""What was blocked in a sprint is read from the history, and a superlative has as many rows as its noun says."""

import pytest

from sprints.semantics.query import Rank
from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")
BLOCKED = "SELECT {columns} FROM sprint_blocked_periods AS b JOIN sprints AS s USING (sprint_id) WHERE {where}"
HARBOR = "s.sprint_name LIKE 'HARBOR %' AND s.state = 'closed'"
ISSUES = (
    "SELECT DISTINCT i.issue_key FROM sprint_blocked_periods AS b JOIN sprints AS s USING (sprint_id) JOIN issues AS i"
)
TRUTHS = [
    ("In which closed HARBOR sprints was nothing blocked?",
     (f"SELECT sprint_name FROM sprints AS s WHERE {HARBOR} AND NOT EXISTS (SELECT 1 FROM sprint_blocked_periods AS b "
     "WHERE b.sprint_id = s.sprint_id) LIMIT 1000")),
    ("Which closed sprints had no blocked issues?",
     ("SELECT sprint_name FROM sprints WHERE state = 'closed' AND sprint_id NOT IN "
     "(SELECT sprint_id FROM sprint_blocked_periods) LIMIT 1000")),
    ("Which issues were blocked at some point during HARBOR Sprint 4?",
     f"{ISSUES} USING (issue_id) WHERE s.sprint_name = 'HARBOR Sprint 4' LIMIT 1000"),
    ("Which issues were blocked in the current sprint?",
     f"{ISSUES} USING (issue_id) WHERE s.state = 'active' LIMIT 1000"),
    ("issues that were blocked in closed sprints", f"{ISSUES} USING (issue_id) WHERE s.state = 'closed' LIMIT 1000"),
    ("How many issues were blocked in each closed HARBOR sprint?",
     (f"SELECT s.sprint_name, count(DISTINCT b.issue_id) AS n FROM sprints AS s LEFT JOIN sprint_blocked_periods AS b "
     f"USING (sprint_id) WHERE {HARBOR} GROUP BY s.sprint_id, s.sprint_name LIMIT 1000")),
    ("In which closed sprints was something blocked?",
     BLOCKED.format(columns="s.sprint_name, count(DISTINCT b.issue_id) AS n", where="s.state = 'closed'")
     + " GROUP BY s.sprint_id, s.sprint_name LIMIT 1000"),
    ("How many sprints had blocked issues?", BLOCKED.format(columns="count(DISTINCT b.sprint_id) AS n", where="true")),
    ("How many blockages were there in HARBOR Sprint 4?",
     BLOCKED.format(columns="count(*) AS n", where="s.sprint_name = 'HARBOR Sprint 4'")),
    ("Which sprint had the most blockages?",
     BLOCKED.format(columns="s.sprint_name, count(*) AS n", where="true")
     + " GROUP BY s.sprint_id, s.sprint_name ORDER BY 2 DESC LIMIT 1"),
    ("Which blocked issues are in the current sprint?",
     ("SELECT DISTINCT i.issue_key FROM issues AS i JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s "
     "ON s.sprint_id = m.sprint_id WHERE s.state = 'active' AND m.is_in_scope AND i.is_blocked LIMIT 1000")),
    ("sprint goals ACCEL", "SELECT sprint_name, goal FROM sprints WHERE sprint_name LIKE 'ACCEL %' LIMIT 1000"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_a_past_state_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", [
    "Which of the issues that are blocked right now has been blocked the longest?",
    "The oldest open p0 that isn't a bug", "Which of the open bugs is the oldest?", "the oldest open p0",
    "Which issue has the longest cycle time?", "Which open bug that is not blocked is the oldest?",
])  # fmt: skip
def test_a_superlative_of_one_row_has_one(question: str) -> None:
    rank = read(question).rank

    assert isinstance(rank, Rank)
    assert rank.count == 1


@pytest.mark.parametrize("question", [
    "Which issues have the longest cycle time?", "the oldest open p0 issues", "What are the oldest open bugs?",
    "Which bugs are the oldest?",
])  # fmt: skip
def test_a_superlative_of_several_rows_has_ten(question: str) -> None:
    rank = read(question).rank

    assert isinstance(rank, Rank)
    assert rank.count == 10


@pytest.mark.parametrize("question", ["Which active sprints have blocked issues?", "How many blockages in sprint?"])
def test_unclear_sprints_are_asked_back(question: str) -> None:
    assert parse(question).query is None
