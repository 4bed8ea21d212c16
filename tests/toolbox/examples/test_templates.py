"""Slots go into arguments, answers into words, and nothing else happens."""

import pytest

from toolbox.contract.slots import Candidate
from toolbox.examples.cache import KnownExample
from toolbox.examples.templates import (
    CannotFill,
    fill_arguments,
    fill_question,
    find_problems,
    make_next_arguments,
    render_answer,
)

TEAM = Candidate(value="CAR", label="Carolina Hurricanes")
MONTH = Candidate(value="2025-02", label="February 2025", parts={"start": "2025-02-01", "end": "2025-02-28"})
VALUES = {"team": TEAM, "month": MONTH}
ROWS = [
    {"outcome": "WIN", "goals": 3, "day": "2025-02-01T20:00:00Z"},
    {"outcome": "LOSS", "goals": 1, "day": "2025-02-01T21:00:00Z"},
    {"outcome": "WIN", "goals": None},
]


def test_slots_go_into_arguments_at_any_depth() -> None:
    template = {"teamCode": "{team}", "within": [{"from": "{month.start}T00:00:00Z"}], "limit": 5, "all": True}

    assert fill_arguments(template, values=VALUES) == {
        "teamCode": "CAR",
        "within": [{"from": "2025-02-01T00:00:00Z"}],
        "limit": 5,
        "all": True,
    }


def test_a_slot_can_be_a_number() -> None:
    place = Candidate(value="a.kt", label="a.kt:56", parts={"line": "56", "workspace": "7 hills"})

    assert fill_arguments(["{place.line:int}", "{place.line}"], values={"place": place}) == [56, "56"]
    with pytest.raises(CannotFill):
        fill_arguments("{place.workspace:int}", values={"place": place})


@pytest.mark.parametrize("template", ["{player}", "{team.arena}"])
def test_what_is_not_known_cannot_be_filled(template: str) -> None:
    with pytest.raises(CannotFill):
        fill_arguments({"x": template}, values=VALUES)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ team }} in {{ month }}", "Carolina Hurricanes in February 2025"),
        ("{{ slots.month.start }} {{ slots.team.value }}", "2025-02-01 CAR"),
        ('{{ answer|where:"outcome=WIN"|length }} of {{ answer|length }}', "2 of 3"),
        ('{{ answer|column:"goals"|total }}', "4"),
        ('{{ answer|column:"day"|distinct|length }}, first {{ answer.0.day|day }}', "2, first 2025-02-01"),
        ("{% for row in answer|first_of:2 %}\n- {{ row.outcome }}{% endfor %}", "- WIN\n- LOSS"),
        ("a <b> & {{ answer.0.outcome }}", "a <b> & WIN"),
    ],
)
def test_answers_are_worded(template: str, said: str) -> None:
    assert render_answer(template, answers=[ROWS], values=VALUES) == said


@pytest.mark.parametrize(
    ("value", "said"), [(1234567.5, "1,234,567.5"), (2, "2"), (0.126, "0.13"), (None, "none"), ("x", "x")]
)
def test_numbers_are_written_for_people(value: object, said: str) -> None:
    assert render_answer("{{ answer.value|number }}", answers=[{"value": value}], values={}) == said


def test_what_is_missing_shows() -> None:
    assert render_answer("{{ answer.nothing }}", answers=[{}], values={}) == "[missing: answer.nothing]"


@pytest.mark.parametrize(
    "template",
    [
        '{% include "admin/base.html" %}',
        "{% load static %}",
        "{{ answer|no_such_filter }}",
        "{% if %}",
        "{{ x._y }}",
        "{% url 'x' %}",
    ],
)
def test_a_template_can_reach_nothing_outside(template: str) -> None:
    with pytest.raises(CannotFill):
        render_answer(template, answers=[{}], values={})


def test_an_answer_is_only_data() -> None:
    answer = {"text": "{{ team }} {% include 'x' %}", "clear": "kept"}

    assert render_answer("{{ answer.text }} {{ answer.clear }}", answers=[answer], values=VALUES) == (
        "{{ team }} {% include 'x' %} kept"
    )


def test_samples_go_into_a_question() -> None:
    assert fill_question("{team} from {first:date} to {last:date}", samples={"team": "CAR", "first": "May 1"}) == (
        "CAR from May 1 to {last:date}"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"tool": "no_such_tool"}, "linescore has no tool no_such_tool."),
        ({"question": "How did {club} do?", "arguments": {}}, "linescore has no slot club"),
        ({"phrasings": ["How was it?"]}, "'How was it?' does not name what the question names."),
        ({"arguments": {"teamCode": "{month}"}}, "The arguments use month"),
        ({"answer": "{% for %}"}, "The answer is no template"),
        ({"next_calls": [{"tool": "gone", "arguments": {}}]}, "linescore has no tool gone."),
        (
            {"next_calls": [{"tool": "query_linescore_data", "arguments": {"x": "{{ a|nofilter }}"}}]},
            "The answer is no template, or the argument of a call",
        ),
    ],
)
def test_what_cannot_work_is_said(changed: dict[str, object], said: str) -> None:
    usual: dict[str, object] = {
        "id": 1, "domain": "linescore", "name": "x", "question": "How did {team} do?", "phrasings": (),
        "tool": "query_linescore_data", "arguments": {"teamCode": "{team}"}, "answer": "{{ team }}",
    }  # fmt: skip

    assert find_problems(KnownExample(**usual)) == []  # type: ignore[arg-type]
    assert said in find_problems(KnownExample(**usual | changed))[0]  # type: ignore[arg-type]


def test_a_later_call_takes_what_earlier_ones_said() -> None:
    answers = [{"line": 7, "trace": "at a.B.getX(B.kt:3)\nat a.B.show(B.kt:56)"}, {"name": "show"}]
    written = {
        "line": "{{ answers.0.line }}",
        "at": '{{ answers.0.trace|found:"show\\(B\\.kt:(\\d+)"|whole }}',
        "said": "{{ answers.1.name }} of {{ team }}",
        "usual": True,
        "workspace": "{{ answers.0.workspace }}",
        "none": '{{ answers.0.trace|found:"absent"|whole }}',
    }

    assert make_next_arguments(written, answers=answers, values=VALUES) == {
        "line": 7, "at": 56, "said": f"show of {VALUES['team'].label}", "usual": True,
    }  # fmt: skip
