"""Who did it, and whose rows they are: where these are two people, or are not known, it is asked back."""

import pytest

from tests.sprints.semantics.questions.reading import parse, read


@pytest.mark.parametrize(
    "question",
    [
        "who fixed the bugs that Levi Walker reported",
        "who fixes bugs that Levi Walker reports",
        "who has bugs reported by Levi Walker",
        "who closed the bugs Levi Walker created",
        "issues updated last week by Levi Walker",
        "issues reopened last week by Levi Walker",
        "issues blocked by ORBIT",
        "who is blocked by ORBIT",
        "bugs reported by people on HARBOR",
        "issues closed by people from ACCEL",
        "issues blocked by something done",
        "points by something",
        "what did people who left work on",
    ],
)
def test_another_actor_than_the_one_whose_rows_they_are_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("issues created last week by Levi Walker", '"field":"reporter"'),
        ("issues closed last week by Levi Walker", '"field":"assignee"'),
        ("who created the bugs Levi Walker fixed", '"dimension":"reporter"'),
        ("bugs closed per assignee in October", '"dimension":"assignee"'),
        ("closed bugs by people last month", '"dimension":"assignee"'),
        ("what people are on ORBIT", '"rows_of":"person"'),
        ("what team does Avery Hernandez belong to", '"columns":["person","team"]'),
    ],
)
def test_a_known_actor_is_read(question: str, part: str) -> None:
    assert part in read(question).model_dump_json()


def test_a_question_with_two_actors_is_told_how_to_ask_instead() -> None:
    assert "number of those issues per assignee" in parse("who fixed the bugs that Levi Walker reported").why
