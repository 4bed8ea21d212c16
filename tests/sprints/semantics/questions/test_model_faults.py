"""Fifteen faults of a weak model: each is doubted aloud, and an answer that uses every word is not."""

import pytest

from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.coverage import BY_MODEL, find_doubts, find_doubts_about_sql
from tests.sprints.semantics.questions.reading import parse, read

FAULTS = {
    "drops the team": ("open bugs of ACCEL", "open bugs"),
    "takes another team": ("open bugs of ACCEL", "open bugs of ORBIT"),
    "drops the negation": ("issues not blocked", "blocked issues"),
    "drops the time": ("bugs created last month", "bugs"),
    "takes another time": ("bugs created last month", "bugs created this month"),
    "drops the type": ("open bugs of ACCEL", "open issues of ACCEL"),
    "drops the state": ("open bugs of ACCEL", "bugs of ACCEL"),
    "takes another measure": ("average lead time of ORBIT", "average cycle time of ORBIT"),
    "drops the group": ("open issues by team", "How many open issues?"),
    "groups by another dimension": ("open issues by team", "open issues by priority"),
    "turns the rank round": ("Which team has the most open bugs?", "Which team has the fewest open bugs?"),
    "drops the number": ("issues with more than 5 points", "issues"),
    "turns the comparison round": ("issues with more than 5 points", "issues with less than 5 points"),
    "adds a filter": ("open bugs", "open bugs of HARBOR"),
    "takes another person": ("open issues of Levi Walker", "open issues of Avery Smith"),
}


@pytest.mark.parametrize(("asked", "answered"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_doubted_aloud(asked: str, answered: str) -> None:
    assert find_doubts(parse(asked), query=read(answered))


@pytest.mark.parametrize("question", sorted({one for pair in FAULTS.values() for one in pair}))
def test_an_answer_that_uses_every_word_is_not_doubted(question: str) -> None:
    assert find_doubts(parse(question), query=read(question)) == []


def test_sql_of_a_model_is_marked_and_what_it_leaves_out_is_named() -> None:
    doubts = find_doubts_about_sql(
        parse("open bugs of ACCEL not assigned to Levi Walker"), sql="SELECT count(*) FROM issues"
    )

    assert doubts[0] == BY_MODEL
    assert {"'ACCEL' is not used.", "'bugs' is not used."} <= set(doubts)


def test_the_query_that_a_model_gives_is_validated() -> None:
    with pytest.raises(ValueError, match="measures"):
        MetricQuery.model_validate({"group_by": []})
