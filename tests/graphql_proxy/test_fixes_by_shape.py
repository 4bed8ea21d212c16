"""Fixes by name and shape together, demands of upstreams, syntax of other languages, digits of what is offered."""

from dataclasses import replace
from typing import Any

import pytest
from graphql import build_schema

from benchmarks.graphql_mistakes import load_schema
from graphql_proxy.contracts import GraphqlError
from graphql_proxy.fixes.advice import advise
from graphql_proxy.fixes.drafts import Draft
from graphql_proxy.schema.search import SchemaIndex
from graphql_proxy.schema.store import KnownSchema
from tests.graphql_proxy.test_fixes import KNOWN, R, help_with
from toolbox.contract.encoding import encode

FREIGHT = load_schema("freight")
SHAPES = build_schema("""
type Query {
  person(id: ID!): Person  personReview(id: ID!): Review  trips(order: Order, kind: Kind, mode: Mode): TripPage!
  shop_by_pk(id: ID!): shop  shop_notes(id: ID!): [note!]!
  pages: PinConnection  rooms(first: Int!): [Room!]!  busiest(first: Int!): Room
}
type Mutation { addPin(pin: PinInput!): Pin }
input PinInput { ownerId: ID! }
type Pin { note: String }
type PinConnection { edges: [PinEdge!]! total: Int }
type PinEdge { node: Pin cursor: String }
type Room { roomId: ID! slogan: String }
type Person { id: ID! name: String! portrait: String address: Address! position: Position author: User latitude: Float
  longitude: Float birthDate: String knownAlias: String homeSlogan: String
  "The alias that is shown." shown: String
  forkCount: Int isFork: Boolean
  texts: [String!]! text: String textWithMarks: String fullText: String }
type Position { degrees: Float minutes: Float }
type Address { street: String! country: Country! contact: Contact }
type Country { name: String! isoCode: String! }
type Contact { emailAddress: String phone: String }
type User { login: String! biography: String name: String twitterUsername: String }
type Review { stars: Int! }
type TripPage { rows: [Trip!]! total: Int! }
type Trip { start: String! }
type shop { name: String! }
type note { name: String! }
enum Order { ASC DESC } enum Kind { WALK RIDE } enum Mode { RIDE SAIL }
""")


@pytest.mark.parametrize(
    ("query", "fixed"),
    [
        ("{ trips { nodes { start } } }", "{ trips { rows { start } } }"),
        ("{ trips { edges { node { start } } } }", "{ trips { rows { start } } }"),
        ("{ trips { nodes { total } } }", "{ trips {  total  } }"),
        ("{ person(id: 1) { lat lon } }", "{ person(id: 1) { latitude longitude } }"),
        ("{ person(id: 1) { lat } }", None),
        ("{ person(id: 1) { por } }", None),
        ("{ person(id: 1) { dateOfBirth } }", "{ person(id: 1) { birthDate } }"),
        ("{ pages { nodes { note } } }", "{ pages { edges { node { note } } } }"),
        ("{ pages { items { cursor } } }", "{ pages { edges { cursor } } }"),
        ("{ person(id: 1) { author { username } } }", None),
        ("{ person(id: 1) { alias } }", None),
        ("{ person(id: 1) { slogan } }", None),
        ("{ person(id: 1) { personPhone } }", None),
        ('{ person(name: "Ann") { name } }', None),
        ('{ person(address: "Ann") { name } }', None),
        ("{ person(reviewId: 1) { name } }", None),
        ("{ person(personId: 1) { name } }", "{ person(id: 1) { name } }"),
        ("{ person(key: 1) { name } }", "{ person(id: 1) { name } }"),
        ("mutation { addPin(pin: { roomId: 1 }) { note } }", None),
        ("mutation { addPin(pin: { posterId: 1 }) { note } }", "mutation { addPin(pin: { ownerId: 1 }) { note } }"),
        ("{ rooms { roomId } }", "{ rooms(first: 10) { roomId } }"),
        ("{ busiest { roomId } }", None),
        ("{ shop(id: 1) { name } }", "{ shop_by_pk(id: 1) { name } }"),
        (
            "{ person(id: 1) { address { emailAddress } } }",
            "{ person(id: 1) { address { contact { emailAddress } } } }",
        ),
        ("{ person(id: 1) { degrees minutes } }", "{ person(id: 1) { position { degrees minutes } } }"),
        ("{ person(id: 1) { degrees } }", None),
        ("{ person(id: 1) { login biography } }", None),
        ("{ person(id: 1) { address { name } } }", None),
        ("{ person_by_id(id: 1) { name } }", None),
        ("{ trips(sort: ASC) { total } }", "{ trips(order: ASC) { total } }"),
        ("{ trips(by: RIDE) { total } }", None),
        ("{ person(id: 1) { fork } }", None),
        ("{ person(id: 1) { forks } }", "{ person(id: 1) { forkCount } }"),
        ("query($x: Int) { trips { total } }", "query { trips { total } }"),
    ],
)
def test_a_field_or_argument_is_found_by_its_shape_only_where_its_name_says_the_same(
    query: str, fixed: str | None
) -> None:
    known = KnownSchema(schema=SHAPES, index=SchemaIndex.from_schema(SHAPES), version=1)
    advice = advise([GraphqlError(message="no")], draft=Draft(query=query), known=known)
    assert (advice.retry_with or {}).get("query") == fixed


