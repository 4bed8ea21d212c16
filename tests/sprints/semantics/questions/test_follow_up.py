"""Questions that change the one before them. Pure."""

import pytest

from tests.sprints.semantics.questions.reading import follow, parts_of, read


@pytest.mark.parametrize(
    ("first", "then", "whole"),
    [
        ("How many open bugs does ACCEL have?", "and for HARBOR?", "How many open bugs does HARBOR have?"),
        ("open issues", "only bugs", "open issues that are bugs"),
        ("How many bugs were created last month?", "what about this month?", "How many bugs were created this month?"),
        ("velocity of ACCEL", "and ORBIT?", "velocity of ORBIT"),
        ("bugs closed last month", "by team", "How many bugs were closed last month by team?"),
        (
            "What was carried over from ACCEL's last sprint?",
            "and for ORBIT?",
            "What was carried over from ORBIT's last sprint?",
        ),
    ],
)
def test_a_follow_up_means_what_the_whole_question_means(first: str, then: str, whole: str) -> None:
    changed, expected = follow(read(first), then), read(whole)

    assert changed is not None
    assert parts_of(changed) == parts_of(expected)


@pytest.mark.parametrize(
    "question", ["How many open issues does ORBIT have?", "velocity of ORBIT", "and the purple ones?"]
)
def test_a_whole_question_is_no_follow_up(question: str) -> None:
    assert follow(read("open bugs of ACCEL"), question) is None
