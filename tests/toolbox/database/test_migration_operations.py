"""Clients of both eras hear what curators change: of lists, and of documents that they watch and may read."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson
import psycopg
import pytest
from mcp.client import Client

from sprints.resources import BOARD, SPRINT
from tests.conftest import ALICE_KEY, BOB_KEY, running_server
from tests.toolbox.transports import PLAIN_HTTP, mcp_in_memory, mcp_over_http
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.resources import fill_uri
from toolbox.database.pools import owner_pool
from toolbox.mcp.changes import may_watch
from toolbox.mcp.server import mcp_server

GAME = "linescore://games/2024020001"
SEASON = "linescore://seasons/2024-2025"
CORRECTION = "UPDATE linescore_periods SET home_goals = home_goals + 1 WHERE game_id = 2024020001 AND period_number = 1"
PROMPT = "UPDATE toolbox_prompts SET is_enabled = NOT is_enabled WHERE name = 'standup'"
JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

pytestmark = pytest.mark.usefixtures("scratch_database")


def _curates(*statements: str) -> list[tuple[str, str]]:
    """Change something as another process would; returns the announced resources."""
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as other:
        other.execute("LISTEN toolroom_documents")
        for statement in statements:
            other.execute(statement.encode())
        return sorted((notice.channel, notice.payload) for notice in other.notifies(timeout=0.2))


def _asks(statement: str) -> Any:
    """Read one row."""
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as other:
        return other.execute(statement.encode()).fetchone()


def test_a_correction_announces_each_document_once() -> None:
    told = _curates(CORRECTION, CORRECTION.replace("home_goals = home_goals + 1", "home_goals = home_goals"))

    teams = [uri for _, uri in told if "/teams/" in uri]
    assert [uri for _, uri in told if "/teams/" not in uri] == [GAME, SEASON]
    assert len(teams) == 2


@pytest.mark.parametrize(
    ("statement", "uri"),
    [
        ("UPDATE sprints_issues SET title = title || '!' WHERE issue_key LIKE 'ACCEL-%1'", "sprints://teams/ACCEL"),
        (
            "UPDATE sprints_sprints SET goal = 'Other' WHERE sprint_name LIKE 'ACCEL % 1'",
            "sprints://sprints/ACCEL%20",
        ),
        (
            "DELETE FROM devassist_root_causes WHERE id = (SELECT min(id) FROM devassist_root_causes)",
            "devassist://root-causes/",
        ),
    ],
)
def test_what_curators_change_is_announced_by_its_address(statement: str, uri: str) -> None:
    told = [fill_uri for _, fill_uri in _curates(statement)]

    assert [fill_uri for fill_uri in told if fill_uri.startswith(uri)]
    assert [one for one in registry.resources() if one.values(told[0]) is not None]


STAY = (
    "(SELECT min(m.id) FROM sprints_sprint_issues AS m JOIN sprints_sprints USING (sprint_id) WHERE state = 'active')"
)
ITS_SPRINT = f"(SELECT sprint_id FROM sprints_sprint_issues WHERE id = {STAY})"
ITS_ISSUE = f"(SELECT issue_id FROM sprints_sprint_issues WHERE id = {STAY})"
ODD_NAMES = ("Sprint 9 (UX/UI)", "Größe", "100 % a+b?c#d", "-._~!*'():;@&=$,[]", '\\ "{}|^`<>', "日本 🏒", "%20")


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE sprints_sprint_issues SET removed_at = now() WHERE id = {STAY}",
        f"DELETE FROM sprints_sprint_issues WHERE id = {STAY}",
        f"UPDATE sprints_issues SET story_points = coalesce(story_points, 0) + 1 WHERE issue_id = {ITS_ISSUE}",
        f"UPDATE sprints_issues SET title = 'Another' WHERE issue_id = {ITS_ISSUE}",
        (
            "INSERT INTO sprints_points_changes (issue_id, changed_at, from_points, to_points) "
            f"SELECT {ITS_ISSUE}, now(), 1, 2"
        ),
        (
            "INSERT INTO sprints_status_changes (issue_id, changed_at, to_status_id, external_id) "
            f"SELECT {ITS_ISSUE}, now(), status_id, '' FROM sprints_statuses WHERE status_category = 'Done' LIMIT 1"
        ),
        f"UPDATE sprints_sprints SET goal = 'Other' WHERE sprint_id = {ITS_SPRINT}",
    ],
)
def test_a_sprint_is_announced_by_id_and_name_with_what_it_is_made_of(statement: str) -> None:
    key, name = _asks(f"SELECT sprint_id, sprint_name FROM sprints_sprints WHERE sprint_id = {ITS_SPRINT}")
    told = {uri for _, uri in _curates(statement)}

    assert {fill_uri(SPRINT, sprint=key), fill_uri(SPRINT, sprint=name)} <= told


@pytest.mark.parametrize("change", ["state = 'closed', completed_at = now()", "goal = 'Other'"])
def test_a_board_is_announced_with_its_sprints(change: str) -> None:
    key, name = _asks(
        "SELECT team_id, team_key FROM sprints_teams JOIN sprints_sprints USING (team_id) "
        f"WHERE sprint_id = {ITS_SPRINT}"
    )
    told = {uri for _, uri in _curates(f"UPDATE sprints_sprints SET {change} WHERE sprint_id = {ITS_SPRINT}")}

    assert {fill_uri(BOARD, team=key), fill_uri(BOARD, team=name)} <= told


@pytest.mark.parametrize(
    ("statement", "uris"),
    [
        (
            (
                "UPDATE sprints_issues SET team_id = (SELECT team_id FROM sprints_teams WHERE team_key = 'ORBIT') "
                "WHERE issue_key = 'ACCEL-101'"
            ),
            {"sprints://teams/ACCEL", "sprints://teams/ORBIT"},
        ),
        (
            "UPDATE sprints_teams SET team_key = 'NEW' WHERE team_key = 'ACCEL'",
            {"sprints://teams/ACCEL", "sprints://teams/NEW"},
        ),
        (
            "UPDATE devassist_root_causes SET entry_name = 'new:1' WHERE entry_name = 'old:1'",
            {"devassist://root-causes/old%3A1", "devassist://root-causes/new%3A1"},
        ),
        (
            "UPDATE linescore_games SET season = '2023-2024' WHERE game_id = 2024020001",
            {GAME, SEASON, "linescore://seasons/2023-2024"},
        ),
    ],
)
def test_what_moves_is_announced_where_it_was_and_where_it_is(statement: str, uris: set[str]) -> None:
    _curates(
        "UPDATE devassist_root_causes SET entry_name = 'old:1' WHERE id = (SELECT min(id) FROM devassist_root_causes)"
    )
    told = {uri for _, uri in _curates(statement)}

    assert uris <= told


def test_a_renamed_sprint_is_announced_by_every_name_as_clients_write_them() -> None:
    before, *_ = _asks(f"SELECT sprint_name FROM sprints_sprints WHERE sprint_id = {ITS_SPRINT}")
    quoted = [name.replace("'", "''") for name in ODD_NAMES]
    renamed = f"UPDATE sprints_sprints SET sprint_name = '%s' WHERE sprint_id = {ITS_SPRINT}"
    told = {uri for _, uri in _curates(renamed % quoted[0])}
    later = {uri for _, uri in _curates(*(renamed % name for name in quoted[1:]))}

    assert {fill_uri(SPRINT, sprint=before), fill_uri(SPRINT, sprint=ODD_NAMES[0])} <= told
    assert {fill_uri(SPRINT, sprint=name) for name in ODD_NAMES} <= later


def test_a_name_too_long_for_an_address_is_announced_by_its_id_alone() -> None:
    (key,) = _asks(f"SELECT {ITS_SPRINT}")
    told = {
        uri
        for _, uri in _curates(
            f"UPDATE sprints_sprints SET sprint_name = repeat('🏒', 255) WHERE sprint_id = {ITS_SPRINT}"
        )
    }

    assert fill_uri(SPRINT, sprint=key) in told
    assert not [uri for uri in told if "%F0" in uri]


def test_a_load_of_many_announces_a_bounded_number() -> None:
    assert 0 < len(_curates("UPDATE linescore_periods SET away_goals = away_goals + 1")) <= 500


async def test_a_client_of_the_2026_era_hears_of_what_it_may_read() -> None:
    bob = Caller(name="bob", scopes=frozenset({"linescore:read"}))
    heard: list[str] = []
    watched = [GAME, "sprints://teams/ACCEL"]
    async with (
        mcp_in_memory(bob, mode="auto") as client,
        client.listen(resource_subscriptions=watched, prompts_list_changed=True) as changes,
    ):
        told = aiter(changes)
        for statement in ("UPDATE sprints_issues SET title = title || '!'", CORRECTION, PROMPT):
            await asyncio.to_thread(_curates, statement)
        async with asyncio.timeout(60):
            while len(heard) < 2:
                heard.append(repr(await anext(told)))

    assert GAME in heard[0]
    assert "PromptsListChanged" in heard[1]


async def test_both_eras_declare_what_they_tell_and_nothing_else() -> None:
    for mode in ("auto", "legacy"):
        async with mcp_in_memory(mode=mode) as client:
            declared = client.server_capabilities

        assert declared is not None
        assert (declared.tools.list_changed, declared.prompts.list_changed) == (True, True)  # type: ignore[union-attr]
        assert (declared.resources.list_changed, declared.resources.subscribe) == (False, True)  # type: ignore[union-attr]


async def test_a_connection_that_lasts_hears_of_lists_too() -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        heard.put_nowait(type(message).__name__)

    server = mcp_server(registry, transport="memory", credential_of=lambda _: LOCAL_OPERATOR)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        await client.list_prompts()
        await asyncio.to_thread(_curates, PROMPT)
        async with asyncio.timeout(60):
            while "PromptListChanged" not in (await heard.get()):
                pass


@asynccontextmanager
async def _stream(server: str, *, key: str, watched: list[str]) -> AsyncIterator[Callable[[], Any]]:
    """Create a 2025 session and open its stream; yields a function that reads its next message."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    headers = JSON | {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=server, headers=headers, timeout=60, verify=PLAIN_HTTP) as http:
        begun = await http.post("/mcp", json=begin)
        session = {"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        for uri in watched:
            asked = {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": uri}}
            assert (await http.post("/mcp", json=asked, headers=session)).json()["result"] == {}
        async with http.stream("GET", "/mcp", headers=session) as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == ": here"

            async def read_event() -> Any:
                async for line in lines:
                    if line.startswith("data: "):
                        return orjson.loads(line.removeprefix("data: "))
                return None

            yield read_event


@pytest.mark.slow
async def test_a_2025_session_hears_on_its_stream_until_its_key_ends() -> None:
    with running_server() as server:
        watched = [GAME, "sprints://teams/ACCEL"]
        async with _stream(server, key=BOB_KEY, watched=watched) as read_event, asyncio.timeout(30):
            for statement in ("UPDATE sprints_issues SET title = title || '!'", CORRECTION, PROMPT):
                await asyncio.to_thread(_curates, statement)
            first, second = await read_event(), await read_event()
            await asyncio.to_thread(_curates, "UPDATE toolbox_api_keys SET revoked_at = now() WHERE name = 'bob'")
            last = first
            while last is not None:  # for as long as a key may be remembered
                await asyncio.to_thread(_curates, PROMPT)
                last = await read_event()
        async with mcp_over_http(server, key=ALICE_KEY, mode="legacy") as client:
            declared = client.server_capabilities

    assert first == {
        "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": GAME},
    }  # fmt: skip
    assert second["method"] == "notifications/prompts/list_changed"
    assert last is None
    assert declared is not None
    assert declared.prompts.list_changed  # type: ignore[union-attr]


def test_nobody_watches_what_cannot_be_or_is_not_theirs() -> None:
    bob = Caller(name="bob", scopes=frozenset({"linescore:read"}))

    assert may_watch(GAME, caller=bob, registry=registry)
    assert not may_watch("sprints://teams/ACCEL", caller=bob, registry=registry)
    assert not may_watch("absent://at/all", caller=bob, registry=registry)
