"""Uploads before Django: read as they are stored, and clients that vanish, stall or may not write."""

import asyncio
import json
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async

from backtests.ingest import batch, load
from backtests.models import Event
from backtests.uploads import middleware as upload_middleware
from backtests.uploads import storage as uploads
from backtests.uploads.middleware import UploadMiddleware
from tests.backtests.makers import jsonl, strategy
from toolbox.models import ToolCall

pytestmark = pytest.mark.usefixtures("open_database")
GONE = {"type": "http.disconnect"}


class Client:
    """An ASGI client that sends pieces, and observes what happens meanwhile."""

    def __init__(self, middleware: UploadMiddleware, *, run_id: UUID, key: str) -> None:
        self.middleware, self.run_id, self.key = middleware, run_id, key
        self.asked = 0
        self.sent: list[dict[str, Any]] = []

    async def upload(self, messages: Iterable[dict[str, Any]], *, request_id: str = "upload-test") -> Any:
        """Return status and body of the answer; None if there was none."""
        coming = iter(messages)

        async def receive() -> dict[str, Any]:
            self.asked += 1
            message = next(coming, None)
            if message is None:
                await asyncio.Event().wait()
            assert message is not None
            return message

        async def send(message: Any) -> None:
            self.sent.append(message)

        headers = [
            (b"host", b"localhost"), (b"authorization", f"Bearer {self.key}".encode()),
            (b"x-request-id", request_id.encode()),
        ]  # fmt: skip
        path = f"/api/backtests/runs/{self.run_id}/events"
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
        await self.middleware(scope, receive, send)
        return (self.sent[0]["status"], json.loads(self.sent[1]["body"])) if self.sent else None


async def nobody(*_: Any) -> None:
    raise AssertionError("an upload was handed on")


@pytest.fixture
def client(cast: SimpleNamespace, run_id: UUID) -> Client:
    return Client(UploadMiddleware(nobody, patience_seconds=0.2), run_id=run_id, key=cast.alice)


def pieces(lines: list[bytes], *, each: int) -> list[dict[str, Any]]:
    return [
        {"type": "http.request", "body": b"".join(lines[at : at + each]), "more_body": True}
        for at in range(0, len(lines), each)
    ]


@sync_to_async
def count_stored(run_id: UUID) -> int:
    return Event.objects.of_run(run_id).count()


@sync_to_async
def find_call(request_id: str) -> ToolCall:
    return ToolCall.objects.get(request_id=request_id)


async def test_a_piece_is_asked_for_only_when_what_came_before_is_used(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "BATCH_EVENTS", 200)
    lines = jsonl(strategy(str(client.run_id), events=3000))
    ahead: list[int] = []
    original = batch.store_batch

    def watch_copy(run_id: UUID, *, rows: Any, **kept: Any) -> Any:
        if rows:  # the last batch may only say that the log is whole
            ahead.append(client.asked * 100 - rows[-1].line_number)
        return original(run_id, rows=rows, **kept)

    monkeypatch.setattr(load, "store_batch", watch_copy)
    done = {"type": "http.request", "body": b"", "more_body": False}

    status, body = await client.upload([*pieces(lines, each=100), done])

    assert (status, body["stored"]) == (200, len(lines))
    piece = len(lines[0]) * 100
    assert max(ahead) <= 2 * 200 + uploads.PIECE_BYTES // piece * 100 + 200


async def test_a_client_that_vanishes_leaves_whole_batches_and_an_audit_row(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "BATCH_EVENTS", 200)
    lines = jsonl(strategy(str(client.run_id), events=1000))

    answer = await client.upload([*pieces(lines, each=100), GONE], request_id="vanished-client")

    assert answer is None
    assert 0 < await count_stored(client.run_id) <= len(lines)
    left = await find_call("vanished-client")
    assert (left.outcome, left.status, left.code) == (ToolCall.Outcome.CANCELLED, 499, "CANCELLED")
    again = Client(client.middleware, run_id=client.run_id, key=client.key)
    done = {"type": "http.request", "body": b"", "more_body": False}
    _, body = await again.upload([*pieces(lines, each=500), done])
    assert body["stored"] + body["duplicate"] == len(lines) == await count_stored(client.run_id)


async def test_a_client_that_stalls_is_told_so(client: Client) -> None:
    lines = jsonl(strategy(str(client.run_id), events=50))

    status, body = await client.upload(pieces(lines, each=100))

    assert (status, body["error"]["code"]) == (408, "QUERY_TIMEOUT")
    assert "stood still" in body["error"]["message"]


async def test_who_may_not_write_is_refused_before_the_body_is_read(client: Client, cast: SimpleNamespace) -> None:
    client.key = cast.bob

    status, body = await client.upload([])

    assert (status, body["error"]["code"], client.asked) == (403, "FORBIDDEN", 0)


async def test_more_uploads_than_there_are_threads_are_sent_away(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_middleware, "MAX_UPLOADS", 0)

    status, body = await client.upload([])

    assert (status, body["error"]["code"]) == (503, "UNAVAILABLE")
    assert (b"retry-after", b"5") in client.sent[0]["headers"]


async def test_other_addresses_are_handed_on() -> None:
    seen: list[str] = []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["path"])

    middleware = UploadMiddleware(behind)
    for method, path in (("GET", "/api/backtests/runs/x/events"), ("POST", "/api/backtests/runs/x"), ("POST", "/")):
        await middleware({"type": "http", "method": method, "path": path, "headers": []}, None, None)  # type: ignore[arg-type]

    assert seen == ["/api/backtests/runs/x/events", "/api/backtests/runs/x", "/"]
