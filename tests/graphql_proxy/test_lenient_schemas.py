"""Schemas that contradict themselves are stored with warnings; only what cannot be parsed is refused, with its line."""

import gzip
import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from django.core.management import call_command
from graphql import build_schema, introspection_from_schema, parse, print_schema, validate
from hypothesis import given
from hypothesis import strategies as st

from graphql_proxy.models import SchemaSnapshot, Upstream
from graphql_proxy.schema import parsing
from graphql_proxy.schema.examples import example_for
from graphql_proxy.schema.parsing import (
    MAX_SCHEMA_BYTES,
    InvalidSchema,
    decode_schema,
    parse_schema,
    read_stored,
)
from graphql_proxy.schema.warnings import MAX_WARNINGS, SchemaWarning

Placed = tuple[str, int | None, int | None]


def places_of(warnings: Iterable[SchemaWarning]) -> list[Placed]:
    return [(one["path"], one["line"], one["column"]) for one in warnings]


@pytest.mark.parametrize(
    ("sdl", "wanted", "place"),
    [
        ("type Query {\n  a: Int\n  a: String\n}", "type Query {\n  a: Int\n}", ("Query.a", 3, 3)),
        ("type Query { a: Int }\ntype Query { b: Int }", "type Query {\n  a: Int\n  b: Int\n}", ("Query", 2, 1)),
        ("type Query { a: E }\nenum E { ONE ONE }", "enum E {\n  ONE\n}", ("E.ONE", 2, 14)),
        ("type Query { a(x: Int x: ID): Int }", "a(x: Int): Int", ("Query.a.x", 1, 23)),
        ("type Query {\n  a: Missing }", "scalar Missing", ("Missing", 2, 6)),
        ("type Query { a: Int @paid(cents: 5) }", "a: Int\n", ("Query.a", 1, 21)),
        ("type Query { a: Int b: I }\ninput I { x: Int }", "type Query {\n  a: Int\n}", ("Query.b", 1, 21)),
        ("type Query { a(x: Query): Int }", "a: Int", ("Query.a.x", 1, 16)),
        ("type Query { a: U }\nunion U = Query | E\nenum E { ONE }", "union U = Query\n", ("U", 2, 19)),
        ("type Query implements Missing { a: Int }", "type Query {", ("Query", 1, 23)),
        ("extend type Query { a: Int }", "type Query {\n  a: Int\n}", ("Query", 1, 1)),
        ("type Query { a: Int }\nquery { a }", "type Query {", ("", 2, 1)),
        ("schema { query: Q query: R }\ntype Q { a: Int }\ntype R { b: Int }", "query: Q", ("schema", 1, 19)),
        ("directive @d on FIELD\ndirective @d on QUERY\ntype Query { a: Int }", "@d on FIELD", ("@d", 2, 1)),
        ("type Query { a: Int @deprecated(reason: 7) }", "a: Int @deprecated", ("Query.a", 1, 21)),
        ("input I { again: I! }\ntype Query { a(i: I): Int }", "again: I!", ("I.again", 1, 11)),
        ("type Query { a: Int }\ntype Empty {}", "\n\ntype Empty", ("", 2, 1)),
        (
            "interface N { id: ID }\ntype Query implements N {\n  id: ID @deprecated(reason: \"No.\")\n}",
            'id: ID @deprecated(reason: "No.")',
            ("Query.id", 3, 10),
        ),
    ],
)  # fmt: skip
def test_a_contradiction_is_a_warning_with_its_place(sdl: str, wanted: str, place: Placed) -> None:
    parsed = parse_schema(sdl)

    printed = print_schema(parsed.schema)
    assert wanted in printed
    assert place in places_of(parsed.warnings)
    assert print_schema(read_stored(printed)) == printed


@pytest.mark.parametrize(
    "sdl",
    ["type A implements B, C { id: ID }", "type A implements B C { id: ID }", "type A implements & B & C { id: ID }"],
)
def test_interfaces_may_be_separated_as_in_old_files(sdl: str) -> None:
    rest = "interface B { id: ID }\ninterface C { id: ID }\ntype Query { a: A }"
    parsed = parse_schema(f"{sdl}\n{rest}")

    assert "type A implements B & C" in print_schema(parsed.schema)
    assert parsed.warnings == []


