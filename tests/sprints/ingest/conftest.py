"""Fixtures for ingestion: an organisation for the test, and a Jira of our own on a real socket."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest


@dataclass(slots=True)
class Answer:
    """One answer of the Jira."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class LocalJira:
    """
    A server with Jira's protocol: server info, lists, boards, searches by token (Cloud) or by start (Server).

    `issues` are searched in the order of their `updated`; `interruptions` are answered first, by path.
    """

    address: str = ""
    is_cloud: bool = True
    page_size: int = 2
    issues: list[dict[str, Any]] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    changelogs: dict[str, list[Any]] = field(default_factory=dict)
    interruptions: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    authorizations: set[str] = field(default_factory=set)

    def paths(self) -> list[str]:
        """Return the requested paths, in order."""
        return [path for path, _ in self.asked]

    def searches(self) -> list[dict[str, str]]:
        """Return the parameters of the searches."""
        return [given for path, given in self.asked if "search" in path and "jql" in given]

    def answer(self, path: str, given: dict[str, str]) -> Answer:
        """Answer a request as a Jira does."""
        self.asked.append((path, given))
        if waiting := self.interruptions.get(path):
            return waiting.pop(0)
        if path == "/rest/api/2/serverInfo":
            return Answer({"deploymentType": "Cloud" if self.is_cloud else "Server"})
        if path == "/rest/api/3/search/jql" and self.is_cloud:
            return Answer(self._page(int(given.get("nextPageToken", "0"))))
        if path == "/rest/api/2/search":
            return Answer({"errorMessages": ["removed"]}, 410) if self.is_cloud else Answer(self._classic(given))
        if path.endswith("/changelog"):
            return Answer(self._rows(self.changelogs[path.split("/")[-2]], given))
        if path in self.lists:
            rows = self.lists[path]
            return Answer(self._rows(rows, given) if "agile" in path or "project/search" in path else rows)
        return Answer({"errorMessages": ["not here"]}, 404)

    def _page(self, start: int) -> dict[str, Any]:
        issues = self.issues[start : start + self.page_size]
        following = start + self.page_size
        more = {"nextPageToken": str(following)} if following < len(self.issues) else {"isLast": True}
        return {"issues": issues} | more

    def _classic(self, given: dict[str, str]) -> dict[str, Any]:
        start = int(given["startAt"])
        return {"startAt": start, "total": len(self.issues), "issues": self.issues[start : start + self.page_size]}

    def _rows(self, rows: list[Any], given: dict[str, str]) -> dict[str, Any]:
        start = int(given.get("startAt", "0"))
        return {"values": rows[start : start + 2], "startAt": start, "isLast": start + 2 >= len(rows)}


@pytest.fixture
def jira() -> Iterator[LocalJira]:
    """Serve a LocalJira from a thread."""
    local = LocalJira()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            local.authorizations.add(self.headers.get("Authorization", ""))
            parts = urlsplit(self.path)
            answer = local.answer(parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()})
            body = answer.body if isinstance(answer.body, bytes) else orjson.dumps(answer.body)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        local.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield local
        server.shutdown()
        thread.join()


class Clock:
    """A clock that moves only when someone waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def read(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()
