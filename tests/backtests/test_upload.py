"""`POST /api/backtests/runs/{runId}/events`: a stream of lines, with a key that may write."""

import gzip
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from django.core.asgi import get_asgi_application

from backtests.ingest import batch, load
from backtests.models import Run
from backtests.uploads.middleware import UploadMiddleware
from tests.backtests.makers import jsonl, strategy
from tests.backtests.test_nautilus_translation import FILL, POSITION
from tests.backtests.tool_calls import good

pytestmark = pytest.mark.usefixtures("open_database")


@pytest.fixture(params=["upload middleware", "ninja"])
async def client(request: pytest.FixtureRequest, cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client of a server whose uploads the middleware serves, then Django."""
    django: Any = get_asgi_application()
    application = UploadMiddleware(django) if request.param == "upload middleware" else django
    transport = httpx.ASGITransport(application)
    headers = {"Authorization": f"Bearer {cast.alice}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as made:
        yield made


async def test_a_stream_is_stored_and_counted(client: httpx.AsyncClient, run_id: UUID) -> None:
    lines = jsonl(strategy(str(run_id), events=500))

    async def stream() -> AsyncIterator[bytes]:
        for line in lines:
            yield line
        yield b"rubbish\n"

    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=stream())

    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "runId": str(run_id), "stored": len(lines), "duplicate": 0, "malformed": 0, "quarantined": 1,
        "endedEarly": None, "reasons": [f"line {len(lines) + 1}: not a JSON object: invalid character (byte 0)"],
    }  # fmt: skip
    found = await good("list_backtest_runs", pageSize=1000)
    assert str(run_id) in [run["runId"] for run in found["runs"]]


async def test_lines_refused_for_one_reason_are_told_once(client: httpx.AsyncClient, run_id: UUID) -> None:
    others = jsonl(strategy(str(uuid4()), events=50)) + jsonl(strategy(str(uuid4()), events=50))

    own = jsonl(strategy(str(run_id), events=10))

    answer = await client.post(
        f"/api/backtests/runs/{run_id}/events", content=b"".join([*others, b"a\n", b"b\n", *own])
    )

    counts = answer.json()
    assert (counts["stored"], counts["quarantined"]) == (len(own), len(others) + 2)
    assert counts["reasons"] == [
        f"line 1: it is of another run: {json.loads(others[0])['RunId']}; {len(others) - 1} more like it",
        f"line {len(others) + 1}: not a JSON object: invalid character (byte 0); 1 more like it",
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"rubbish\n", b'{"RunId": "", "Name": "A run without events"}\n'])
async def test_an_upload_without_an_event_is_refused_and_leaves_no_run(
    client: httpx.AsyncClient, run_id: UUID, content: bytes
) -> None:
    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=content)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    assert "no event" in answer.json()["error"]["message"]
    assert str(run_id) not in [run["runId"] for run in (await good("list_backtest_runs", pageSize=1000))["runs"]]


async def test_an_upload_whose_run_is_deleted_meanwhile_says_so(
    client: httpx.AsyncClient, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = jsonl(strategy(str(run_id), events=100))
    await client.post(f"/api/backtests/runs/{run_id}/events", content=b"".join(lines[:50]))

    def delete_first(*given: Any, **named: Any) -> Any:
        Run.objects.filter(run_id=run_id).delete()
        return batch.make_ready(*given, **named)

    monkeypatch.setattr(load, "make_ready", delete_first)

    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=b"".join(lines[50:]))

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "RUN_NOT_FOUND")
    assert "was deleted while it was being loaded" in answer.json()["error"]["message"]


async def test_gzip_sent_twice_is_stored_once(client: httpx.AsyncClient, run_id: UUID) -> None:
    lines = jsonl(strategy(str(run_id), events=100))
    packed = gzip.compress(b"".join(lines))

    first = await client.post(f"/api/backtests/runs/{run_id}/events", content=packed)
    second = await client.post(f"/api/backtests/runs/{run_id}/events", content=packed)

    assert (first.json()["stored"], first.json()["duplicate"]) == (len(lines), 0)
    assert (second.json()["stored"], second.json()["duplicate"]) == (0, len(lines))


@pytest.mark.parametrize(("who", "status", "code"), [("", 401, "UNAUTHENTICATED"), ("bob", 403, "FORBIDDEN")])
async def test_only_a_key_that_may_write_is_let_in(
    client: httpx.AsyncClient, cast: SimpleNamespace, run_id: UUID, *, who: str, status: int, code: str
) -> None:
    client.headers["Authorization"] = f"Bearer {getattr(cast, who)}" if who else ""

    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_run_id_that_is_no_guid_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/backtests/runs/nobody/events", content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_an_engines_stream_is_stored_in_the_contracts_words(client: httpx.AsyncClient, run_id: UUID) -> None:
    stream = b"".join(json.dumps(record).encode() + b"\n" for record in (FILL, POSITION))
    address = f"/api/backtests/runs/{run_id}/events?format=nautilus&sweep=ema"

    first = await client.post(address, content=gzip.compress(stream))
    again = await client.post(address, content=stream)
    other = await client.post(address, content=json.dumps(FILL | {"event_id": str(uuid4())}).encode())

    assert (first.status_code, first.json()["stored"]) == (200, 3), first.text
    assert (again.json()["stored"], again.json()["duplicate"]) == (0, first.json()["stored"])
    assert (other.status_code, other.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    assert "loaded from another file" in other.json()["error"]["message"]
    found = await good("list_backtest_runs", pageSize=1000)
    [run] = [run for run in found["runs"] if run["runId"] == str(run_id)]
    assert (run["engine"], run["sweep"]) == ("nautilus", "ema")
    assert set(run["countsByType"]) == {"TradeExecution", "PositionUpdate", "StateChange"}


@pytest.mark.parametrize(
    ("query", "words"),
    [("format=nautilu", "contract, auto, backtesting"), ("fromat=nautilus", "Use format once"),
     ("dry=1", "format, sweep, columns, symbol"), ("format=nautilus&format=contract", "Use format once")],
)  # fmt: skip
async def test_a_query_parameter_that_is_not_known_is_refused(
    client: httpx.AsyncClient, run_id: UUID, query: str, words: str
) -> None:
    lines = jsonl(strategy(str(run_id), events=10))

    answer = await client.post(f"/api/backtests/runs/{run_id}/events?{query}", content=b"".join(lines))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    assert words in answer.json()["error"]["details"]["suggestion"]
