"""What is refused before anything is sent, and what it costs to find out."""

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from graphql import GraphQLSchema, GraphQLSyntaxError
from hypothesis import given, settings
from hypothesis import strategies as st

from graphql_proxy import guard
from graphql_proxy.contracts import DOCUMENT_REFUSED, MUTATION_REFUSED, DocumentCost
from graphql_proxy.upstreams import KnownUpstream
from tests.graphql_proxy.upstream_data import SMALL, UPSTREAM
from toolbox.contract.errors import ToolError


def _judge(
    query: str,
    *,
    upstream: KnownUpstream = UPSTREAM,
    schema: GraphQLSchema | None = SMALL,
    may_write: bool = False,
    **variables: Any,
) -> DocumentCost:
    document = guard.read_document(query, upstream=upstream)
    cost, weight = guard.cost_of(document, upstream=upstream, variables=variables, schema=schema)
    guard.refuse_forbidden(document, weight=weight, upstream=upstream, may_write=may_write)
    guard.refuse_expensive(cost, upstream=upstream)
    return cost


def _refuse(query: str, **options: Any) -> ToolError:
    with pytest.raises(ToolError) as refused:
        _judge(query, **options)
    return refused.value


def _write_doubling(levels: int) -> str:
    """Write a document that spreads each fragment twice: 2 to the power of `levels` fields when expanded."""
    spreads = [f"fragment F{n} on Team {{ ...F{n + 1} ...F{n + 1} }}" for n in range(levels)]
    return "\n".join(["{ team(id: 1) { ...F0 } }", *spreads, f"fragment F{levels} on Team {{ name }}"])


def test_an_ordinary_document_passes_and_is_counted() -> None:
    cost = _judge("{ a: team(id: 75) { name league { name } } teams(limit: 10) { edges { name } } }")

    assert (cost.depth, cost.fields, cost.aliases, cost.root_fields, cost.largest_list) == (3, 7, 1, 2, 10)
    assert cost.cost == 4 + 1 + 10 * 2


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("{ team(id: 1) { name } }" + " " * 70_000, "length in bytes"),
        ("{ " + "a " * 5_001 + "}", "number of words and signs"),
        ("{" * 101, "nesting of brackets"),
        ("{ a(x: " + "[" * 101, "nesting of brackets"),
        ("{ a " + "@x " * 31 + "}", "number of directives"),
        ("{ a" * 13 + " }" * 13, "depth"),
        ("{ " + " ".join(f"a{n}: team(id: 1) {{ id }}" for n in range(31)) + " }", "number of aliases"),
        ("{ " + " ".join(f"team{n} {{ id }}" for n in range(21)) + " }", "number of root fields"),
        ("{ teams(limit: 1001) { totalCount } }", "list size"),
        ("{ teams(first: 99999999999999999999) { totalCount } }", "list size"),
        ("{ a(limit: 1000) { b(limit: 1000) { c } } }", "cost"),
        (" ".join(f"fragment F{n} on Team {{ id }}" for n in range(101)), "number of fragments"),
        (_write_doubling(40), "cost"),
    ],
)
def test_a_document_past_a_limit_is_refused_by_name(query: str, what: str) -> None:
    refusal = _refuse(query)

    assert refusal.code is DOCUMENT_REFUSED
    assert refusal.details["limit"] == what
    assert refusal.details["found"] > refusal.details["most"]


@pytest.mark.parametrize("levels", [20, 60, 98])
def test_fragments_that_double_are_weighed_without_writing_them_out(levels: int) -> None:
    """Written out, they would take years."""
    refusal = _refuse(_write_doubling(levels))

    assert refusal.details["found"] > 10**5


@pytest.mark.parametrize(
    "query",
    [
        "{ ...A } fragment A on Query { ...A }",
        "{ ...A } fragment A on Query { ...B } fragment B on Query { team(id: 1) { id } ...A }",
        "{ team(id: 1) { ...A } } fragment A on Team { league { teams { edges { ...A } } } }",
        "{ team(id: 1) { id } } fragment A on Query { ...B } fragment B on Query { ...A }",
    ],
)
def test_fragments_that_contain_each_other_are_refused(query: str) -> None:
    assert "contain each other" in _refuse(query).message


@pytest.mark.parametrize(
    "query",
    [
        "{ ...__schema } fragment __schema on Query { team(id: 1) { id } }",
        "query __Introspection { team(id: 1) { id } }",
        "{ __typename2: team(id: 1) { id } }",
        "{ team(id: 1) { ... on Team { __type: name } } }",
    ],
)
def test_names_that_imitate_introspection_are_refused(query: str) -> None:
    assert "looks like introspection" in _refuse(query).message


@pytest.mark.parametrize(
    "query",
    [
        "{ __schema { types { name } } }",
        'query IntrospectionQuery { a: __type(name: "Team") { name } }',
        "{ ...A } fragment A on Query { ... { __schema { types { name } } } }",
        "query A { team(id: 1) { id } } query B { ...C } fragment C on Query { __schema { types { name } } }",
    ],
)
def test_introspection_is_refused_where_the_upstream_keeps_it_off(query: str) -> None:
    closed = replace(UPSTREAM, allows_introspection=False)

    assert "introspect_schema" in _refuse(query, upstream=closed).suggestion
    assert _judge(query).depth >= 2


