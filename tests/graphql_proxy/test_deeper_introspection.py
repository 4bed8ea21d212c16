"""introspect_schema: a field with its arguments, mutations, pages of a type, deprecations, what is used most."""

from collections import Counter

import pytest
from graphql import build_schema, parse, validate

from graphql_proxy.schema.descriptions import (
    Budget,
    field_description,
    query_description,
    type_description,
)
from graphql_proxy.schema.search import SchemaIndex
from graphql_proxy.schema.usage import count_coordinates

SCHEMA = build_schema(
    """
type Query { repository(name: String!): Repository wide: Wide count: Int }
type Mutation { addStar(input: StarInput!): Repository }
input StarInput { note: String = "none" repositoryId: ID! weight: Int = 3 }
type Repository {
  alpha: Int
  old: String @deprecated(reason: "Use alpha.")
  issues(after: String, first: Int = 10, states: [State!] = [OPEN], filter: IssueFilter, owner: ID!): [Issue!]!
  zulu: Int
}
input IssueFilter { label: String, assignee: ID! }
enum State { OPEN CLOSED @deprecated(reason: "Gone.") }
type Issue { id: ID! title: String }
type Wide { FIELDS }
""".replace("FIELDS", " ".join(f"member{number:03}: Int" for number in range(500)))
)


def test_a_field_shows_all_arguments_with_types_defaults_and_inputs() -> None:
    shown = field_description(SCHEMA, coordinate="Repository.issues", depth=1, budget=Budget())

    assert shown.arguments == [
        "owner: ID!", "after: String", "first: Int = 10", "states: [State!] = [OPEN]", "filter: IssueFilter",
    ]  # fmt: skip
    assert shown.inputs == {"IssueFilter": ["assignee: ID!", "label: String"]}
    assert shown.enums == {"State": ["OPEN", "CLOSED @deprecated(Gone.)"]}
    assert shown.returns == {"Issue": ["id: ID!", "title: String"]}


def test_uses_are_counted_for_each_upstream_and_type() -> None:
    calls = [
        '{"upstream": "code", "query": "{ repository(name: 1) { issues(owner: 1, filter: {assignee: 1}) { id } } }"}',
        '{"upstream": "code", "query": "{ repository(name: \\"b\\") { zulu } }"}',
        '{"upstream": "other", "query": "{ count }"}',
        '{"query": "{ count }"}',
        '{"upstream": "code", "query": "{ repos',
    ]

    assert count_coordinates(calls, schema=SCHEMA, slug="code", is_default=False) == Counter(
        {
            "Query.repository": 2, "Query.repository.name": 2, "Repository.zulu": 1, "Repository.issues": 1,
            "Repository.issues.owner": 1, "Repository.issues.filter": 1, "IssueFilter.assignee": 1, "Issue.id": 1,
        }
    )  # fmt: skip
    assert count_coordinates(calls, schema=SCHEMA, slug="code", is_default=True)["Query.count"] == 1


def test_a_field_of_an_input_shows_its_type_and_default() -> None:
    note = field_description(SCHEMA, coordinate="StarInput.note", depth=1, budget=Budget())

    assert note.signature == 'StarInput.note: String = "none"'
    assert note.returns == {"String": ["scalar"]}


@pytest.mark.parametrize("coordinate", ["Repository.nothing", "Nothing.issues", "State.OPEN", "StarInput.nothing"])
def test_an_unknown_field_is_a_key_error(coordinate: str) -> None:
    with pytest.raises(KeyError):
        field_description(SCHEMA, coordinate=coordinate, depth=1, budget=Budget())


def test_a_mutation_is_shown_as_a_query_is() -> None:
    shown = query_description(SCHEMA, name="addStar", depth=1, budget=Budget())

    assert shown.inputs == {"StarInput": ["repositoryId: ID!", 'note: String = "none"', "weight: Int = 3"]}
    assert shown.example is not None
    assert shown.example.query.startswith("mutation Example($input: StarInput!)")
    assert validate(SCHEMA, parse(shown.example.query)) == []


def test_members_are_ranked_by_use_and_deprecated_ones_come_last() -> None:
    uses = Counter({"Repository.zulu": 9, "Repository.issues": 4, "Issue.alpha": 20})
    shown = type_description(SCHEMA, name="Repository", depth=1, budget=Budget(), uses=uses)

    assert [line.partition("(")[0].partition(":")[0] for line in shown.members] == [
        "zulu", "issues", "alpha", "old",
    ]  # fmt: skip
    assert shown.members[-1] == "old: String @deprecated(Use alpha.)"


def test_the_pages_of_a_type_hold_every_member_once() -> None:
    members: list[str] = []
    for page in range(1, 100):
        budget = Budget.from_tokens(600)
        shown = type_description(SCHEMA, name="Wide", depth=1, budget=budget, page=page)
        if not shown.members:
            break
        assert sum(len(line) + 4 for line in shown.members) <= 600 * 4
        assert f"this is page {page} of" in budget.left_out[0]
        members += shown.members
    assert members == [f"member{number:03}: Int" for number in range(500)]


def test_a_larger_budget_shows_more() -> None:
    small, large = (
        type_description(SCHEMA, name="Wide", depth=1, budget=Budget.from_tokens(tokens)).members
        for tokens in (600, 5_000)
    )
    assert len(small) < len(large) == 500


@pytest.mark.parametrize("name", ["wide", "count", "repository"])
def test_what_a_query_returns_is_never_empty(name: str) -> None:
    shown = query_description(SCHEMA, name=name, depth=1, budget=Budget.from_tokens(300))

    assert shown.returns
    assert all(shown.returns.values())


def test_a_deprecated_member_is_found_behind_others_with_its_reason() -> None:
    index = SchemaIndex.from_schema(build_schema(
        'type Query { team: Int team_old: Int @deprecated(reason: "Use team.") teamList: Int }'
    ))  # fmt: skip
    found = index.search("team", limit=3)

    assert found[-1].name == "team_old"
    assert found[-1].description == "Deprecated: Use team."
