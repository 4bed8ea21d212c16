"""Fixtures for web search: a local server that answers as the three public sources do, or misbehaves."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from devassist.contracts.web_search_wiki import WebResults, WebSearchQuestion
from devassist.web import search, source_search
from devassist.web.source_search import WebRules
from devassist.web.sources import Source
from tests.bad_upstream import FIXED, STREAMS, BadUpstream, bad_upstream
from toolbox.database import event_loop
from toolbox.database.pools import Connection, writer

PATHS = {"stackoverflow": "search/excerpts", "github": "search/issues", "mdn": "api/v1/search"}
KEY = "a-key-that-nobody-may-see"
SAID: dict[str, Any] = {
    "stackoverflow": {
        "items": [
            {"item_type": "question", "question_id": 7, "title": "Why does &quot;frobnicate&quot; crash?",
             "excerpt": "it <span class=\"highlight\">crashes</span> in frobnicate &amp; friends"},
        ],
        "has_more": False, "quota_max": 300, "quota_remaining": 299,
    },
    "github": {
        "total_count": 1, "incomplete_results": False,
        "items": [{"html_url": "https://github.com/a/b/issues/1", "title": "Slow start", "body": "unrelated"}],
    },
    "mdn": {"documents": [{"mdn_url": "/en-US/docs/frobnicate", "title": "frobnicate", "summary": "A crash course."}]},
}  # fmt: skip


def whole(body: Any, *headers: str, status: str = "200 OK") -> bytes:
    """Build a whole HTTP answer."""
    sent = json.dumps(body).encode()
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(sent)}", "Content-Type: application/json", *headers]
    return "\r\n".join([*head, "", ""]).encode() + sent


@dataclass
class Public:
    """The server, and the scripted answer of each source."""

    upstream: BadUpstream
    patch: pytest.MonkeyPatch
    rules: WebRules = field(init=False)

    def __post_init__(self) -> None:
        address = self.upstream.url("").rstrip("/")
        sources = {name: Source(name=name, address=address, key=KEY) for name in PATHS}
        self.rules = WebRules(sources=sources, fresh_seconds=3_600, keep_days=30)
        self.upstream.asked.clear()
        self.patch.setattr(source_search, "WAIT_SECONDS", 30.0)  # a busy machine is not what is tested
        for name, body in SAID.items():
            self.say(name, whole(body))

    def say(self, name: str, answer: bytes) -> None:
        """Script a source's answer."""
        self.patch.setitem(FIXED, PATHS[name], lambda: answer)

    def behave(self, name: str, *, like: str) -> None:
        """Let a source misbehave as tests/bad_upstream.py names it."""
        if like in STREAMS:
            self.patch.setitem(STREAMS, PATHS[name], STREAMS[like])
        else:
            self.say(name, self._redirect() if like == "redirect-away" else FIXED[like]())

    def _redirect(self) -> bytes:
        return whole({}, f"Location: {self.upstream.elsewhere}", status="302 Found")

    async def search(self, query: str = "frobnicate crash", *, rules: WebRules | None = None, **ask: Any) -> WebResults:
        """Search as the tool does."""
        question = WebSearchQuestion(query=query, **ask)
        return await event_loop.run_on_loop(lambda: search.search(question, rules=rules or self.rules))

    def count_requests(self, name: str) -> int:
        """Return how often a source was asked."""
        return len([one for one in self.upstream.asked if one.path.startswith(f"/{PATHS[name]}?")])


@pytest.fixture(scope="session")
def web_server() -> Iterator[BadUpstream]:
    """Run the server."""
    with bad_upstream() as running:
        yield running


@pytest.fixture
def public(web_server: BadUpstream, cast: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Public]:
    """Yield the sources, each with a good answer, and an empty cache."""
    _forget()
    yield Public(web_server, monkeypatch)
    source_search._under_way.clear()
    _forget()


def change(statement: str) -> None:
    """Change rows as the owner."""

    async def work(connection: Connection) -> None:
        await connection.execute(statement.encode())

    event_loop.run(writer.run(work))


def _forget() -> None:
    change("DELETE FROM devassist_web_answers")
    change("DELETE FROM devassist_web_sources")
