"""Issues that one person both reported and has, or two people: two roles of one row that are compared."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

KEYS = "SELECT issue_key FROM issues WHERE {} LIMIT 1000"
SAME = KEYS.format("assignee_id = reporter_id")
OTHER = KEYS.format("assignee_id <> reporter_id")
ANYONE_WHO = "who" + "ever"  # a word that our own prose avoids
OPEN_BUGS = "issue_type = 'Bug' AND status_category <> 'Done' AND {}"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("tickets with a reporter who is the assignee", SAME),
        ("tickets with an assignee who is also the reporter", SAME),
        ("issues whose reporter is also the assignee", SAME),
        ("issues whose assignee is the reporter", SAME),
        ("issues where the assignee is the reporter", SAME),
        (f"issues assigned to {ANYONE_WHO} reported them", SAME),
        ("issues assigned to the person who reported them", SAME),
        ("which issues are assigned to their reporter", SAME),
        ("issues that are assigned to the reporter", SAME),
        ("issues reported by their assignee", SAME),
        ("issues where assignee and reporter are the same", SAME),
        ("issues with the same assignee and reporter", SAME),
        ("issues whose reporter and assignee are the same person", SAME),
        ("self-assigned issues", SAME),
        ("open bugs reported by their assignee", KEYS.format(OPEN_BUGS.format("assignee_id = reporter_id"))),
        (f"how many open bugs are assigned to {ANYONE_WHO} reported them",
         f"SELECT count(*) AS n FROM issues WHERE {OPEN_BUGS.format('assignee_id = reporter_id')}"),
        ("issues not assigned to their reporter", KEYS.format("assignee_id IS DISTINCT FROM reporter_id")),
        ("issues where assignee and reporter differ", OTHER),
        ("issues whose assignee and reporter are different", OTHER),
        ("issues with a different assignee and reporter", OTHER),
        ("issues whose assignee is not the reporter", OTHER),
        ("tickets with a reporter who isn't the assignee", OTHER),
    ],
)  # fmt: skip
def test_two_roles_of_an_issue_are_compared(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_it_is_said_that_an_issue_without_an_assignee_does_not_differ() -> None:
    assert "Issues without an assignee" in " ".join(ask("issues where assignee and reporter differ").assumptions)


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("who is the reporter and assignee of ACCEL-4", {"reporter", "assignee"}),
        ("reporter and assignee of ACCEL-4", {"reporter", "assignee"}),
    ],
)  # fmt: skip
def test_two_roles_that_are_asked_for_are_shown(question: str, columns: set[str]) -> None:
    answer = ask(question)

    assert not answer.is_ambiguous
    assert columns <= answer.rows[0].keys()


@pytest.mark.parametrize(
    "question", ["issues whose reporter is not the assignee's boss", "same issues", "open bugs that differ"]
)  # fmt: skip
def test_a_comparison_of_anything_else_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
