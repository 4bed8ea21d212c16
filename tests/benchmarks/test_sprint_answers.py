"""The judge of answers accepts what is right in any shape, and fails what is not."""

from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import pytest

from benchmarks.sprint_answers import QUESTIONS as QUESTIONS_FILE
from benchmarks.sprint_answers import Verdict, judge_answer, load_questions

QUESTIONS = load_questions()
Question = dict[str, Any]


def change_value(value: Any) -> Any:
    return f"{value}9" if isinstance(value, str) else (value or 0) + 1000


def question(
    kind: str = "rows", rows: Any = (), *more: Any, ordered: bool = False, matter: list[int] | None = None
) -> Question:
    readings = [{"rows": [list(r) for r in reading]} for reading in (rows, *more) if reading]
    return {"kind": kind, "readings": readings, "ordered": ordered, "columns_that_matter": matter}


def judge(q: Question, rows: Any, *, asks_back: bool = False) -> Verdict:
    return judge_answer(q, asks_back=asks_back, rows=rows)


@pytest.mark.parametrize("q", QUESTIONS, ids=lambda q: q["id"])
def test_each_recorded_result_is_right_and_a_changed_one_is_wrong(q: Question) -> None:
    for reading in q["readings"]:
        assert judge(q, reading["rows"]) == "right"
        changed = [
            [f"{value}9" if isinstance(value, str) else (value or 0) + 1000 for value in row] for row in reading["rows"]
        ]
        assert judge(q, changed) == "wrong"
        assert judge(q, reading["rows"] + [["further"] * len(reading["rows"][0])]) == "wrong"
    assert judge(q, []) == "wrong"
    assert judge(q, [], asks_back=True) == ("right" if q["kind"] == "ask_back" else "asked back")


@pytest.mark.parametrize(
    "written",
    ["2026-11-17T08:26:00.000Z", "2026-11-17T08:26:00+00:00", "2026-11-17 08:26:00+00", "2026-11-17T09:26:00+01:00",
     datetime(2026, 11, 17, 8, 26, tzinfo=UTC)],
)  # fmt: skip
def test_a_moment_may_be_written_in_any_way(written: Any) -> None:
    q = question("rows", [["HARBOR-74", "2026-11-17T08:26:00+00:00"]])

    assert judge(q, [["HARBOR-74", written]]) == "right"
    assert judge(q, [["HARBOR-74", "2026-11-17T08:27:00.000Z"]]) == "wrong"
    assert judge(q, [["HARBOR-74", "2026-11-17"]]) == "wrong"


def test_there_are_200_questions_in_ten_styles_40_of_them_to_ask_back() -> None:
    assert len(QUESTIONS) == 200
    for style in {q["style"] for q in QUESTIONS}:
        mine = [q for q in QUESTIONS if q["style"] == style]
        assert (len(mine), sum(q["kind"] == "ask_back" for q in mine)) == (20, 4)
    assert len({q["style"] for q in QUESTIONS}) == 10
    assert all((q["previous"] is not None) == (q["style"] == "follow-up") for q in QUESTIONS)


def test_the_third_set_has_ten_of_each_style_two_of_them_to_ask_back() -> None:
    third = load_questions(QUESTIONS_FILE.with_name("questions_3.jsonl"))

    assert len(third) == 100
    for style in {q["style"] for q in third}:
        mine = [q for q in third if q["style"] == style]
        assert (len(mine), sum(q["kind"] == "ask_back" for q in mine)) == (10, 2)
    for q in third:
        assert all(judge(q, reading["rows"]) == "right" for reading in q["readings"]), q["id"]


@pytest.mark.parametrize("name", ["questions_5.jsonl", "questions_6.jsonl", "questions_7.jsonl"])
def test_a_later_set_has_eight_of_each_style_18_of_them_to_ask_back(name: str) -> None:
    questions = load_questions(QUESTIONS_FILE.with_name(name))

    assert Counter(Counter(q["style"] for q in questions).values()) == {8: 10}
    assert sum(q["kind"] == "ask_back" for q in questions) == 18
    for q in questions:
        assert bool(q["readings"]) == (q["kind"] != "ask_back"), q["id"]
        assert all(judge(q, reading["rows"]) == "right" for reading in q["readings"]), q["id"]


