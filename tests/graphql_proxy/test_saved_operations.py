"""Documents in rows that are tools: on every transport, without a restart, or skipped with a reason."""

import asyncio
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from graphql import build_schema

from graphql_proxy.models import SavedOperation
from graphql_proxy.operations.dynamic_tools import NotATool, check_contract_document, check_operation
from tests.graphql_proxy.conftest import in_a_thread
from tests.toolbox.transports import mcp_over_http
from toolbox.catalogue.registry import registry

SCHEMA = build_schema("type Query { team(id: ID!, lang: String): Team } type Team { id: ID name: String city: City }"
                      " type City { name: String } type Mutation { rename(id: ID!): Team }")  # fmt: skip

GOOD: dict[str, Any] = {
    "name": "find_arena",
    "slug": None,
    "description": "Tell where a team plays.",
    "document": "query Show($id: ID!) { team(id: $id) { name arena { name } } }",
    "variables_schema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The team's id, as CAR."}},
        "required": ["id"],
    },
    "result_mapping": {"Show": {"record": {"path": "team", "fields": {"team": "name", "arena": "arena.name"}}}},
    "example": {"id": "CAR"},
}
SMALL = GOOD | {"document": "query Show($id: ID!) { team(id: $id) { name city { name } } }"}


def parameter(**part: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"id": {"description": "An id."} | part}, "required": ["id"]}


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"document": "query Show($id: ID!) { team(id: $id) {"}, "does not parse"),
    ({"document": "query Show($id: ID!) { team(id: $id) { nmae } }"}, "does not take it: Cannot query field 'nmae'"),
    ({"document": "query Show($id: ID!) { team(id: $id) }"}, "must have a selection"),
    ({"document": "mutation Show($id: ID!) { rename(id: $id) { id } }"}, "nothing that writes"),
    ({"document": "query A { team(id: 1) { id } } query B { team(id: 2) { id } }"}, "one query"),
    ({"document": "query Show { team(id: 1) { name } }"}, "'id' must be both"),
    ({"document": "query Show($id: ID!, $x: String) { team(id: $id, lang: $x) { id } }"}, "'x' must be both"),
    ({"document": "{" + "a" * 10 + " { b " * 3000 + "}" * 3001}, "does not parse"),
    ({"variables_schema": parameter(type="string") | {"required": []}}, "list it in required"),
    ({"variables_schema": parameter(type="String")}, "type is one of"),
    ({"variables_schema": parameter(type="string", format="uuid")}, "format is not understood"),
    ({"variables_schema": parameter(type="string", pattern="[")}, "id: pattern cannot be used"),
    ({"variables_schema": parameter(type="string", minLength=-1)}, "minLength cannot be used"),
    ({"variables_schema": parameter(type="integer", minLength=1)}, "minLength does not go with its type"),
    ({"variables_schema": parameter(type="integer", minimum="1")}, "minimum is a number"),
    ({"variables_schema": parameter(enum=["CAR"], pattern="C")}, "pattern does not go with its type"),
    ({"variables_schema": parameter(type="integer", default="many")}, "the default does not fit"),
    ({"variables_schema": parameter(type=["string"])}, "id: type is one of"),
    ({"variables_schema": parameter(type="array", items=["string"])}, "id: type is one of"),
    ({"variables_schema": parameter(type="string") | {"required": [["id"]]}}, "required names ['id']"),
    ({"variables_schema": {"type": "object", "properties": {"id": {"type": "string"}}}}, "needs a description"),
    ({"variables_schema": parameter(type="string") | {"required": ["ids"]}}, "no property"),
    ({"variables_schema": {"$ref": "#"}}, "the parameters must read"),
    ({"variables_schema": ["id"]}, "the parameters must read"),
    ({"example": {}}, "the example does not fit: id"),
    ({"example": {"id": "CAR", "more": 1}}, "the example does not fit: more"),
    ({"result_mapping": {"Other": {}}}, "the mapping names 'Other'"),
    ({"result_mapping": {"Show": {"rows": {"path": "team"}}}}, "rows.fields"),
    ({"result_mapping": {"Show": {"columns": {}}}}, "columns"),
    ({"result_mapping": ["Show"]}, "a mapping is an object"),
    ({"description": ""}, "docstring"),
    ({"name": "No Name"}, "snake_case"),
]


