"""Fill the database of make_dump.py before work is queued: people, keys, clients, rows, calls."""

import gzip
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import Group, User
from django.core.management import call_command

from graphql_proxy.ingest.load import store_schema
from graphql_proxy.models import SavedOperation, SchemaSnapshot, Upstream, UpstreamHeader
from graphql_proxy.secrets import seal
from tests.toolbox.oauth.browser import RawClient, allow_client, answer_consent, session_of
from tests.upgrade.product import Browser, Client, call_over_stdio, manage
from toolbox.access.keys import identify
from toolbox.catalogue.prompts import load_prompts
from toolbox.database import event_loop
from toolbox.examples.cache import load_examples
from toolbox.mcp import sessions
from toolbox.models import ApiKey, CuratedPrompt, Example

KEYS = {"writer": "tr_upgrade_writer_may_do_everything", "reader": "tr_upgrade_reader_may_read_linescore",
        "expired": "tr_upgrade_expired_a_day_ago", "revoked": "tr_upgrade_revoked_by_its_owner"}  # fmt: skip
PASSWORD = "upgrade test, no secret"
UPSTREAM_SECRET = "Bearer upgrade-upstream-secret"
SDL = "type Query { standings(season: String): [Row!]! }\ntype Row { team: String! points: Int! }"
DOCUMENT = "query Standings($season: String) { standings(season: $season) { team points } }"
BACKTEST = "6f0c1a52-2d1e-4a53-9a39-0c1f3f0f6a01"
LINESCORE = "linescore/query_linescore_data"
SAMPLES = Path(__file__).parents[2]
GAMES = SAMPLES / "linescore/samples/periods_2024_2025.csv.gz"


def add_people_and_rows() -> dict[str, Any]:
    """Add people, their keys, and some rows of each domain."""
    alice = User.objects.create_user("alice", email="alice@example.org")
    bob = User.objects.create_user("bob", email="bob@example.org")
    User.objects.create_superuser("curator", password=PASSWORD)
    alice.groups.set([Group.objects.create(name=scope) for scope in ("linescore:read", "backtests:read")])
    bob.groups.add(Group.objects.get(name="linescore:read"))
    now = datetime.now(UTC)
    both = ["*:read", "*:write"]
    ApiKey.make(name="alice's agent", owner_id=alice.pk, scopes=both, default_workspace="trailnotes",
                default_upstream="stats", calls_per_minute=6_000, key=KEYS["writer"])  # fmt: skip
    ApiKey.make(name="bob's notebook", owner_id=bob.pk, scopes=["linescore:read"], key=KEYS["reader"])
    ApiKey.make(name="old", owner_id=bob.pk, scopes=both, expires_at=now - timedelta(days=1), key=KEYS["expired"])
    revoked, _ = ApiKey.make(name="lost", owner_id=bob.pk, scopes=both, key=KEYS["revoked"])
    revoked.revoked_at = now
    revoked.save()
    _add_domain_rows()
    return {"keys": KEYS, "password": PASSWORD, "upstreamSecret": UPSTREAM_SECRET}


def _add_domain_rows() -> None:
    root = SAMPLES / "devassist/samples/trailnotes"
    call_command("add_workspace", str(root), "--name", "trailnotes", "--open", verbosity=0)
    with TemporaryDirectory() as folder:
        games = Path(folder) / "games.csv"
        games.write_bytes(games_of("2025-01-30"))
        for file in (SAMPLES / "linescore/samples/teams.csv", games):
            call_command("ingest_linescore", str(file), verbosity=0)
    call_command("ingest_jira", str(SAMPLES / "tests/sprints/ingest/golden/export.csv"), "--organisation", "acme")
    load_examples("linescore")
    Example.objects.exclude(pk__in=Example.objects.order_by("pk").values("pk")[:3]).delete()
    Example.objects.create(domain="linescore", name="curated-here", question="Who played?", tool="query_linescore_data",
                           arguments={"limit": 1}, answer="A game.", is_enabled=False)  # fmt: skip
    load_prompts("linescore")
    CuratedPrompt.objects.order_by("pk").first().save()  # type: ignore[union-attr]
    upstream = Upstream.objects.create(
        slug="stats", title="Statistics", address="http://127.0.0.1:9/graphql", is_local=True, is_default=True
    )
    UpstreamHeader.objects.create(upstream=upstream, name="Authorization", sealed_value=seal(UPSTREAM_SECRET))
    store_schema("stats", text=SDL, source=SchemaSnapshot.Source.SDL, taken_at=datetime.now(UTC))
    season = {"season": {"type": "string", "description": "A season, as 2025."}}
    SavedOperation.objects.create(
        name="season_table", upstream=upstream, description="Give the table of a season.", document=DOCUMENT,
        variables_schema={"type": "object", "properties": season}, example={"season": "2025"},
        result_mapping={"Standings": {"rows": {"path": "standings", "fields": ["team", "points"]}}},
    )  # fmt: skip