def test_asking_for_a_type_name_is_no_introspection() -> None:
    closed = replace(UPSTREAM, allows_introspection=False)

    assert _judge("{ __typename team(id: 1) { __typename } }", upstream=closed).fields == 3


@pytest.mark.parametrize(
    "query",
    [
        'mutation { renameTeam(id: 1, name: "x") { id } }',
        'query A { team(id: 1) { id } } mutation B { renameTeam(id: 1, name: "x") { id } }',
        "subscription { a }",
        "{ team(id: 1) { id } } subscription B { a }",
    ],
)
def test_what_is_no_query_is_refused_wherever_it_stands(query: str) -> None:
    assert _refuse(query).code is MUTATION_REFUSED


def test_a_mutation_passes_where_both_the_upstream_and_the_tool_allow_it() -> None:
    open_to_writes = replace(UPSTREAM, allows_mutations=True)
    query = 'mutation { renameTeam(id: 1, name: "x") { id } }'

    assert "execute_graphql_mutation" in _refuse(query, upstream=open_to_writes).suggestion
    assert _refuse(query, may_write=True).code is MUTATION_REFUSED
    assert _judge(query, upstream=open_to_writes, may_write=True).fields == 2


def test_a_subscription_is_refused_even_there() -> None:
    open_to_writes = replace(UPSTREAM, allows_mutations=True)

    assert _refuse("subscription { a }", upstream=open_to_writes, may_write=True).code is MUTATION_REFUSED


@pytest.mark.parametrize(
    ("query", "variables", "size"),
    [
        ("{ teams(limit: 50) { totalCount } }", {}, 50),
        ("query Q($n: Int) { teams(limit: $n) { totalCount } }", {"n": 50}, 50),
        ("query Q($n: Int = 50) { teams(limit: $n) { totalCount } }", {}, 50),
        ("query Q($n: Int = 50) { teams(limit: $n) { totalCount } }", {"n": 7}, 7),
        ("query Q($n: Int) { teams(limit: $n) { totalCount } }", {"n": -1}, 0),
        ("query Q($n: Int) { teams(limit: $n) { totalCount } }", {"n": True}, 0),
        ("query Q($n: Int) { teams(limit: $n) { totalCount } }", {"n": "50"}, 0),
        ("{ teams(limit: -5) { totalCount } }", {}, 0),
    ],
)
def test_the_size_of_a_list_is_read_wherever_it_is_said(query: str, variables: dict[str, Any], size: int) -> None:
    assert max(_judge(query, **variables).largest_list, 0) == size


def test_a_list_without_a_size_costs_what_is_assumed() -> None:
    plain = _judge('{ leagueStandings(slug: "nhl") { position } }')
    connection = _judge("{ teams { edges { name } } }")

    assert plain.cost == 1 + 20
    assert connection.cost == 1 + 20 * 2


def test_the_size_of_a_connection_is_that_of_its_edges_also_through_a_fragment() -> None:
    direct = _judge("{ teams(limit: 5) { edges { name } } }")
    spread = _judge("{ teams(limit: 5) { ...Some } } fragment Some on TeamConnection { edges { name } }")

    assert direct.cost == spread.cost == 1 + 5 * 2


def test_without_a_schema_sizes_that_are_written_still_count() -> None:
    assert _judge("{ a(limit: 10) { b { c } } }", schema=None).cost == 1 + 10 * 2


def test_a_document_that_is_no_graphql_gets_the_parsers_own_words() -> None:
    with pytest.raises(GraphQLSyntaxError, match=r"^Syntax Error: Expected Name, found <EOF>"):
        guard.read_document("{ team(id: 1) { name ", upstream=UPSTREAM)


@pytest.mark.parametrize(
    "query",
    [
        "{ a" * 99 + " }" * 99,
        "{ " + "... { " * 98 + "a" + " }" * 98 + " }",
        "{ a(x: " + "[" * 98 + "]" * 98 + ") }",
        "{ a(x: " + "{ a: " * 98 + "1" + "}" * 98 + ") }",
        "query Q($a: " + "[" * 98 + "Int" + "]" * 98 + ") { a }",
    ],
)
def test_the_deepest_document_that_is_parsed_fits_the_stack(query: str) -> None:
    deep = replace(UPSTREAM, most_depth=10**6, most_cost=10**15)

    assert _judge(query, upstream=deep).depth >= 1


def test_a_chain_of_fragments_fits_the_stack() -> None:
    deep = replace(UPSTREAM, most_depth=10**6, most_cost=10**16)
    nested = " ".join(f"fragment F{n} on Team {{ {'... { ' * 10} ...F{n + 1} {'}' * 10} }}" for n in range(99))

    assert _judge(f"{{ ...F0 }} {nested} fragment F99 on Team {{ id }}", upstream=deep).fields == 1


@given(st.text(alphabet="{}()[]$:!@.\"'#,=|&a1 \n\\\u20ac", max_size=80))
@settings(max_examples=300)
def test_any_text_is_judged_refused_or_a_syntax_error(text: str) -> None:
    with contextlib.suppress(ToolError, GraphQLSyntaxError):
        assert _judge(text).bytes == len(text.encode())
