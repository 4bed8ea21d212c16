"""Toolroom as its users reach it: REST, MCP of both protocol eras, pages, commands; and an upstream for it."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import httpx
from django.conf import settings

from tests.toolbox.transports import PLAIN_HTTP

MODERN, LEGACY = "2026-07-28", "2025-06-18"
META = "io.modelcontextprotocol"
CAPABILITIES: dict[str, Any] = {"extensions": {f"{META}/tasks": {}}, "elicitation": {"form": {}}}
EACH_ITS_CONNECTION = httpx.Limits(max_keepalive_connections=0)
"""No client has anything to close."""
CONVERSATIONS = "/api/agents/conversations"
Found = TypeVar("Found")


def wait_for(find: Callable[[], Found | None], *, what: str, seconds: float = 60) -> Found:
    """Check ten times a second until something is found; raises TimeoutError."""
    for _ in range(int(seconds * 10)):
        if found := find():
            return found
        threading.Event().wait(0.1)
    raise TimeoutError(f"{what}: not within {seconds:g} s")


class Client:
    """A program with a key or a token."""

    def __init__(self, server: str, *, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self.http = httpx.Client(
            base_url=server, headers=headers, timeout=30, verify=PLAIN_HTTP, limits=EACH_ITS_CONNECTION
        )

    def get(self, path: str) -> Any:
        """Get JSON, or the events of a stream."""
        answered = self.http.get(path).raise_for_status()
        if answered.headers["content-type"].startswith("text/event-stream"):
            return re.findall(r"^(?:id|event|data): .*$", answered.text, flags=re.MULTILINE)
        return answered.json()

    def post(self, path: str, **body: Any) -> Any:
        """Post JSON and return the answer's."""
        return self.http.post(path, json=body).raise_for_status().json()

    def call(self, tool: str, **arguments: Any) -> httpx.Response:
        """Call a tool, named with its domain, over REST."""
        return self.http.post(f"/api/tools/{tool}", json=arguments)

    def ask(self, text: str, **options: Any) -> dict[str, str]:
        """Ask in a new conversation; returns the addresses of conversation and run."""
        conversation = f"{CONVERSATIONS}/{self.post(CONVERSATIONS, **options)['id']}"
        run = self.post(f"{conversation}/messages", text=text)["runId"]
        return {"conversation": conversation, "run": f"{conversation}/runs/{run}"}

    def mcp(self, method: str, *, about: str = "", **params: Any) -> dict[str, Any]:
        """Send a request of the 2026 protocol, as a client that knows tasks and fills in forms."""
        meta = {
            f"{META}/protocolVersion": MODERN,
            f"{META}/clientCapabilities": CAPABILITIES,
            f"{META}/clientInfo": {"name": "upgrade", "version": "1"},
        }
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method} | ({"Mcp-Name": about} if about else {})
        answered = self._send(method, headers=headers, params=params | {"_meta": meta}).json()
        assert "result" in answered, answered
        result: dict[str, Any] = answered["result"]
        return result

    def mcp_in_session(self, method: str, *, session: str, **params: Any) -> httpx.Response:
        """Send a request of a 2025 protocol in a session."""
        return self._send(method, headers={"MCP-Protocol-Version": LEGACY, "Mcp-Session-Id": session}, params=params)

    def _send(self, method: str, *, headers: dict[str, str], params: dict[str, Any]) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        accepts = {"Accept": "application/json, text/event-stream"}
        return self.http.post("/mcp", json=message, headers=headers | accepts)


class Browser:
    """A person's browser, logged in by their password."""

    def __init__(self, server: str, *, name: str, password: str) -> None:
        self.http = httpx.Client(
            base_url=server, timeout=30, verify=PLAIN_HTTP, limits=EACH_ITS_CONNECTION, follow_redirects=True
        )
        self.page = self.submit("/login/", username=name, password=password)

    def submit(self, path: str, *, files: dict[str, Any] | None = None, **fields: str) -> httpx.Response:
        """Submit a form of a page."""
        self.http.get(path).raise_for_status()
        token = {"csrfmiddlewaretoken": self.http.cookies["csrftoken"]}
        referer = {"Referer": f"{self.http.base_url}"}
        return self.http.post(path, data=token | fields, files=files, headers=referer).raise_for_status()


def call_over_stdio(environment: dict[str, str], *, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool of `manage.py mcp`; returns the answer, and ends when the answer is there."""
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "upgrade", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0"} | message) + "\n" for message in messages)
    command = [sys.executable, "manage.py", "mcp"]
    with subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines)
        process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        answer: dict[str, Any] = next(answer for answer in answers if answer.get("id") == 2)
        process.stdin.close()
    return answer


def manage(*command: str, environment: dict[str, str]) -> str:
    """Run a management command and return its output; raises RuntimeError with its error output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=settings.BASE_DIR, env=environment, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-3000:]}")
    return done.stdout


@dataclass
class Upstream:
    """A GraphQL API that answers every document alike; records the headers of each request."""

    address: str = ""
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def running_upstream(answer: dict[str, Any]) -> Iterator[Upstream]:
    """Run an upstream until the block ends."""
    running, body = Upstream(), json.dumps({"data": answer}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            running.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    running.address = f"http://127.0.0.1:{server.server_port}/graphql"
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
