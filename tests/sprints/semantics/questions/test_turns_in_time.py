"""Which sprint ended last or ends next, which was the longest, and what is due next."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

FIRST = (
    "WITH r AS (SELECT sprint_name, team_key, rank() OVER (ORDER BY {} NULLS LAST) AS at FROM sprints "
    "JOIN teams USING (team_id) WHERE {}) SELECT sprint_name FROM r WHERE at = 1"
)
LONGEST = (
    "WITH r AS (SELECT sprint_name, extract(epoch FROM coalesce(completed_at, ends_at) - started_at) / 86400 AS days, "
    "rank() OVER (ORDER BY coalesce(completed_at, ends_at) - started_at {} NULLS LAST) AS at FROM sprints "
    "JOIN teams USING (team_id) WHERE {}) SELECT sprint_name, days FROM r WHERE at = 1"
)
DUE = (
    "WITH r AS (SELECT issue_key, rank() OVER (ORDER BY due_date) AS at FROM issues JOIN teams USING (team_id) "
    "WHERE status_category <> 'Done' AND due_date >= '2026-11-18' AND {}) SELECT issue_key FROM r WHERE at = 1"
)
CLOSED, ACTIVE, ORBIT = "state = 'closed'", "state = 'active'", "team_key = 'ORBIT'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("which sprint ended last", FIRST.format("completed_at DESC", CLOSED)),
        ("which sprint was closed last", FIRST.format("completed_at DESC", CLOSED)),
        ("which sprint ended most recently", FIRST.format("completed_at DESC", CLOSED)),
        ("which ORBIT sprint ended last", FIRST.format("completed_at DESC", f"{CLOSED} AND {ORBIT}")),
        ("which sprint was closed first", FIRST.format("completed_at", CLOSED)),
        ("which sprint ends next", FIRST.format("end_date", ACTIVE)),
        ("which sprint ends first", FIRST.format("end_date", ACTIVE)),
        ("what sprint ends soonest", FIRST.format("end_date", ACTIVE)),
        ("which sprint closes next", FIRST.format("end_date", ACTIVE)),
        ("which sprint started last", FIRST.format("start_date DESC", "true")),
        ("which sprint has been the longest", LONGEST.format("DESC", "true")),
        ("which sprint lasted the longest", LONGEST.format("DESC", "true")),
        ("longest sprint of ORBIT", LONGEST.format("DESC", ORBIT)),
        ("shortest closed sprint", LONGEST.format("ASC", CLOSED)),
    ],
)
def test_sprints_are_ranked_by_when_they_were(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("what is due next", "true"),
        ("what is due soonest", "true"),
        ("next due issue", "true"),
        ("which bug is due next", "issue_type = 'Bug'"),
        ("what is ORBIT's next due ticket", ORBIT),
    ],
)
def test_what_is_due_next_is_open_and_not_overdue(question: str, where: str) -> None:
    assert_same_rows(question, truth=DUE.format(where))


@pytest.mark.parametrize(
    "question",
    [
        "which epic started first",
        "which sprint starts next",
        "which sprint ends last",
        "longest running sprint",
        "which sprint has the longest cycle time",
        "what was due first",
        "longest sprint in October",
    ],
)
def test_what_has_no_such_time_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
