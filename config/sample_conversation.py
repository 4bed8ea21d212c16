"""One conversation through the public endpoints: asked over HTTP, answered by a worker, streamed."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
from rich.console import Console

QUESTION = "How did Carolina do in February 2025?"
MAX_SILENCE_SECONDS = 60


class ConversationFailed(RuntimeError):
    """The run did not succeed, or its events ended early."""


def converse(console: Console, *, address: str, key: str) -> None:
    """Ask a question and print its answer; raises ConversationFailed, httpx.HTTPError."""
    with httpx.Client(
        base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=MAX_SILENCE_SECONDS
    ) as client:
        conversation = _post(client, "/api/agents/conversations", body={"toolkits": ["linescore"]})
        messages = f"/api/agents/conversations/{conversation['id']}/messages"
        accepted = _post(client, messages, body={"text": QUESTION})
        console.print(f"[bold]{QUESTION}[/] asked of a worker:")
        with console.status("A worker answers ..."):
            end = next((data for kind, data in _events(client, accepted["events"]) if kind == "run.finished"), {})
    if end.get("state") != "succeeded":
        raise ConversationFailed(f"the worker's answer is {end.get('state', 'missing')}: {end.get('error', '')}")
    console.print(f"\n{end['text']}\n", markup=False)


def _post(client: httpx.Client, address: str, *, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(address, json=body).raise_for_status().json()
    return answer


def _events(client: httpx.Client, address: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each event's kind and data as it arrives."""
    kind = ""
    with client.stream("GET", address) as stream:
        stream.raise_for_status()
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)
