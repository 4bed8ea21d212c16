"""What every tool of the catalogue keeps, on every transport."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Self

import httpx
import jsonschema
import orjson
import pytest

from tests.architecture.select_limits import is_bounded
from tests.toolbox.transports import TOOLS, address, mcp_in_memory, mcp_over_http, text_of, tool_id, without_timings
from toolbox.contract.caller import Caller
from toolbox.contract.tool import Tool
from toolbox.database.caches import clear_all_caches
from toolbox.database.pools import Connection, Pool, reader
from toolbox.mcp.tool_listing import mcp_tool

MAY_DO_ALL = Caller(name="local", scopes=frozenset({"*:read", "*:write"}))
_OURS: ContextVar[bool] = ContextVar("_OURS", default=False)
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=tool_id)


def _arguments(tool: Tool) -> dict[str, Any]:
    arguments: dict[str, Any] = orjson.loads(tool.example_arguments)
    return arguments


def _output_schema(tool: Tool) -> dict[str, Any]:
    """Return the output schema that MCP clients check every result by."""
    schema = mcp_tool(tool).output_schema
    assert schema
    return schema


@every_tool
async def test_its_example_gets_the_same_answer_in_memory(
    fast_client: httpx.AsyncClient, stopped_clock: None, tool: Tool
) -> None:
    """Compare django-ninja's answer elsewhere: tests/toolbox/rest/test_middleware.py."""
    fast = await fast_client.post(address(tool), content=tool.example_arguments)
    async with mcp_in_memory(MAY_DO_ALL) as client:
        told = await client.call_tool(tool.name, _arguments(tool))

    assert fast.status_code == 200, fast.text
    body = fast.json()
    assert told.structured_content == (body if isinstance(body, dict) else {"result": body})
    assert text_of(told).encode() == fast.content
    assert told.is_error is False


@every_tool
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_its_example_gets_the_same_answer_over_mcp(
    server: str, cast: SimpleNamespace, fast_client: httpx.AsyncClient, tool: Tool, mode: str
) -> None:
    path = "/mcp" if mode == "auto" else f"/mcp/{tool.domain}"
    rest = (await fast_client.post(address(tool), content=tool.example_arguments)).json()

    async with mcp_over_http(server, key=cast.alice, path=path, mode=mode) as client:
        told = await client.call_tool(tool.name, _arguments(tool))

    assert without_timings(told.structured_content) == without_timings(
        rest if isinstance(rest, dict) else {"result": rest}
    )
    assert orjson.loads(text_of(told)) == (told.structured_content if isinstance(rest, dict) else rest)
    assert told.is_error is False


@every_tool
async def test_its_example_and_its_answer_fit_the_published_schemas(fast_client: httpx.AsyncClient, tool: Tool) -> None:
    body = (await fast_client.post(address(tool), content=tool.example_arguments)).json()

    published = mcp_tool(tool)
    for schema in (published.input_schema, _output_schema(tool), tool.success_schema):
        jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(_arguments(tool), published.input_schema)
    jsonschema.validate(body, tool.success_schema)
    jsonschema.validate(body if isinstance(body, dict) else {"result": body}, _output_schema(tool))


@every_tool
async def test_a_refusal_fits_the_published_schemas(fast_client: httpx.AsyncClient, tool: Tool) -> None:
    body = (await fast_client.post(address(tool), json={"surely_no_parameter": 1})).json()

    jsonschema.validate(body, tool.envelope.refusal_schema())
    jsonschema.validate(body, _output_schema(tool))


@every_tool
async def test_a_refusal_by_the_kernel_fits_what_mcp_publishes(
    fast_client: httpx.AsyncClient, cast: SimpleNamespace, tool: Tool
) -> None:
    alien = {"Authorization": f"Bearer {cast.charlie}"}
    body = (await fast_client.post(address(tool), content=tool.example_arguments, headers=alien)).json()

    jsonschema.validate(body, _output_schema(tool))


@every_tool
async def test_it_asks_the_database_as_often_as_it_says(
    fast_client: httpx.AsyncClient, reads: list[str], tool: Tool
) -> None:
    await fast_client.post(address(tool), content=tool.example_arguments)  # what is worked out once a process
    clear_all_caches()

    with ours():
        await fast_client.post(address(tool), content=tool.example_arguments)

    assert len(reads) == tool.queries


@every_tool
async def test_it_never_reads_an_unbounded_number_of_rows(
    fast_client: httpx.AsyncClient, reads: list[str], tool: Tool
) -> None:
    with ours():
        await fast_client.post(address(tool), content=tool.example_arguments)

    assert [statement for statement in reads if not is_bounded(statement)] == []


@every_tool
def test_its_description_is_one_for_every_face(tool: Tool) -> None:
    function, over_mcp = tool.function_schema["function"], mcp_tool(tool)

    assert function["name"] == over_mcp.name == tool.name
    assert function["description"] == over_mcp.description == tool.description
    assert function["parameters"] == over_mcp.input_schema


@every_tool
def test_mcp_is_told_whether_it_writes(tool: Tool) -> None:
    annotations = mcp_tool(tool).annotations

    assert annotations is not None
    assert annotations.read_only_hint is not tool.writes


async def test_the_openapi_page_shows_every_tool(ninja_client: httpx.AsyncClient) -> None:
    paths = (await ninja_client.get("/api/openapi.json")).json()["paths"]

    for tool in TOOLS:
        described = paths[address(tool)]["post"]
        content = described["requestBody"]["content"]["application/json"]
        assert content["schema"] == tool.input_schema, tool.name
        assert content["example"] == _arguments(tool), tool.name
        assert {str(code.status) for code in tool.codes} < set(described["responses"]), tool.name
        assert {"200", "401", "403", "413", "429"} < set(described["responses"]), tool.name


@contextmanager
def ours() -> Iterator[None]:
    """Mark the test's own requests."""
    token = _OURS.set(True)
    yield
    _OURS.reset(token)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the statements of the test's own calls on the reader's connections; others read meanwhile."""
    seen: list[str] = []
    run = Pool.run

    async def spy(pool: Pool, work: Callable[[Connection], Awaitable[Any]]) -> Any:
        if pool is not reader or not _OURS.get():
            return await run(pool, work)
        return await run(pool, lambda connection: work(_Spy(connection, seen)))  # type: ignore[arg-type]

    monkeypatch.setattr(Pool, "run", spy)
    return seen


class _Spy:
    """A connection or cursor that records what it executes."""

    def __init__(self, watched: Any, seen: list[str]) -> None:
        self._watched, self._seen = watched, seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watched, name)

    def cursor(self, *arguments: Any, **options: Any) -> "_Spy":
        return _Spy(self._watched.cursor(*arguments, **options), self._seen)

    async def __aenter__(self) -> Self:
        await self._watched.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._watched.__aexit__(*error)

    async def execute(self, statement: str | bytes, *arguments: Any, **options: Any) -> Any:
        self._seen.append(statement.decode() if isinstance(statement, bytes) else statement)
        return await self._watched.execute(statement, *arguments, **options)
