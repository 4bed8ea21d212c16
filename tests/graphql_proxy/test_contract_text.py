"""The contract's five properties of `enhance_graphql_error`, and its unit tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphql_proxy.fixes.contract_text import (
    CONTRACT_HINTS,
    ROOKIES_NOTE,
    UNKNOWN_QUERY_HINT,
    MessageHint,
    enhance_graphql_error,
)
from tests.graphql_proxy.upstream_data import every_error

PIECES = [
    "Cannot query field",
    ' "rookies"',
    " 'Rookies'",
    ' on type "Query"',
    " on type 'Query'.",
    " on type Query",
    "\n\n",
    UNKNOWN_QUERY_HINT,
    ROOKIES_NOTE,
    "Syntax Error",
    "\x00",
    "🏒",
]
messages = st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8).map("".join)


@given(messages)
def test_the_original_stands_first(message: str) -> None:
    assert enhance_graphql_error(message).startswith(message)


@given(messages)
def test_enhancing_again_changes_nothing(message: str) -> None:
    once = enhance_graphql_error(message)

    assert enhance_graphql_error(once) == once


@given(messages.filter(lambda message: "Cannot query field" not in message))
def test_what_is_no_field_error_comes_back_unchanged(message: str) -> None:
    assert enhance_graphql_error(message) == message


@given(messages)
def test_no_hint_is_said_twice(message: str) -> None:
    enhanced = enhance_graphql_error(message)

    for hint in CONTRACT_HINTS:
        assert enhanced.count(hint.text) <= max(1, message.count(hint.text))


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_field_error_that_names_rookies_is_told_what_a_rookie_is(before: str, after: str) -> None:
    enhanced = enhance_graphql_error(f'{before}Cannot query field "rookies" on type "Query".{after}')

    for said in ("under 26, <25 games", "leagueSkaterStats", "leagueGoalieStats", "get_league_leaders"):
        assert said in enhanced


def test_it_is_the_contracts_text_to_the_letter() -> None:
    error = 'Cannot query field "rookies" on type "Query".'

    assert enhance_graphql_error(error) == (
        'Cannot query field "rookies" on type "Query".\n\n'
        "Hint: Use the introspect_schema tool to see all available queries.\n\n"
        'Note: There is no "rookies" query. To find rookie players (under 26, <25 games in preceding season), use '
        "leagueSkaterStats or leagueGoalieStats with age/games filters, or get_league_leaders to find top performers."
    )


@pytest.mark.parametrize("quote", ['"', "'", ""])
def test_names_may_be_quoted_as_any_server_does(quote: str) -> None:
    error = f"Cannot query field {quote}foobar{quote} on type {quote}Query{quote}."

    assert enhance_graphql_error(error) == f"{error}\n\n{UNKNOWN_QUERY_HINT}"


@pytest.mark.parametrize("kind", ["QueryResult", "Player", "query"])
def test_a_field_of_another_type_is_no_unknown_query(kind: str) -> None:
    error = f'Cannot query field "foobar" on type "{kind}".'

    assert enhance_graphql_error(error) == error


@pytest.mark.parametrize("error", every_error())
def test_real_errors_keep_their_words(error: str) -> None:
    enhanced = enhance_graphql_error(error)

    assert enhanced.startswith(error)
    assert (enhanced != error) == ("Cannot query field" in error and "Query" in error.partition("on type")[2][:8])


@given(messages, st.lists(st.sampled_from(PIECES).filter(str.strip), max_size=3))
def test_hints_of_curators_keep_the_properties_too(message: str, texts: list[str]) -> None:
    hints = [*CONTRACT_HINTS, *(MessageHint(text=text, fits=lambda bare: "e" in bare) for text in texts)]

    once = enhance_graphql_error(message, hints=hints)

    assert once.startswith(message)
    assert enhance_graphql_error(once, hints=hints) == once