def test_the_value_of_a_variable_that_is_taken_out_goes_too() -> None:
    query = "query A($login: String!, $x: Int) { user(login: $login) { id } }"
    advice = help_with(query, variables={"login": "kim", "x": 1})
    assert advice.retry_with is not None
    assert advice.retry_with["variables"] == {"login": "kim"}


def test_a_value_that_another_operation_declares_stays() -> None:
    first = "query A($login: String!, $x: Int) { user(login: $login) { id } }"
    query = first + 'query B($x: Int) { search(query: "a", first: $x) { __typename } }'
    draft = Draft(query=query, variables={"login": "kim", "x": 1}, operation_name="A")
    advice = advise([GraphqlError(message="no")], draft=draft, known=KNOWN)
    assert advice.retry_with is not None
    assert "variables" not in advice.retry_with


@pytest.mark.parametrize(
    ("query", "variables", "retry"),
    [
        (
            '{ user(login: "k") { repositories(first: 500) { totalCount } } }',
            {},
            {"query": '{ user(login: "k") { repositories(first: 100) { totalCount } } }'},
        ),
        (
            'query($n: Int) { user(login: "k") { repositories(first: $n) { totalCount } } }',
            {"n": 500},
            {"variables": {"n": 100}},
        ),
        ('{ user(login: "k") { repositories(first: 400) { totalCount } } }', {}, None),
    ],
)
def test_a_page_that_is_too_large_has_the_limit_that_the_upstream_names(
    query: str, variables: dict[str, Any], retry: dict[str, Any] | None
) -> None:
    words = "Requesting 500 records on the `repositories` connection exceeds the `first` limit of 100 records."
    path = ["user", "repositories"]
    assert help_with(query, message=words, variables=variables, path=path).retry_with == retry


@pytest.mark.parametrize(
    "message",
    [
        "Query has depth of 5, which exceeds max depth of 3",
        "Query is nested too deep.",
        "maximum query depth exceeded 5 > 3",
    ],
)
def test_a_document_that_is_too_deep_is_told_its_deepest_path(message: str) -> None:
    query = f"{{ {R} {{ id issues(first: 1) {{ edges {{ node {{ title }} }} }} }} }}"
    (hint,) = help_with(query, message=message).hints
    assert "depth is 5" in hint
    assert "`repository.issues.edges.node.title`" in hint
    assert ("the upstream takes 3" in hint) == ("3" in message)


@pytest.mark.parametrize(
    ("query", "fixed"),
    [
        ('{ user(login: "x" { id } }', '{ user(login: "x") { id } }'),
        ("{ viewer { repositories.totalCount } }", "{ viewer { repositories { totalCount } } }"),
        (
            f"{{ {R} {{ issues(states: [IssueState.OPEN]) {{ totalCount }} }} }}",
            f"{{ {R} {{ issues(states: [OPEN]) {{ totalCount }} }} }}",
        ),
        ("{ ...F } fragment F on Query { viewer { id }", "{ ...F } fragment F on Query { viewer { id } }"),
    ],
)
def test_habits_of_other_languages_are_written_as_graphql(query: str, fixed: str) -> None:
    assert (help_with(query).retry_with or {}).get("query") == fixed


def test_a_document_that_no_habit_explains_is_told_where_it_stops_being_graphql() -> None:
    advice = help_with("{ viewer {\n  id )( }")
    assert advice.retry_with is None
    assert "Line 2, column 6: `)( }`." in advice.hints[0]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ('{ shipment(trackingNumber: "x") { party { legalName } } }', ["`shipper: Party!`", "`consignee: Party!`"]),
        ('{ port(unlocode: "x") { countryName } }', ["`country: Country!`"]),
        ("{ shipments(where: {status: BOOKED}) { totalCount } }", ["`{eq: …}`"]),
        ('{ quote(from: "a", to: "b") { __typename } }', ["CargoInput", "weight: WeightInput!", "pieces: Int!"]),
        ("{ shipments(trackingNumber: 1) { totalCount } }", ["`where"]),
    ],
)
def test_a_hint_names_what_has_the_type_that_was_meant(query: str, named: list[str]) -> None:
    known = KnownSchema(schema=FREIGHT, index=SchemaIndex.from_schema(FREIGHT), version=1)
    advice = advise([GraphqlError(message="no")], draft=Draft(query=query), known=known)
    assert [name for name in named if name not in " ".join(advice.hints)] == []


