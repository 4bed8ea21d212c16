"""Hints for real errors of three servers; and whatever is wrong with a hint, the error stays."""

import time
from typing import Any

import pytest
from graphql import build_schema, parse, validate
from hypothesis import given
from hypothesis import strategies as st

from graphql_proxy.documents import measured, parsed
from graphql_proxy.error_text import enhance_graphql_error
from graphql_proxy.hints import Hint, fits, hints_beside, match, message_hints, problem_of
from graphql_proxy.lookups import Context, look_up
from tests.graphql_proxy.upstream_data import (
    SERVERS,
    SMALL,
    cases,
    every_error,
    observed_java_cases,
    shipped_hints,
    shipped_rows,
)

HINTS = shipped_hints()


def _hints(case: dict[str, Any]) -> list[str]:
    try:
        document = parsed(case["query"], measure=measured(case["query"], most_tokens=1000))
    except Exception:  # noqa: BLE001 - documents that do not parse are among the cases
        document = None
    context = Context(schema=SMALL, document=document, variables=case["variables"])
    return hints_beside(case["errors"], hints=HINTS, context=context)


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('{ league(slug: "nhl") { nam } }', "League has `name` instead of nam."),
        (
            '{ leagueSkaterStats(slug: "nhl") { player { id } } }',
            "PlayerStatsConnection has no field player itself; it stands deeper: edges { player }.",
        ),
        ("{ team(id: 75) }", "team is an object and needs a selection: team { id name league { … } players { … } }."),
        ("{ team(id: 75) { name { x } } }", "name is a plain value: write name alone, without braces."),
        ("{ team(id: 75, nmae: 1) { name } }", "team takes `id`, not nmae."),
        ("{ team { name } }", "Give team its argument id"),
        ("{ teams(status: activ) { edges { name } } }", "TeamStatuses knows `active`"),
        ("query Q($id: ID!) { team(id: $id) { name } }", "by name without the $; missing: $id."),
        ("query Q($id: String) { team(id: $id) { name } }", "Declare $id as ID! instead of String."),
        ("{ team(id: $id) { name } }", "query Name($id: Type)"),
        ("{ team(id: 75) { ... on Teem { name } } }", "The schema has `Team`"),
    ],
)
def test_what_agents_get_wrong_is_helped_whatever_the_server(server: str, query: str, hint: str) -> None:
    case = next(case for case in cases(server) if case["query"] == query)

    assert any(hint in said for said in _hints(case)), _hints(case)


@pytest.mark.parametrize("server", ["graphql_js", "graphql_core"])
@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (
            '{ leagueSkaterStats(slug: "nhl") { edges { regularStats { pts gp } } } }',
            "stats are upper case: ask for `PTS` on RegularStats.",
        ),
        ('{ leagueSkaterStats(slug: "nhl") { edges { node { id } } } }', "There is no level node in PlayerStats"),
        ('{ teams(status: "ACTIVE") { edges { name } } }', "without quotes inside a document: `active`"),
        ('{ teams(limit: "5") { edges { name } } }', "Numbers are written without quotes."),
        ("{ team(id: 75) { name ", "The document ends too early"),
        ("{ team(id: 75) { name name: id } }", "Give one of the two fields an alias"),
        ("query A { team(id: 75) { name } } query B { team(id: 75) { name } }", "operationName"),
    ],
)
def test_what_only_some_servers_say_is_helped_there(server: str, query: str, hint: str) -> None:
    case = next(case for case in cases(server) if case["query"] == query)

    assert any(hint in said for said in _hints(case)), _hints(case)


@pytest.mark.parametrize("row", shipped_rows(), ids=lambda row: str(row["name"]))
def test_every_shipped_hint_fits_its_own_example(row: dict[str, Any]) -> None:
    hint = next(hint for hint in HINTS if hint.name == row["name"])

    assert problem_of(hint.pattern) is None
    assert match(hint.matcher, pattern=hint.pattern, error=row["example"]) is not None


