"""What the domains offer beside tools: documents, their completions, prompts; each to who may see it, and recorded."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceLink, ResourceTemplateReference, TextContent, TextResourceContents

from tests.devassist.conftest import MakeReader, MakeWorkspace, make_reader, make_workspace
from tests.graphql_proxy.conftest import MakeUpstream, make_upstream
from tests.toolbox.transports import mcp_in_memory
from toolbox.audit.log import audit
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.models import Link
from toolbox.database.pools import owner_pool

__all__ = ["make_reader", "make_upstream", "make_workspace"]

STRANGER = Caller(name="stranger", scopes=frozenset({"*:read"}), key_id=2_000_000_001, owner_id=2_000_000_001)
RUN = "079cbad8-9e31-5383-8c7a-3f85849b9439"
READ = {
    "linescore://seasons/2024-2025": "CAR",
    "linescore://seasons/2024-2025/teams/CAR": "outcomes",
    "linescore://games/2024020001": "home_goals",
    f"backtests://runs/{RUN}": "countsByType",
    "sprints://teams/ACCEL": "velocity",
    "sprints://sprints/ACCEL%20Sprint%201": "scopeChanges",
    "devassist://root-causes/{}": "rootCause",
    "devassist://workspaces/trailnotes/files/app%2Fsrc%2Fmain%2Fkotlin%2Fcom%2Fexample%2Ftrailnotes%2Fui%2F"
    "NoteListFragment.kt": "class NoteListFragment",
    "graphql://upstreams/mock/types/Team": "type Team",
    "graphql://upstreams/mock/queries/leagueStandings": "leagueStandings(",
}
"""An address of every template, and what is in the document; the root cause's id is completed first."""

COMPLETED = [
    ("linescore://seasons/{season}", "season", "2024", {}, "2024-2025"),
    ("linescore://seasons/{season}/teams/{team}", "team", "carol", {}, "CAR"),
    ("linescore://games/{game}", "game", "202402000", {"season": "2024-2025"}, "2024020001"),
    ("backtests://runs/{run}", "run", "079cb", {}, RUN),
    ("sprints://teams/{team}", "team", "acc", {}, "ACCEL"),
    ("devassist://workspaces/{workspace}/files/{path}", "workspace", "trail", {}, "trailnotes"),
    ("graphql://upstreams/{upstream}/types/{type}", "type", "tea", {"upstream": "mock"}, "Team"),
    ("graphql://upstreams/{upstream}/queries/{query}", "query", "leagueS", {}, "leagueStandings"),
]

pytestmark = pytest.mark.usefixtures("cast")


async def _complete(client: Any, uri: str, name: str, typed: str, chosen: dict[str, str]) -> list[str]:
    reference = ResourceTemplateReference(uri=uri)
    found = await client.complete(reference, {"name": name, "value": typed}, context_arguments=chosen or None)
    return list(found.completion.values)


async def test_every_template_s_document_is_read_within_its_size_and_says_how_long_it_keeps() -> None:
    templates = [one for one in registry.resources() if one.is_template]
    async with mcp_in_memory(mode="auto") as client:
        listed = (await client.list_resource_templates()).resource_templates
        (entry, *_) = await _complete(client, "devassist://root-causes/{entry}", "entry", "", {})
        for address, content in READ.items():
            answered = await client.read_resource(address.format(entry))
            (page,) = answered.contents
            assert isinstance(page, TextResourceContents)
            assert content in page.text
            (template,) = (one for one in templates if one.values(page.uri) is not None)
            templates.remove(template)
            assert len(page.text.encode()) <= template.most_bytes
            assert answered.ttl_ms == template.ttl_seconds * 1000

    assert templates == []
    assert all(one.meta and one.meta["mostBytes"] for one in listed)


@pytest.mark.parametrize(("uri", "name", "typed", "chosen", "value"), COMPLETED)
async def test_arguments_of_addresses_are_completed(
    uri: str, name: str, typed: str, chosen: dict[str, str], value: str
) -> None:
    async with mcp_in_memory() as client:
        assert value in await _complete(client, uri, name, typed, chosen)
        assert await _complete(client, uri, name, "\0", chosen) == []
        assert await _complete(client, uri, name, "%_ nothing begins so", chosen) == []


@pytest.mark.parametrize(
    "address",
    ["linescore://seasons/1800-1801", "linescore://games/99999999999999999999", "linescore://games/x",
     "backtests://runs/no-guid", f"backtests://runs/{RUN[:-1]}0", "sprints://teams/%00", "sprints://sprints/nothing",
     "devassist://root-causes/nothing", "devassist://workspaces/trailnotes/files/..%2Fsecret",
     "devassist://workspaces/unknown/files/a.kt", "graphql://upstreams/unknown/types/Team",
     "graphql://upstreams/mock/types/Nothing", "graphql://upstreams/mock/queries/nothing",
     "linescore://" + "a" * 3_000],
)  # fmt: skip
async def test_what_is_not_there_is_an_invalid_parameter(address: str) -> None:
    async with mcp_in_memory() as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(address)

    assert refused.value.error.code == -32602