def test_a_value_in_place_of_an_input_object_is_no_unknown_key() -> None:
    known = KnownSchema(schema=FREIGHT, index=SchemaIndex.from_schema(FREIGHT), version=1)
    query = "query($w: ShipmentFilter) { shipments(where: $w) { totalCount } }"
    draft = Draft(query=query, variables={"w": {"status": "IN_TRANSIT"}})
    advice = advise([GraphqlError(message="no")], draft=draft, known=known)
    (hint,) = advice.hints
    assert hint.startswith("$w.status must be of type StatusFilter: use one of `{eq: …}`, `{neq: …}`, `{in: …}`, ")


@pytest.mark.parametrize(
    ("query", "variables"),
    [("{ f(order: CREATED) }", {}), ("query($o: Order) { f(order: $o) }", {"o": "CREATED"})],
)
def test_a_hint_writes_all_required_fields_of_the_object_that_is_wanted(query: str, variables: dict[str, Any]) -> None:
    """`{by: …}` alone would be refused next."""
    schema = build_schema(
        "type Query { f(order: Order): Int } input Order { by: By!, way: Way!, nulls: Boolean, limit: Int! = 5 } "
        "enum By { CREATED } enum Way { UP DOWN }"
    )
    known = KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=1)
    advice = advise([GraphqlError(message="no")], draft=Draft(query=query, variables=variables), known=known)
    assert advice.retry_with is None
    assert advice.hints[0].endswith(": write `{by: By!, way: Way!}`.")


@pytest.mark.parametrize(
    ("value", "sent"),
    [("0.12345678901234567890", b"0.12345678901234567890"), ("1.10", b"1.10"), ("7", b"7")],
)
def test_a_number_that_was_sent_as_text_keeps_its_digits(value: str, sent: bytes) -> None:
    schema = build_schema("type Query { f(x: Float): Int }")
    known = KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=1)
    draft = Draft(query="query($x: Float) { f(x: $x) }", variables={"x": value})
    advice = advise([GraphqlError(message="no")], draft=draft, known=known)
    assert advice.retry_with is not None
    assert encode(advice.retry_with) == b'{"variables":{"x":' + sent + b"}}"


def test_whole_numbers_past_64_bits_are_offered_digit_by_digit() -> None:
    draft = Draft(query="query A { viewer { id } }", variables={"n": 10**30, "$login": "kim"}, operation_name="A")
    draft = replace(draft, query="query A($login: String!) { user(login: $login) { id } }")
    advice = advise([GraphqlError(message="no")], draft=draft, known=KNOWN)
    assert encode(advice.retry_with) == b'{"variables":{"n":1000000000000000000000000000000,"login":"kim"}}'


@pytest.mark.parametrize(
    ("text", "fixed", "told"),
    [
        ("{ trips {\n rows { start }\n total }", "{ trips {\n rows { start }\n total } }", "line 1, column 1"),
        ("{ trips { rows { start total } }", "{ trips { rows { start } total } }", "nothing closes the `{` at line 1"),
        ("{ trips { total } person(id: 1) { name }", "{ trips { total } person(id: 1) { name } }", "column 1:"),
        ("{ trips { total } } }", "{ trips { total  } }", "the `}` at line 1, column 21 closes nothing"),
        ("{ trips { rows { start } } total } }", "{ trips { rows { start  } total } }", "closes nothing"),
        ("{ person(id: 1) { address { street } name }", "{ person(id: 1) { address { street } name } }", "column 1"),
        ("{ person(id: 1) { author { login name }", None, "choose one"),
        ("query A { trips { total } query B { trips { total } }", None, "different meanings"),
        ("{ trips { toal }", "{ trips { total } }", "`toal` is called `total`"),
        ("{ trips { " * 6, None, "nothing closes the `{` at line 1, column 1 and line 1, column 9"),
        ("} trips { total }", None, "the `}` at line 1, column 1 closes nothing"),
        ("{ trips { } total } { }", None, ""),
    ],
)
def test_a_brace_is_written_or_left_out_only_where_one_place_alone_is_valid(
    text: str, fixed: str | None, told: str
) -> None:
    known = KnownSchema(schema=SHAPES, index=SchemaIndex.from_schema(SHAPES), version=1)
    advice = advise([GraphqlError(message="Syntax Error")], draft=Draft(query=text), known=known)
    assert (advice.retry_with or {}).get("query") == fixed
    assert told in "\n".join(advice.hints)


def test_a_long_document_with_many_places_for_a_brace_gets_its_place_alone() -> None:
    known = KnownSchema(schema=SHAPES, index=SchemaIndex.from_schema(SHAPES), version=1)
    fields = " ".join(f"a{number}: trips {{ rows {{ start }} }}" for number in range(300))
    advice = advise([GraphqlError(message="Syntax Error")], draft=Draft(query=f"{{ {fields} trips {{ "), known=known)
    assert advice.retry_with is None
    assert any("nothing closes the `{` at line 1, column 1" in hint for hint in advice.hints)
