"""How answers are judged, and that the set that ships is answered as promised."""

from datetime import UTC, datetime
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest

from sprints.asking.drafts import Draft, generate
from sprints.evaluation.comparing import same
from sprints.evaluation.running import JudgedAnswer, Verdict, judge, read_pairs, scores
from sprints.sql_sandbox.execution import try_execute
from sprints.verified.library import list_shipped_queries
from toolbox.database import event_loop
from toolbox.database.pools import reader

AS_OF = datetime(2026, 11, 18, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "gold", "is_same"),
    [
        ([{"n": 1}], [{"count": 1}], True),
        ([{"n": 1, "more": "x"}], [{"count": 1}], True),
        ([{"n": 1}], [{"count": 1, "more": "x"}], False),
        ([{"a": 1, "b": 2}], [{"x": 2, "y": 1}], True),
        ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], True),
        ([{"a": 1}, {"a": 1}], [{"a": 1}], False),
        ([{"a": 1}, {"a": 1}, {"a": 2}], [{"a": 1}, {"a": 2}, {"a": 2}], False),
        ([{"k": "a", "n": 1}, {"k": "b", "n": 2}], [{"k": "a", "n": 2}, {"k": "b", "n": 1}], False),
        ([{"n": 41.5}], [{"n": Decimal("41.48")}], True),
        ([{"n": 41.5}], [{"n": 41.6}], False),
        ([{"n": 41}], [{"n": 42}], False),
        ([{"n": None}], [{"n": None}], True),
        ([{"n": None}], [{"n": 0}], False),
        ([], [], True),
        ([], [{"n": 1}], False),
    ],
)
def test_rows_are_compared_as_sets(*, given: list[dict[str, Any]], gold: list[dict[str, Any]], is_same: bool) -> None:
    assert same(given, gold=gold) is is_same


def test_order_may_be_made_to_count() -> None:
    assert not same([{"a": 1}, {"a": 2}], gold=[{"a": 2}, {"a": 1}], ordered=True)


def test_a_file_says_what_it_lacks() -> None:
    with pytest.raises(ValueError, match="question"):
        read_pairs("a,b\n1,2\n")
    with pytest.raises(ValueError, match="gold_sql"):
        read_pairs("question,answer\nx,y\n")


def test_counts_are_by_category_and_over_all() -> None:
    verdicts: list[tuple[str, Verdict]] = [("a", "right"), ("a", "wrong"), ("b", "asked")]
    judged = [
        JudgedAnswer(category=category, question="q", verdict=verdict, is_answerable=True, said="", milliseconds=1.0)
        for category, verdict in verdicts
    ]

    counted = {one.category: (one.questions, one.right, one.wrong, one.asked) for one in scores(judged)}

    assert counted == {"a": (2, 1, 1, 0), "b": (1, 0, 0, 1), "all": (3, 1, 1, 1)}


def test_the_set_has_45_answerable_questions_and_statements_of_its_own() -> None:
    pairs = read_pairs((files("sprints.evaluation") / "questions.csv").read_text(encoding="utf-8"))

    assert len([pair for pair in pairs if pair.gold_sql]) == 45
    assert len(pairs) == 60
    assert not {pair.gold_sql for pair in pairs} & {row["sql"] for row in list_shipped_queries()}


@pytest.mark.usefixtures("django_db_setup")
def test_40_of_45_are_answered_right_3_are_asked_back_and_none_of_the_others() -> None:
    pairs = read_pairs((files("sprints.evaluation") / "questions.csv").read_text(encoding="utf-8"))

    async def ask(question: str) -> Draft:
        return await generate(question, now=AS_OF, reader=reader, model=None)

    async def every() -> list[JudgedAnswer]:
        return [await judge(pair, ask=ask, run=try_execute, clock=reader.clock) for pair in pairs]

    judged = event_loop.run(every())

    assert [one.question for one in judged if one.verdict in ("broken gold", "failed")] == []
    assert sum(one.is_good for one in judged if one.is_answerable) >= 40
    assert sum(one.verdict == "wrong" for one in judged if one.is_answerable) <= 2
    assert [one.question for one in judged if not one.is_answerable and not one.is_good] == []