def games_of(day: str) -> bytes:
    """Return a day of the shipped season as a file."""
    heading, *lines = gzip.decompress(GAMES.read_bytes()).decode().splitlines(keepends=True)
    return (heading + "".join(line for line in lines if f",{day}," in line)).encode()


def make_calls(server: str, *, environment: dict[str, str], facts: dict[str, Any]) -> dict[str, Any]:
    """Call tools in every way, and allow clients."""
    writer, reader = Client(server, key=KEYS["writer"]), Client(server, key=KEYS["reader"])
    assert reader.call(LINESCORE, limit=2).status_code == 200
    assert reader.call(LINESCORE, teamCode="NOWHERE").status_code == 400
    assert reader.call("backtests/list_backtest_runs").status_code == 403
    assert Client(server, key="nobody").call(LINESCORE, limit=1).status_code == 401
    assert writer.call("linescore/no_such_tool").status_code == 404
    writer.mcp("tools/call", about="query_linescore_data", name="query_linescore_data", arguments={"limit": 1})
    assert "season_table" in [tool["name"] for tool in writer.mcp("tools/list")["tools"]]
    writer.mcp("prompts/get", about="team_form", name="team_form", arguments={"team": "CAR"})
    writer.mcp("resources/read", about="linescore://seasons/2024-2025", uri="linescore://seasons/2024-2025")
    call_over_stdio(environment | {"TOOLROOM_API_KEY": KEYS["reader"]}, tool="query_linescore_data", arguments={})
    with suppress(RuntimeError):  # some have no answer in so few games
        manage("check_examples", "linescore", environment=environment)
    Browser(server, name="curator", password=PASSWORD).submit("/tools/query_linescore_data/", limit="1")
    _add_rows_over_rest(writer)
    return {"oauth": _let_clients_in(server), "mcpSession": _begin_session(writer)}


def _add_rows_over_rest(writer: Client) -> None:
    """Upload a backtest, push an editor's state, propose a root cause, keep a query."""
    run = {"runId": BACKTEST, "name": "Tiny", "engine": "none", "configHash": "0" * 64,
           "startTime": "2025-01-01T00:00:00Z", "endTime": "2025-01-02T00:00:00Z"}  # fmt: skip
    event = {
        "eventId": "6f0c1a52-2d1e-4a53-9a39-0c1f3f0f6a02", "runId": BACKTEST, "timestamp": "2025-01-01T10:00:00Z",
        "eventType": "StateChange", "severity": "Info", "category": "Performance", "parentEventId": None,
        "properties": {"StateType": "PnL", "StateBefore": None, "StateAfter": {"Total": 0}, "ChangeReason": "Begin"},
    }  # fmt: skip
    lines = "\n".join(map(json.dumps, (run, event)))
    writer.http.post(f"/api/backtests/runs/{BACKTEST}/events", content=lines).raise_for_status()
    state = {"workspace": "trailnotes", "activeFile": "Notes.kt", "terminalOutput": "E AndroidRuntime: crash"}
    writer.http.put("/api/devassist/editor-context", json=state).raise_for_status()
    writer.call(
        "devassist/propose_rca", errorDescription="IllegalStateException: Fragment not attached to a context",
        rootCause="A callback outlives the view.", solution="Collect in the view's scope.", language="kotlin",
        errorType="IllegalStateException",
    ).raise_for_status()  # fmt: skip
    kept = {"question": "How many issues are there?", "sql": "SELECT count(*) AS issues FROM issues"}
    writer.http.post("/api/sprints/verified-queries", json=kept).raise_for_status()


def _let_clients_in(server: str) -> dict[str, str]:
    """Allow two clients as alice; the second has an unused code, and has revoked its token."""
    cookie = session_of(User.objects.get(username="alice"))
    client, other = RawClient(server), RawClient(server)
    tokens, ended = allow_client(client, cookie=cookie), allow_client(other, cookie=cookie)
    assert Client(server, key=tokens["access_token"]).call(LINESCORE, limit=1).status_code == 200
    other.revoke(ended["access_token"])
    code = answer_consent(other.address(), cookie=cookie)["code"]
    return {
        "client": client.id, "accessToken": tokens["access_token"], "refreshToken": tokens["refresh_token"],
        "otherClient": other.id, "revokedToken": ended["access_token"], "code": code, "verifier": other.verifier,
        "redirect": other.redirect,
    }  # fmt: skip


def _begin_session(writer: Client) -> str:
    """Create a session of the 2025 protocols, dated far ahead: it must still be valid when the test reads it."""
    caller = event_loop.run(identify(KEYS["writer"]))
    with patch("time.time", return_value=datetime(2100, 1, 1, tzinfo=UTC).timestamp()):
        session = sessions.create_session_id({"elicitation": {}}, caller=caller)
    for method, params in (("logging/setLevel", {"level": "warning"}),
                           ("resources/subscribe", {"uri": "linescore://seasons/2024-2025"})):  # fmt: skip
        answered = writer.mcp_in_session(method, session=session, **params)
        assert "result" in answered.json(), answered.text
    return session