@pytest.mark.parametrize(("change", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_row_that_cannot_be_a_tool_says_why(change: dict[str, Any], said: str) -> None:
    with pytest.raises(NotATool) as refused:
        check_operation(SMALL | change, schema=SCHEMA)

    assert said in str(refused.value)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[A-Z]+$"},
        {"enum": ["CAR", "NYR"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "default": "CAR"},
    ],
)
def test_parameters_may_be_described_so(part: dict[str, Any]) -> None:
    example = {"id": ["CAR"]} if part.get("type") == "array" else {"id": "CAR"}

    check_operation(SMALL | {"variables_schema": parameter(**part), "example": example}, schema=SCHEMA)


def test_without_a_stored_schema_a_document_is_taken_at_its_word() -> None:
    check_operation(GOOD, schema=None)


def test_a_contracts_document_keeps_its_operations() -> None:
    with pytest.raises(NotATool, match="needs an operation 'Find'"):
        check_contract_document(GOOD | {"name": "get_team", "document": "query Answer { a }", "result_mapping": {}})


@pytest.fixture
def keep(cast: object, django_db_blocker: Any) -> Iterator[Callable[..., SavedOperation]]:
    """Yield a function that creates rows, deleted after the test."""
    made: list[int] = []

    def make(**changes: Any) -> SavedOperation:
        values = {name: value for name, value in (GOOD | changes).items() if name != "slug"}
        row: SavedOperation = in_a_thread(lambda: SavedOperation.objects.create(**values))
        made.append(row.pk)
        return row

    with django_db_blocker.unblock():
        yield make
        in_a_thread(lambda: SavedOperation.objects.filter(pk__in=made).delete())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - the database tells another loop
            await asyncio.sleep(0.01)


async def call(client: httpx.AsyncClient, name: str, **parameters: Any) -> httpx.Response:
    return await client.post(f"/api/tools/graphql_proxy/{name}", json=parameters)


async def test_a_row_is_a_tool_on_both_lanes_until_it_is_gone(
    fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient, keep: Callable[..., SavedOperation]
) -> None:
    assert (await call(fast_client, "find_arena", id="CAR")).status_code == 404
    row = keep()

    await until(lambda: registry.find("find_arena") is not None)
    fast, ninja = await call(fast_client, "find_arena", id="CAR"), await call(ninja_client, "find_arena", id="CAR")
    in_a_thread(row.delete)
    await until(lambda: registry.find("find_arena") is None)

    assert fast.status_code == 200, fast.text
    assert fast.json()["record"] == {"team": "name", "arena": "name"}
    assert ninja.json() == fast.json()
    assert (await call(fast_client, "find_arena", id="CAR")).status_code == 404


async def test_another_process_offers_it_on_mcp_and_in_openapi(
    server: str, cast: SimpleNamespace, keep: Callable[..., SavedOperation]
) -> None:
    keep()

    async with httpx.AsyncClient(base_url=server, timeout=60) as client, asyncio.timeout(60):
        listed: dict[str, Any] = {}
        while "/api/tools/graphql_proxy/find_arena" not in listed:
            listed = (await client.get("/api/openapi.json")).json()["paths"]
    async with mcp_over_http(server, key=cast.alice, path="/mcp/graphql_proxy", mode="auto") as mcp:
        names = [tool.name for tool in (await mcp.list_tools()).tools]
        told = await mcp.call_tool("find_arena", {"id": "CAR"})

    operation = listed["/api/tools/graphql_proxy/find_arena"]["post"]
    assert operation["description"] == GOOD["description"]
    assert operation["requestBody"]["content"]["application/json"]["example"] == {"id": "CAR"}
    assert "find_arena" in names
    assert told.structured_content["record"] == {"team": "name", "arena": "name"}


async def test_a_row_that_is_invalid_or_clashes_is_skipped_with_its_reason(
    fast_client: httpx.AsyncClient, keep: Callable[..., SavedOperation]
) -> None:
    keep(name="query_linescore_data")
    keep(name="find_nothing", document="query Show($id: ID!) { nothing(id: $id) }")
    keep()
    await call(fast_client, "find_arena", id="CAR")
    await until(lambda: registry.find("find_arena") is not None)

    reasons = {row.name: row.reason for row in registry.find_skipped(domain="graphql_proxy")}
    linescore = registry.find("query_linescore_data")

    assert reasons["query_linescore_data"] == "another tool has that name"
    assert "Cannot query field 'nothing'" in reasons["find_nothing"]
    assert linescore is not None
    assert linescore.domain == "linescore"


async def test_its_parameters_are_held_to_their_schema(
    fast_client: httpx.AsyncClient, keep: Callable[..., SavedOperation]
) -> None:
    keep()
    await call(fast_client, "find_arena", id="CAR")
    await until(lambda: registry.find("find_arena") is not None)

    missing, wrong, unknown = (
        await call(fast_client, "find_arena"),
        await call(fast_client, "find_arena", id=5),
        await call(fast_client, "find_arena", ID="CAR"),
    )

    assert [missing.status_code, wrong.status_code, unknown.status_code] == [400, 400, 400]
    assert missing.json()["error"]["message"] == "id is missing."
    assert unknown.json()["error"]["details"]["otherProblems"]


def test_dynamic_tools_stay_out_of_the_documentation(keep: Callable[..., SavedOperation]) -> None:
    keep()

    assert "find_arena" not in [tool.name for tool in registry.tools()]
