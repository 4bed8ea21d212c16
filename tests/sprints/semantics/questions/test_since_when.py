"""Since when rows are so: the column is shown, or the question is asked back. It is never dropped."""

import pytest

from tests.sprints.semantics.questions.reading import follow, read
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

IN_STATUS = (
    "SELECT i.issue_key, p.entered_at FROM status_periods AS p JOIN issues AS i USING (issue_id) "
    "JOIN teams AS t USING (team_id) WHERE p.left_at IS NULL AND {} LIMIT 1000"
)
REVIEW = IN_STATUS.format("p.status = 'Code Review' AND t.team_key = 'ACCEL'")
QA = IN_STATUS.format("p.status = 'QA'")
BLOCKED = (
    "SELECT i.issue_key, extract(epoch FROM (SELECT as_of FROM snapshot) - i.blocked_since) / 86400 AS days "
    "FROM issues AS i JOIN teams AS t USING (team_id) WHERE i.is_blocked AND t.team_key = 'ORBIT' LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("accel code review, since when", REVIEW),
        ("accel tickets in code review, and since when", REVIEW),
        ("Which ACCEL tickets are in code review and since when?", REVIEW),
        ("which tickets are sitting in QA at the moment, and since when?", QA),
        ("Since when is ACCEL-100 in code review?",
         IN_STATUS.format("p.status = 'Code Review' AND i.issue_key = 'ACCEL-100'")),
        ("Which ORBIT tickets are blocked, with how long they have been blocked", BLOCKED),
        ("blocked tickets of ORBIT with how long they have been blocked", BLOCKED),
        ("Which ORBIT tickets are blocked and how long have they been blocked?", BLOCKED),
    ],
)  # fmt: skip
def test_since_when_is_shown(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", ["since when?", "and since when?", "how long have they been there?"])
def test_a_follow_up_shows_since_when_rows_are_in_their_status(question: str) -> None:
    found = follow(read("Which ACCEL tickets are in code review?"), question)

    assert found is not None
    assert found.columns[-1] in ("status_since", "status_age_days")


@pytest.mark.parametrize(
    "question",
    ["open p0 bugs, since when", "who is blocked and since when", "Which tickets are unassigned and since when?",
     "ACCEL bugs, since when", "ORBIT tickets, when", "Since when does ORBIT have bugs?",
     "Since when is ORBIT-102 in progress?"],
)  # fmt: skip
def test_since_when_is_asked_back_where_it_is_not_known(question: str) -> None:
    assert ask(question).is_ambiguous
