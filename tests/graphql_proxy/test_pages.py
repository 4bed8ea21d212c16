"""The schema explorer shows what graphql-core reads in the same schema, a page at a time, to those who may ask."""

import html
import json
import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from graphql import build_schema, parse, validate

from graphql_proxy import pages
from graphql_proxy.schema import explorer
from graphql_proxy.schema.search import SchemaIndex
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream, upstreams_of
from tests.graphql_proxy.hockey_schema import with_players
from tests.pages import as_user, counted
from toolbox.contract.caller import Caller
from toolbox.database import event_loop

pytestmark = pytest.mark.django_db
MOCK = "/schemas/mock/"
SDL = """
type Query {
  "Find **one**."
  node(id: ID! = "1", kinds: [Kind!] = [A], old: Int @deprecated(reason: "gone")): Node
  thing: Thing @deprecated(reason: "Use node.")
  things: ThingConnection
}
type Mutation { make(input: Make!): Thing }
interface Node { id: ID! }
type Thing implements Node { id: ID! of: [Thing!]! kind: Kind }
type ThingConnection { edges: [Thing!] }
union Either = Thing | ThingConnection
enum Kind { A B @deprecated }
input Make { name: String = "x" kind: Kind }
"""


def read(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the queries of this domain's tables while a page is rendered."""
    return counted(monkeypatch, which=lambda _, statement: "graphql_proxy_" in statement)


@pytest.fixture
def other_schema(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces the upstream's schema."""

    def put(sdl: str) -> None:
        schema = build_schema(sdl)
        known = KnownSchema(schema=schema, index=SchemaIndex(), version=3)  # nothing is searched in it

        async def find(slug: str) -> KnownSchema:
            return known

        monkeypatch.setattr(schemas, "find", find)

    return put


def test_the_upstreams_are_listed_and_the_only_one_is_led_to(
    statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    curator = as_user("curator")
    page = read(curator.get("/schemas/"))
    asked = len(statements)
    known = event_loop.run(upstreams_of(Caller(name="anybody", scopes=frozenset())))

    async def first(caller: object) -> list[KnownUpstream]:
        return known[:1]

    monkeypatch.setattr(pages, "upstreams_of", first)

    assert re.findall(r'<h2><a href="/schemas/(\w+)/"', page) == ["mock", "hockey"]
    assert asked <= 2
    assert curator.get("/schemas/")["Location"] == MOCK


def test_a_schema_s_queries_are_listed_and_counted(statements: list[str]) -> None:
    truth, curator = with_players(), as_user("curator")
    curator.get(MOCK)  # tools that are rows are read when a process is first asked
    statements.clear()

    page = read(curator.get(MOCK))

    assert truth.query_type
    assert f'queries <span class="count">{len(truth.query_type.fields)}</span>' in page
    assert re.findall(r'href="/schemas/mock/queries/(\w+)/"', page) == sorted(truth.query_type.fields, key=str.lower)
    assert "/tools/get_player/" in page
    assert (
        len(statements) <= 4
    )  # upstreams, the newest version, its text where this process has not read it, operations


def test_a_search_is_the_tool_s_own_and_its_findings_lead_somewhere() -> None:
    curator = as_user("curator")

    page = read(curator.get(MOCK, {"q": "league standings"}))

    addresses = re.findall(r'<th scope="row"><a class="name" href="([^"]+)"', page)
    assert addresses[0] == f"{MOCK}queries/leagueStandings/"
    assert 1 < len(addresses) <= 50
    assert {curator.get(address.partition("#")[0]).status_code for address in addresses[:12]} == {200}
    none = read(curator.get(MOCK, {"q": "zzzzqqqq"}))
    assert "No name or description matches." in none


def test_a_type_s_page_has_its_fields_with_links(statements: list[str]) -> None:
    truth = with_players().type_map["Team"]

    page = read(as_user("curator").get(f"{MOCK}types/Team/"))

    assert re.findall(r'<tr id="m-(\w+)"', page) == list(truth.fields)  # type: ignore[attr-defined]
    linked = set(re.findall(r'href="/schemas/mock/types/(\w+)/"', page))
    assert {"League", "String", "ID"} <= linked or {"String"} <= linked
    assert len(statements) <= 3


def test_a_query_s_document_runs_and_its_link_fills_the_tool_s_form() -> None:
    curator = as_user("curator")
    page = read(curator.get(f"{MOCK}queries/leagueStandings/"))
    link = html.unescape(re.findall(r'class="button" href="([^"]+)"', page)[0])
    sent = json.loads(parse_qs(urlsplit(link).query)["arguments"][0])

    form = read(curator.get(link))

    assert validate(with_players(), parse(sent["query"])) == []
    assert sent["upstream"] == "mock"
    assert html.escape(sent["query"].splitlines()[1].strip()) in form


def test_deprecations_defaults_and_kinds_are_shown(other_schema: Any) -> None:
    other_schema(SDL)
    curator = as_user("curator")

    query = read(curator.get(f"{MOCK}types/Query/"))
    node = read(curator.get(f"{MOCK}queries/node/"))
    thing, kind = read(curator.get(f"{MOCK}types/Thing/")), read(curator.get(f"{MOCK}types/Kind/"))

    assert "Deprecated: Use node." in query
    assert (
        "<code>&quot;1&quot;</code>" in node,
        "<code>[A]</code>" in node,
        "gone" in node,
        "<strong>one</strong>" in node,
    ) == (True,) * 4
    assert ("implements Node" in thing, f"{MOCK}queries/things/" in thing, "[<a" in thing) == (True, True, True)
    assert ("deprecated" in kind, f"{MOCK}queries/node/" in kind) == (True, True)
    assert f"{MOCK}types/Thing/" in read(curator.get(f"{MOCK}types/Either/"))
    assert "mutations" in read(curator.get(MOCK))


def test_a_schema_of_five_thousand_types_is_shown_fifty_at_a_time(other_schema: Any) -> None:
    fields = " ".join(f"f{number}: T{number}" for number in range(5_000))
    other_schema(f"type Query {{ {fields} }} " + " ".join(f"type T{n} {{ a: Int }}" for n in range(5_000)))
    curator = as_user("curator")

    types = read(curator.get(MOCK, {"kind": "object", "page": "100"}))
    query = read(curator.get(f"{MOCK}types/Query/", {"at": "f4321"}))

    assert types.count('<a class="name"') == 50
    assert "Page 100 of 100" in types
    assert query.count('<tr id="m-') == 50
    assert '<tr id="m-f4321" class="at"' in query
    assert len(types) < 100_000


@pytest.mark.parametrize("query", ["?page=0", "?page=99999", "?page=x", "?kind=nothing", "?q=%00", "?q=" + "a" * 999])
def test_nonsense_in_the_address_is_no_server_error(query: str) -> None:
    assert as_user("curator").get(f"{MOCK}{query}").status_code == 200


def test_what_is_not_there_or_not_open_is_told(cast: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = as_user("curator")
    missing = ("/schemas/none/", f"{MOCK}types/Nothing/", f"{MOCK}types/__Type/", f"{MOCK}queries/nothing/")
    assert [curator.get(path).status_code for path in missing] == [404] * 4
    refused = as_user("bob").get(MOCK)
    assert (refused.status_code, "graphql_proxy:read" in refused.content.decode()) == (403, True)

    async def nothing(caller: object) -> list[object]:
        return []

    monkeypatch.setattr(pages, "upstreams_of", nothing)
    assert "You have no access to a GraphQL API" in read(curator.get("/schemas/"))
    assert curator.get(MOCK).status_code == 404


def test_an_upstream_without_a_schema_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(slug: str) -> None:
        return None

    monkeypatch.setattr(schemas, "find", nothing)

    assert "ingest_graphql_schema mock --fetch" in read(as_user("curator").get(MOCK))


def test_the_lists_leave_out_roots_and_introspection() -> None:
    schema = build_schema(SDL)

    assert explorer.kinds_of(schema) == {
        "query": 3, "mutation": 1, "object": 2, "interface": 1, "union": 1, "input": 1, "enum": 1, "scalar": 4,
    }  # fmt: skip
    assert [one.name for one in explorer.list_rows(schema, kind="object")] == ["Thing", "ThingConnection"]