def test_the_eighth_set_has_four_of_each_style_one_of_them_to_ask_back() -> None:
    questions = load_questions(QUESTIONS_FILE.with_name("questions_8.jsonl"))

    assert Counter(Counter(q["style"] for q in questions).values()) == {4: 10}
    assert sum(q["kind"] == "ask_back" for q in questions) == 10
    for q in questions:
        assert all(judge(q, reading["rows"]) == "right" for reading in q["readings"]), q["id"]


def test_names_and_further_columns_and_order_do_not_matter() -> None:
    q = question(rows=[("ACCEL", 3), ("ORBIT", 5)])
    assert judge(q, [{"team": "ORBIT", "points": 1, "n": 5}, {"team": "ACCEL", "points": 2, "n": 3}]) == "right"


def test_a_row_too_few_or_swapped_figures_are_wrong() -> None:
    q = question(rows=[("ACCEL", 3), ("ORBIT", 5)])
    assert judge(q, [("ACCEL", 3)]) == "wrong"
    assert judge(q, [("ACCEL", 5), ("ORBIT", 3)]) == "wrong"


def test_a_ranking_needs_its_order_but_ties_may_change_places() -> None:
    q = question(rows=[("a", 9), ("b", 9), ("c", 1)], ordered=True, matter=[0])
    assert judge(q, [("b",), ("a",), ("c",)]) == "right"
    assert judge(q, [("c",), ("a",), ("b",)]) == "wrong"


def test_numbers_are_compared_at_the_coarser_decimals_but_one_at_least() -> None:
    q = question("number", [(37.333333,)])
    assert judge(q, [(37.33,)]) == "right"
    assert judge(q, [("37.3",)]) == "right"
    assert judge(q, [(37,)]) == "wrong"
    assert judge(q, [(37.4,)]) == "wrong"
    assert judge(question("number", [(27,)]), [(27.0,)]) == "right"
    assert judge(question("number", [(27,)]), [(26.9999,)]) == "wrong"


def test_a_month_may_be_written_in_several_ways() -> None:
    q = question(rows=[("2026-09-01", 3), ("2026-10-01", 4)])
    assert judge(q, [("2026-09", 3), ("2026-10", 4)]) == "right"
    assert judge(q, [("2026-09-01T00:00:00+00:00", 3), (date(2026, 10, 1), 4)]) == "right"
    assert judge(q, [("2026-08", 3), ("2026-10", 4)]) == "wrong"


def test_any_of_the_readings_is_right_and_a_mixture_is_not() -> None:
    q = question("rows", [("a", 1), ("b", 2)], [("a", 3), ("b", 4)])
    assert judge(q, [("a", 3), ("b", 4)]) == "right"
    assert judge(q, [("a", 1), ("b", 4)]) == "wrong"


def test_two_figures_may_stand_side_by_side_in_one_row() -> None:
    q = question(rows=[("2026-09-01", 26), ("2026-10-01", 29)])
    assert judge(q, [("2026-09-01", 26, "2026-10-01", 29)]) == "right"
    assert judge(q, [(26, 29)]) == "wrong"


def test_an_answer_to_what_must_be_asked_back_is_wrong() -> None:
    q = question("ask_back")
    assert judge(q, [("ACCEL", 5)]) == "wrong"
    assert judge(q, [], asks_back=True) == "right"


def test_two_figures_of_one_row_may_stand_below_each_other() -> None:
    q = question("rows", [(32, 26)])
    assert judge(q, [("created", 32), ("done", 26)]) == "right"
    assert judge(q, [("done", 26), ("created", 32)]) == "wrong"
    assert judge(q, [("created", 32), ("done", 25)]) == "wrong"