@pytest.mark.parametrize("case", observed_java_cases(), ids=lambda case: str(case["error"])[17:60])
def test_what_java_servers_really_said_is_understood(case: dict[str, Any]) -> None:
    java = [hint for hint in HINTS if hint.layer == "beside" and hint.matcher == "regex"]
    found = [match(hint.matcher, pattern=hint.pattern, error=case["error"]) for hint in java]

    assert case["groups"] in found
    assert enhance_graphql_error(case["error"]) == case["error"]


@pytest.mark.parametrize("error", every_error())
def test_hints_end_in_a_sentence_without_gaps(error: str) -> None:
    for said in hints_beside([error], hints=HINTS, context=Context(schema=SMALL)):
        assert "{found}" not in said
        assert "  " not in said
        assert said.endswith((".", "…"))


@given(st.text() | st.sampled_from(every_error()))
def test_no_text_makes_hints_fail(error: str) -> None:
    assert isinstance(hints_beside([error], hints=HINTS, context=Context(schema=SMALL)), list)


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_pattern_makes_hints_fail(pattern: str, error: str) -> None:
    hint = Hint(name="any", matcher="regex", pattern=pattern, layer="beside", lookup="", hint="Hello.")

    assert hints_beside([error], hints=[hint], context=Context()) in ([], ["Hello."])


@pytest.mark.parametrize("pattern", ["(", "(?P<a>x)(?P<a>y)", "[z-a]", "(?<=a+)b", "x{9999999999}", "*"])
def test_a_broken_pattern_is_passed_over_and_the_others_are_heard(pattern: str) -> None:
    broken = Hint(name="broken", matcher="regex", pattern=pattern, layer="beside", lookup="", hint="Never.")
    good = Hint(name="good", matcher="contains", pattern="ERROR", layer="beside", lookup="", hint="Said.")

    assert "Said." in hints_beside(["some error"], hints=[broken, good], context=Context())


def test_a_pattern_that_backtracks_without_end_is_given_up() -> None:
    slow = Hint(name="slow", matcher="regex", pattern=r"(a+)+$x", layer="beside", lookup="", hint="Never.")

    started = time.perf_counter()

    assert hints_beside(["a" * 2_000], hints=[slow], context=Context()) == []
    assert time.perf_counter() - started < 2, "50 ms are allowed, a busy machine takes some more"


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

    assert len(hints_beside(["error"], hints=many, context=Context())) == 10


def test_words_of_an_error_are_cut_before_they_are_repeated() -> None:
    hint = Hint(name="x", matcher="regex", pattern="(?P<all>.+)", layer="beside", lookup="", hint="{all}")

    assert len(hints_beside(["x" * 5_000], hints=[hint], context=Context())[0]) == 100


def test_a_suggested_selection_validates() -> None:
    """What a hint writes for `team` runs when its deeper fields are left out."""
    shown = look_up("selection", groups={"type": "RegularStats"}, context=Context(schema=SMALL))

    assert validate(SMALL, parse(f'{{ leagueSkaterStats(slug: "x") {{ edges {{ regularStats {shown} }} }} }}')) == []


def test_a_level_is_looked_for_nearest_first() -> None:
    schema = build_schema("type Query { a: A } type A { b: B edges: [C] } type B { x: Int } type C { x: Int }")

    assert look_up("level", groups={"type": "A", "field": "x"}, context=Context(schema=schema)) == "edges { x }"


def test_an_answer_full_of_errors_is_explained_in_bounded_time() -> None:
    """A slow pattern costs 50 ms for each error that it is held against, so hints look at the first ten."""
    errors = [f"error {number // 20}" for number in range(500)]
    hint = Hint(name="x", matcher="regex", pattern="error (?P<n>9|10)$", layer="beside", lookup="", hint="See {n}.")

    assert hints_beside(errors, hints=[hint], context=Context()) == ["See 9."]
