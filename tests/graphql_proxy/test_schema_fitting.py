"""Stored documents cut to what a schema has."""

from typing import Any

import pytest
from graphql import build_schema, parse, validate

from graphql_proxy.operations.schema_fitting import MissingInSchema, fit_document

SCHEMA = build_schema("""
  type Query { team(id: ID!): Team teams(q: String): [Team] }
  type Team { id: ID name: String city: City }
  type City { name: String }
""")
DOCUMENT = parse("""
  query Show($id: ID!, $season: String, $q: String) {
    team(id: $id) { id name founded city { mayor { name } } coach { ...Person } }
    others: teams(q: $q) { name }
    standings(season: $season) { position }
  }
  query Other { nothing }
  fragment Person on Coach { name }
""")


def cut(*, needs: tuple[str, ...] = ("team",), **given: Any) -> Any:
    return fit_document(DOCUMENT, operation="Show", needs=needs, given={"id": "1"} | given, schema=SCHEMA)


def test_what_the_schema_lacks_is_left_out_and_named() -> None:
    fitted = cut(q="x")

    assert fitted.left_out == ["City.mayor", "Query.standings", "Team.coach", "Team.founded"]
    assert "standings" not in fitted.query
    assert "city" not in fitted.query
    assert "$season" not in fitted.query
    assert validate(SCHEMA, parse(fitted.query)) == []


def test_what_is_left_is_one_valid_operation() -> None:
    document = parse("query Show($id: ID!, $q: String) { team(id: $id) { name founded } teams(q: $q) { id } }"
                     " query Other { nothing }")  # fmt: skip

    fitted = fit_document(document, operation="Show", needs=("team",), given={"id": "1"}, schema=SCHEMA)

    assert validate(SCHEMA, parse(fitted.query)) == []
    assert "Other" not in fitted.query
    assert "$q" not in fitted.query


def test_a_root_field_that_is_needed_is_missed_by_its_own_name() -> None:
    document = parse("query Show { one: player { name } two: goalie { name } }")

    with pytest.raises(MissingInSchema) as lacking:
        fit_document(document, operation="Show", needs=("one", "two"), given={}, schema=SCHEMA)

    assert lacking.value.fields == ["player", "goalie"]


def test_an_argument_that_was_given_is_missed_and_one_that_was_not_is_dropped() -> None:
    document = parse("query Show($x: String) { teams(country: $x) { name } }")

    dropped = fit_document(document, operation="Show", needs=("teams",), given={}, schema=SCHEMA)
    with pytest.raises(MissingInSchema) as lacking:
        fit_document(document, operation="Show", needs=("teams",), given={"x": "fi"}, schema=SCHEMA)

    assert "country" not in dropped.query
    assert lacking.value.arguments == ["country"]


def test_without_a_schema_the_operation_goes_as_it_is() -> None:
    fitted = fit_document(DOCUMENT, operation="Show", needs=("team",), given={}, schema=None)

    assert "standings" in fitted.query
    assert "fragment Person" in fitted.query
    assert fitted.left_out == []


def test_an_operation_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        fit_document(DOCUMENT, operation="Nobody", needs=(), given={}, schema=SCHEMA)