async def test_another_s_workspace_and_upstream_are_not_there(
    make_workspace: MakeWorkspace, make_reader: MakeReader, make_upstream: MakeUpstream, tmp_path: Path
) -> None:
    (tmp_path / "secret.kt").write_text("class Secret\n")
    row, _ = make_reader()
    workspace = make_workspace(tmp_path, keys=(row,))
    upstream = make_upstream("http://127.0.0.1:9/", sdl="type Query { hidden: Int }", is_open=False)
    owner = Caller(name="owner", scopes=STRANGER.scopes, key_id=row.pk, owner_id=row.owner_id)
    file = f"devassist://workspaces/{workspace}/files/secret.kt"

    async with mcp_in_memory(owner) as client:
        (page,) = (await client.read_resource(file)).contents
    async with mcp_in_memory(STRANGER) as client:
        for address in (file, f"graphql://upstreams/{upstream}/types/Query"):
            with pytest.raises(MCPError):
                await client.read_resource(address)
        seen = [
            await _complete(client, "devassist://workspaces/{workspace}/files/{path}", "workspace", "test", {}),
            await _complete(
                client, "devassist://workspaces/{workspace}/files/{path}", "path", "", {"workspace": workspace}
            ),
            await _complete(client, "graphql://upstreams/{upstream}/types/{type}", "upstream", "test", {}),
            await _complete(client, "graphql://upstreams/{upstream}/types/{type}", "type", "", {"upstream": upstream}),
        ]

    assert isinstance(page, TextResourceContents)
    assert page.text == "class Secret\n"
    assert seen == [[], [], [], []]


async def test_reading_and_getting_leave_a_row_each() -> None:
    somebody = Caller(name="who reads", scopes=frozenset({"linescore:read"}), key_id=2_000_000_002)
    async with mcp_in_memory(somebody) as client:
        await client.read_resource("linescore://games/2024020001")
        await client.get_prompt("team_form", {"team": "CAR"})
        with pytest.raises(MCPError):
            await client.read_resource("sprints://teams/ACCEL")
    await audit.flush()

    async with await psycopg.AsyncConnection.connect(owner_pool.conninfo()) as connection:
        found = await connection.execute(
            "SELECT tool, domain, outcome, answer_bytes > 0 FROM toolbox_tool_calls "
            "WHERE key_id = 2000000002 ORDER BY id"
        )
        rows = await found.fetchall()

    assert rows == [
        ("initialize", "", "answered", False),
        ("resources/read", "linescore", "answered", True),
        ("prompts/get", "linescore", "answered", True),
        ("resources/read", "", "refused", True),
    ]


CUT: list[tuple[str, dict[str, Any], str]] = [
    ("query_linescore_data", {"teamCode": "CAR", "limit": 1}, "linescore://seasons/2024-2025/teams/CAR"),
    ("query_linescore_data", {"season": "2024-2025", "limit": 1}, "linescore://seasons/2024-2025"),
    ("get_events_by_type", {"runId": RUN, "eventType": "TradeExecution", "pageSize": 1}, f"backtests://runs/{RUN}"),
]


@pytest.mark.parametrize(("tool", "arguments", "uri"), CUT)
async def test_an_answer_that_was_cut_links_a_document_that_can_be_read(
    tool: str, arguments: dict[str, Any], uri: str
) -> None:
    async with mcp_in_memory() as client:
        told = await client.call_tool(tool, arguments)
        text, link = told.content
        assert isinstance(link, ResourceLink)
        (page,) = (await client.read_resource(link.uri)).contents

    assert isinstance(text, TextContent)
    assert orjson.loads(text.text) == told.structured_content
    assert link.uri == uri
    assert page.uri == uri


async def test_a_question_answered_whole_links_nothing() -> None:
    async with mcp_in_memory() as client:
        told = await client.call_tool("query_linescore_data", {"teamCode": "CAR", "season": "2024-2025", "limit": 1000})

    assert [part.type for part in told.content] == ["text"]
    assert Link(uri="x", name="y").model_dump(exclude_none=True) == {"type": "resource_link", "uri": "x", "name": "y"}


async def test_shipped_prompts_are_filled_in_and_their_arguments_completed() -> None:
    async with mcp_in_memory() as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        short = (await client.get_prompt("team_form", {"team": "CAR"})).messages[0].content
        long = (await client.get_prompt("team_form", {"team": "CAR", "season": "2024-2025"})).messages[0].content
        people = await client.complete(PromptReference(name="workload_of"), {"name": "person", "value": "avery"})
        with pytest.raises(MCPError, match="team is missing"):
            await client.get_prompt("team_form", {})

    assert {len(list(registry.prompts(domain=kit.domain))) for kit in registry.toolkits()} <= {0, 2, 3}
    assert [one.required for one in listed["team_form"].arguments or ()] == [True, False]
    assert short.text.startswith("How does CAR do period by period? Ask")  # type: ignore[union-attr]
    assert "by period in the season 2024-2025? Ask" in long.text  # type: ignore[union-attr]
    assert any(name.startswith("Avery") for name in people.completion.values)


@pytest.mark.usefixtures("scratch_database")
async def test_a_prompt_that_a_curator_adds_or_turns_off_is_told_to_clients_at_once() -> None:
    names: list[set[str]] = []
    async with mcp_in_memory(mode="auto") as client, client.listen(prompts_list_changed=True) as changes:
        names.append({one.name for one in (await client.list_prompts()).prompts})
        _execute("UPDATE toolbox_prompts SET is_enabled = false WHERE name = 'standup'")
        async with asyncio.timeout(60):
            await anext(aiter(changes))
        names.append({one.name for one in (await client.list_prompts()).prompts})

    assert names[0] - names[1] == {"standup"}


def _execute(statement: str) -> None:
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as other_process:
        other_process.execute(statement.encode())