def test_the_same_defects_in_introspection_json_are_warnings_without_a_line() -> None:
    answer: dict[str, Any] = dict(
        introspection_from_schema(build_schema("type Query { a(x: Int = 1): Int b: [Int!]! }"))
    )
    query = next(one for one in answer["__schema"]["types"] if one["name"] == "Query")
    query["fields"] += [
        query["fields"][0],
        {"name": "not-a-name", "args": [], "type": {"kind": "SCALAR", "name": "Int"}},
        {"name": "cut", "args": [], "type": {"kind": "NON_NULL", "name": None, "ofType": None}},
        {"name": "odd", "args": [{"name": "y", "type": {"kind": "SCALAR", "name": "Int"}, "defaultValue": "{{"}],
         "type": {"kind": "SCALAR", "name": "Int"}},
    ]  # fmt: skip
    parsed = parse_schema(json.dumps(answer))

    fields = parsed.schema.query_type.fields if parsed.schema.query_type else {}
    assert {name: str(field.type) for name, field in fields.items()} == {"a": "Int", "b": "[Int!]!", "odd": "Int"}
    assert "a(x: Int = 1): Int" in print_schema(parsed.schema)
    assert set(places_of(parsed.warnings)) == {
        ("Query", None, None), ("Query.cut", None, None), ("Query.odd.y", None, None), ("Query.a", None, None)
    }  # fmt: skip


def test_deprecations_and_descriptions_come_through_both_forms() -> None:
    sdl = '"""\nOf any "length".\n"""\ntype Query {\n  """\\u0000 stays"""\n  a: Int @deprecated(reason: "Use b.")\n}'
    schema = build_schema(sdl)
    asked = json.dumps({"data": introspection_from_schema(schema)})

    assert print_schema(parse_schema(asked).schema) == print_schema(parse_schema(sdl).schema) == print_schema(schema)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("type Query {\n  a: Int\n  b Int\n}", "line 3, column 5"),
        ("type Query {\n  a: Int", "line 2, column 9"),
        ('type Query { a: Int }\n"""never ends', "line 2, column"),
        ('{"data": {"__schema":\n nope}}', "line 2, column 2"),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_line(text: str, place: str) -> None:
    with pytest.raises(InvalidSchema, match=place):
        parse_schema(text)


def test_files_may_be_packed_and_of_either_unicode_form() -> None:
    sdl = "type Query { a: Int } # é"

    assert decode_schema(gzip.compress(sdl.encode())) == sdl
    assert decode_schema(sdl.encode("utf-8-sig")) == sdl
    assert decode_schema(sdl.encode("utf-16")) == sdl


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"type Query {\n a: Int } # \xe9", "line 2: byte 25 is no UTF-8"),
        (b"\x1f\x8bnonsense", "damaged"),
        (gzip.compress(b"type Query { a: Int }" * 50, mtime=0)[:-9], "damaged"),
        (gzip.compress(bytes(MAX_SCHEMA_BYTES * 4), mtime=0), "at most"),
        (b"#" * (MAX_SCHEMA_BYTES + 1), "at most"),
    ],
)
def test_what_cannot_be_read_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(InvalidSchema, match=said):
        decode_schema(raw)


@pytest.mark.parametrize("filler", ["  a{}: Int\n", "#\n"])
def test_a_schema_of_too_many_parts_is_refused_with_the_line(filler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be short enough and still take gigabytes once it is parsed."""
    monkeypatch.setattr(parsing, "MAX_SCHEMA_TOKENS", 60)
    sdl = "type Query {\n" + "".join(filler.format(number) for number in range(100)) + "  b: Int }"

    with pytest.raises(InvalidSchema, match=r"at most 60 tokens .* from line (21|22|59) on"):
        parse_schema(sdl)


def test_many_warnings_are_counted() -> None:
    fields = "\n".join(f"f{number}: Int" for number in range(MAX_WARNINGS + 10))
    parsed = parse_schema(f"type Query {{ {fields} {fields} }}")

    assert len(parsed.warnings) == MAX_WARNINGS + 1
    assert parsed.warnings[-1]["message"] == "10 more are not listed."


def test_an_example_is_made_for_inputs_that_require_themselves() -> None:
    parsed = parse_schema("type Query { a(i: I!): Int } input I { again: I! list: [I!]! n: Int! }")
    example = example_for(parsed.schema, name="a")

    assert validate(read_stored(print_schema(parsed.schema)), parse(example["query"])) == []


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse_schema(text)
    except InvalidSchema as refused:
        assert "\n" not in str(refused)  # noqa: PT017 - both outcomes are right


def test_the_command_adds_the_upstream_and_lists_warnings(db: None, tmp_path: Any) -> None:
    out = io.StringIO()
    (tmp_path / "schema.graphql.gz").write_bytes(gzip.compress(b"type Query {\n  a: Int\n  a: Int\n}"))
    call_command(
        "ingest_graphql_schema", "new", str(tmp_path / "schema.graphql.gz"), url="https://api.example.org/graphql",
        stdout=out,
    )  # fmt: skip

    assert Upstream.objects.get(slug="new").address == "https://api.example.org/graphql"
    assert "3:3  Query.a is defined more than once" in out.getvalue()
    assert places_of(SchemaSnapshot.objects.get(upstream__slug="new").warnings) == [("Query.a", 3, 3)]
