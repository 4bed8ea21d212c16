"""Pages of other sites: those by configuration may be MCP clients, no other page learns anything."""

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from playwright.sync_api import sync_playwright
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from config.environment import Environment
from tests.conftest import running_server
from toolbox.oauth.cors import CorsMiddleware

THEIRS = "https://inspector.example"
ASKS = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,mcp-param-team"}


async def _behind(scope: Scope, receive: Receive, send: Send) -> None:
    lines = [(b"access-control-allow-origin", b"*"), (b"vary", b"Cookie"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 418, "headers": lines})
    await send({"type": "http.response.body", "body": b"behind"})


@pytest.fixture
async def site() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=CorsMiddleware(_behind, origins=[THEIRS]))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize("path", ["/mcp", "/mcp/linescore", "/.well-known/oauth-protected-resource", "/oauth/token/"])
async def test_a_browser_that_asks_for_a_listed_page_is_told_yes(site: httpx.AsyncClient, path: str) -> None:
    asked = await site.options(path, headers={"origin": THEIRS} | ASKS)
    done = await site.post(path, headers={"origin": THEIRS})

    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == done.headers["access-control-allow-origin"] == THEIRS
    assert asked.headers["access-control-allow-headers"] == "authorization,mcp-param-team"
    assert "access-control-allow-credentials" not in {**asked.headers, **done.headers}
    assert "WWW-Authenticate, Mcp-Session-Id" in done.headers["access-control-expose-headers"]
    assert done.headers["vary"] == "Cookie, Origin"
    assert done.status_code == 418


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/mcp", {"origin": "https://inspector.example.evil"}),
        ("/mcp", {"origin": "null"}),
        ("/mcp", {}),
        ("/mcp", {"origin": THEIRS, "host": "rebound.example"}),
        ("/oauth/authorize/", {"origin": THEIRS}),
        ("/admin/", {"origin": THEIRS}),
        ("/api/tools/linescore/query_linescore_data", {"origin": THEIRS}),
    ],
    ids=str,
)
async def test_nothing_else_is_touched(site: httpx.AsyncClient, path: str, headers: dict[str, str]) -> None:
    asked = await site.options(path, headers=headers | ASKS)

    assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (418, "*")


@pytest.mark.parametrize("origins", ["*", "https://*.example", "null", "https://a.example/path", "localhost:6274"])
def test_an_origin_is_named_in_full_or_the_server_does_not_start(origins: str) -> None:
    with pytest.raises(ValidationError):
        Environment(toolroom_browser_origins=origins)


@pytest.fixture
def foreign() -> Iterator[str]:
    """Serve an empty page of another site, and yield its origin."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


FETCHES = """async ([server, key, client]) => {
  const told = {};
  const post = (path, body, headers) => fetch(server + path, {method: "POST", headers, body});
  const refused = await post("/mcp", "{}", {"content-type": "application/json"});
  told.challenge = refused.headers.get("www-authenticate");
  const place = told.challenge.match(/resource_metadata="([^"]+)"/)[1];
  told.resource = await (await fetch(place, {headers: {"mcp-protocol-version": "2025-11-25"}})).json();
  const issuer = told.resource.authorization_servers[0] + "/.well-known/oauth-authorization-server";
  told.issuer = await (await fetch(issuer, {headers: {"mcp-protocol-version": "2025-11-25"}})).json();
  const json = {"content-type": "application/json"};
  told.registered = await (await post("/oauth/register/", client, json)).json();
  told.token = (await post("/oauth/token/", "grant_type=authorization_code", json)).status;
  const begin = {jsonrpc: "2.0", id: 1, method: "initialize",
                 params: {protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {name: "page", version: "1"}}};
  const begun = await post("/mcp", JSON.stringify(begin),
                           {...json, accept: "application/json, text/event-stream", authorization: "Bearer " + key});
  told.session = begun.headers.get("mcp-session-id");
  told.name = (await begun.json()).result.serverInfo.name;
  return told;
}"""


@pytest.mark.slow
def test_a_page_in_a_real_browser_finds_its_way_in_and_another_does_not(foreign: str, cast: SimpleNamespace) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("no Chromium on the path")
    client = json.dumps({"client_name": "page", "redirect_uris": [f"{foreign}/back"],
                         "token_endpoint_auth_method": "none"})  # fmt: skip
    with running_server(TOOLROOM_BROWSER_ORIGINS=foreign) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(foreign)
        told = page.evaluate(FETCHES, [server, cast.alice, client])
        page.goto(foreign.replace("127.0.0.1", "localhost"))
        other = page.evaluate("address => fetch(address, {method: 'POST'}).catch(why => String(why))", f"{server}/mcp")
        browser.close()

    assert told["resource"]["resource"] == f"{server}/mcp"
    assert told["issuer"]["registration_endpoint"] == f"{server}/oauth/register/"
    assert told["registered"]["client_id"]
    assert told["token"] in (400, 401)
    assert told["session"]
    assert told["name"] == "toolroom"
    assert "Failed to fetch" in other
