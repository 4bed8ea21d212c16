"""Hints for real errors of three servers; and whatever is wrong with a hint, the error stays."""

import re
from typing import Any

import pytest
from graphql import build_schema, parse, validate
from hypothesis import given
from hypothesis import strategies as st

from graphql_proxy.contracts import GraphqlError
from graphql_proxy.fixes.contract_text import enhance_graphql_error
from graphql_proxy.fixes.hint_rows import Hint, collect_hints, fits, match, message_hints, problem_of
from graphql_proxy.fixes.matching import find_names
from graphql_proxy.fixes.schema_lookups import Context, look_up
from tests.graphql_proxy.upstream_data import (
    SMALL,
    every_error,
    observed_java_cases,
    shipped_hints,
    shipped_rows,
)

HINTS = shipped_hints()


@pytest.mark.parametrize("row", shipped_rows(), ids=lambda row: str(row["name"]))
def test_every_shipped_hint_fits_its_own_example(row: dict[str, Any]) -> None:
    hint = next(hint for hint in HINTS if hint.name == row["name"])

    assert problem_of(hint.pattern) is None
    assert match(hint.matcher, pattern=hint.pattern, error=row["example"]) is not None


@pytest.mark.parametrize("case", observed_java_cases(), ids=lambda case: str(case["error"])[17:60])
def test_what_java_servers_really_said_names_what_is_at_fault(case: dict[str, Any]) -> None:
    names = find_names(GraphqlError(message=case["error"]))

    assert {name for text in case["groups"].values() for name in re.findall(r"[A-Za-z_]\w*", text)} <= names
    assert enhance_graphql_error(case["error"]) == case["error"]


@pytest.mark.parametrize("error", every_error())
def test_hints_end_in_a_sentence_without_gaps(error: str) -> None:
    for said in collect_hints([error], hints=HINTS, context=Context(schema=SMALL)):
        assert "{found}" not in said
        assert "  " not in said
        assert said.endswith((".", "…"))


@given(st.text() | st.sampled_from(every_error()))
def test_no_text_makes_hints_fail(error: str) -> None:
    assert isinstance(collect_hints([error], hints=HINTS, context=Context(schema=SMALL)), list)


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_pattern_makes_hints_fail(pattern: str, error: str) -> None:
    hint = Hint(name="any", matcher="regex", pattern=pattern, layer="beside", lookup="", hint="Hello.")

    assert collect_hints([error], hints=[hint], context=Context()) in ([], ["Hello."])


@pytest.mark.parametrize("pattern", ["(", "(?P<a>x)(?P<a>y)", "[z-a]", "(?<=a+)b", "x{9999999999}", "*"])
def test_a_broken_pattern_is_passed_over_and_the_others_are_heard(pattern: str) -> None:
    broken = Hint(name="broken", matcher="regex", pattern=pattern, layer="beside", lookup="", hint="Never.")
    good = Hint(name="good", matcher="contains", pattern="ERROR", layer="beside", lookup="", hint="Said.")

    assert "Said." in collect_hints(["some error"], hints=[broken, good], context=Context())


def test_a_pattern_that_backtracks_without_end_is_given_up() -> None:
    """Tried to its end, it would take longer than anybody waits."""
    slow = Hint(name="slow", matcher="regex", pattern=r"(a+)+$x", layer="beside", lookup="", hint="Never.")

    assert collect_hints(["a" * 2_000], hints=[slow], context=Context()) == []


def test_a_broken_pattern_of_the_message_layer_leaves_the_message() -> None:
    broken = Hint(name="broken", matcher="regex", pattern="(", layer="message", lookup="", hint="Never.")

    assert [hint.fits("Cannot query field") for hint in message_hints([broken])][-1] is False


def test_a_hint_is_left_out_where_the_schema_knows_nothing() -> None:
    hint = Hint(name="x", matcher="regex", pattern="(?P<type>T)", layer="beside", lookup="selection", hint="{found}")

    assert fits("T", hints=[hint], context=Context(schema=SMALL)) == []
    assert fits("T", hints=[hint], context=Context()) == []


@pytest.mark.parametrize("lookup", ["field", "level", "type", "argument", "enum_value", "selection", "variable", "?"])
def test_a_lookup_without_its_groups_finds_nothing_and_does_not_fail(lookup: str) -> None:
    assert look_up(lookup, groups={}, context=Context(schema=SMALL)) is None
    assert (
        look_up(lookup, groups={"type": "__proto__", "field": "\x00", "path": "//"}, context=Context(schema=SMALL))
        is None
    )


def test_ten_hints_are_said_at_most() -> None:
    many = [
        Hint(name=str(n), matcher="contains", pattern="e", layer="beside", lookup="", hint=f"{n}.") for n in range(50)
    ]

    assert len(collect_hints(["error"], hints=many, context=Context())) == 10


def test_words_of_an_error_are_cut_before_they_are_repeated() -> None:
    hint = Hint(name="x", matcher="regex", pattern="(?P<all>.+)", layer="beside", lookup="", hint="{all}")

    assert len(collect_hints(["x" * 5_000], hints=[hint], context=Context())[0]) == 100


def test_a_suggested_selection_validates() -> None:
    """What a hint writes for `team` runs when its deeper fields are left out."""
    shown = look_up("selection", groups={"type": "RegularStats"}, context=Context(schema=SMALL))

    assert validate(SMALL, parse(f'{{ leagueSkaterStats(slug: "x") {{ edges {{ regularStats {shown} }} }} }}')) == []


def test_a_level_is_looked_for_nearest_first_and_not_where_the_type_has_it() -> None:
    schema = build_schema(
        "type Query { a: A } type A { b: B edges: [C] fooBar: Int } type B { x: Int } type C { x: Int foo_bar: Int }"
    )

    assert look_up("level", groups={"type": "A", "field": "x"}, context=Context(schema=schema)) == "edges { x }"
    assert look_up("level", groups={"type": "A", "field": "foo_bar"}, context=Context(schema=schema)) is None


def test_an_answer_full_of_errors_is_explained_in_bounded_time() -> None:
    """A slow pattern costs 50 ms for each error that it is held against, so hints look at the first ten."""
    errors = [f"error {number // 20}" for number in range(500)]
    hint = Hint(name="x", matcher="regex", pattern="error (?P<n>9|10)$", layer="beside", lookup="", hint="See {n}.")

    assert collect_hints(errors, hints=[hint], context=Context()) == ["See 9."]
