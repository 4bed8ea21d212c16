"""Everyday forms: a name after those who reported, today of what is so now, of all times, under an epic, i.e."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
OPEN, BUG = "i.status_category <> 'Done'", "i.issue_type = 'Bug'"
IN_PAY = "i.epic_id = (SELECT e.issue_id FROM issues AS e WHERE e.title = 'Pay in the app')"


@pytest.mark.parametrize(
    ("before", "question", "understood"),
    [
        ("How many issues did Levi report?", "and Zoë?", "reported by Zoë Müller"),
        ("How many bugs did Levi report", "what about Zoë", "reported by Zoë Müller"),
        ("How many issues did Levi report?", "and assigned to Zoë?", "reported by Levi Walker, assigned to Zoë Müller"),
        ("open bugs assigned to Levi", "and Zoë", "assigned to Zoë Müller"),
    ],
)
def test_a_name_alone_takes_the_role_of_the_one_before(before: str, question: str, understood: str) -> None:
    assert understood in str(follow(before, question).interpretation)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which tickets are sitting in QA today?", LIST.format("i.status = 'QA'")),
        ("how many bugs are open today", f"SELECT count(*) AS n {ROWS} WHERE {OPEN} AND {BUG}"),
        ("which issues were closed today",
         LIST.format("i.status_category = 'Done' AND i.resolved_at >= '2026-11-18' AND i.resolved_at < '2026-11-19'")),
        ("Which sprint had the best velocity ever?",
         "SELECT sprint_name FROM sprint_summary WHERE state = 'closed' ORDER BY completed_points DESC LIMIT 1"),
        ("which team has ever had the most open bugs", None),
        ("What's left to do under the Pay in the app epic?", LIST.format(f"{OPEN} AND {IN_PAY}")),
        ("bugs under 3 points", LIST.format(f"{BUG} AND i.story_points < 3")),
        ("open tickets nobody is working on, i.e. no assignee", LIST.format(f"{OPEN} AND i.assignee_id IS NULL")),
        ("what was the goal of our current HARBOR sprint again?",
         "SELECT goal FROM sprints WHERE sprint_name = 'HARBOR Sprint 9'"),
        ("which issues were blocked again", None),
        ("Which sprints that are already over never had a goal?",
         "SELECT sprint_name FROM sprints WHERE state = 'closed' AND coalesce(goal, '') = '' LIMIT 1000"),
        ("Who in Harbor Mobile has the most open work on their plate?", None),
    ],
)  # fmt: skip
def test_everyday_forms(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


def test_two_months_are_not_split_by_month_again() -> None:
    rows = ask("Is ORBIT's cycle time getting better, September against October?").rows

    assert [row["compared"] for row in rows] == ["September", "October"]


def test_the_most_work_is_asked_about() -> None:
    assert "number of issues, or by their points" in ask("Who has the most open work?").answer
