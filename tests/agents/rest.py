"""Hold conversations over the public REST endpoints."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import httpx

from tests.toolbox.transports import PLAIN_HTTP

CONVERSATIONS = "/api/agents/conversations"


class RestClient:
    """A client with a key."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self._runs: dict[UUID, str] = {}

    def begin(self, **settings: Any) -> str:
        """Create a conversation and return its address."""
        made = self.http.post(CONVERSATIONS, json=settings)
        assert made.status_code == 201, made.text
        return f"{CONVERSATIONS}/{made.json()['id']}"

    def say(self, text: str, *, to: str = "", **settings: Any) -> UUID:
        """Post a message, in a new conversation unless one is named, and return the run's id."""
        accepted = self.http.post(f"{to or self.begin(**settings)}/messages", json={"text": text})
        assert accepted.status_code == 202, accepted.text
        run_id = UUID(accepted.json()["runId"])
        self._runs[run_id] = accepted.json()["run"]
        return run_id

    def address(self, run_id: UUID) -> str:
        """Return a run's address."""
        return self._runs[run_id]

    def run(self, run_id: UUID) -> dict[str, Any]:
        """Return a run."""
        answer: dict[str, Any] = self.http.get(self.address(run_id)).json()
        return answer

    def do(self, what: str, run_id: UUID, **body: Any) -> httpx.Response:
        """Cancel, approve or reject."""
        return self.http.post(f"{self.address(run_id)}/{what}", json=body)

    @contextmanager
    def stream_events(self, run_id: UUID, *, after: int = 0) -> Iterator[Iterator[dict[str, Any]]]:
        """Open the stream of a run's events; yields each as id, kind and data."""
        headers = {"Last-Event-ID": str(after)} if after else {}
        with self.http.stream("GET", f"{self.address(run_id)}/events", headers=headers) as stream:
            yield _events(stream.iter_lines())

    def read_events(self, run_id: UUID, *, after: int = 0) -> list[dict[str, Any]]:
        """Read a run's events to its end."""
        with self.stream_events(run_id, after=after) as events:
            return list(events)


@contextmanager
def connect_person(address: str, *, key: str) -> Iterator[RestClient]:
    """Return a client with a key of its own."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=address, headers=headers, timeout=60, verify=PLAIN_HTTP) as http:
        yield RestClient(http)


def _events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            event = {"id": int(value)}
        elif name == "event":
            event["kind"] = value
        elif name == "data":
            yield event | {"data": json.loads(value)}
