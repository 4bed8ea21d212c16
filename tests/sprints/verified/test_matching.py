"""Which verified query a question asks, and when it is rather asked back."""

import pytest

from sprints.linking.link import link
from sprints.verified.library import shipped
from sprints.verified.matching import Library, Match, Verified, clear_winner, match
from tests.sprints.cast import TODAY, index

INDEX = index()
LIBRARY = Library.of([Verified.of(row) for row in shipped()])


def winner(question: str) -> Match | None:
    return clear_winner(match(link(question, index=INDEX, today=TODAY), library=LIBRARY))


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("What's our typical number of points per sprint?", "average-velocity"),
        ("Draw the burn-down chart of ACCEL's sprint 5", "burndown"),
        ("Leftovers from ORBIT sprint 8", "carried-over-issues"),
        ("How many tickets did Levi Walker close in April?", "done-count"),
        ("Which bugs did ACCEL fix in sprint 6?", "done-in-sprint"),
        ("Who's overloaded on ORBIT?", "workload-by-person"),
        ("Tickets without an owner in the current sprint", "unassigned-issues"),
        ("Why do tickets get blocked?", "blocked-reasons"),
        ("Open bugs by priority for ACCEL", "priority-mix"),
        ("What was taken out of ORBIT sprint 7?", "removed-from-sprint"),
    ],
)
def test_a_question_in_other_words_finds_its_query(question: str, slug: str) -> None:
    found = winner(question)

    assert found is not None
    assert found.query.slug == slug


@pytest.mark.parametrize(
    "question",
    [
        "What is the average salary on team ACCEL?",
        "How many deployments failed in the current sprint?",
        "How many lines of code did ACCEL commit last sprint?",
        "Delete all closed issues of ACCEL",
        "What will the velocity of ACCEL be?",
        "Which issues are not blocked?",
        "Show tickets except bugs",
        "Which open p0 bugs were created last month and are blocked?",
        "Compare bugs closed last month with this month",
        "How is it going?",
        "Which team is the best?",
        "Which team has the fewest open issues?",
        "What is the velocity of Team Zeppelin?",
        "How many issues did Bartholomew close last sprint?",
        "",
    ],
)
def test_what_no_query_answers_is_not_answered(question: str) -> None:
    assert winner(question) is None


def test_a_name_that_a_query_cannot_use_rules_it_out() -> None:
    found = match(link("What is the cycle time of ACCEL-12?", index=INDEX, today=TODAY), library=LIBRARY)

    assert all("key" in one.unused for one in found if one.query.slug == "cycle-time")


def test_a_library_may_be_empty() -> None:
    linked = link("What is blocked?", index=INDEX, today=TODAY)

    assert clear_winner(match(linked, library=Library.of([]))) is None
