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

from backtests.upload_middleware import UploadMiddleware
from tests.backtests.asking import good
from tests.backtests.makers import jsonl, strategy

pytestmark = pytest.mark.usefixtures("open_database")


@pytest.fixture(params=["upload lane", "ninja"])
async def client(request: pytest.FixtureRequest, cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Give alice a client, whose uploads are served before Django and then by Django."""
    django: Any = get_asgi_application()
    application = UploadMiddleware(django) if request.param == "upload lane" else django
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

    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=b"".join([*others, b"a\n", b"b\n"]))

    counts = answer.json()
    assert (counts["stored"], counts["quarantined"]) == (0, len(others) + 2)
    assert counts["reasons"] == [
        f"line 1: it is of another run: {json.loads(others[0])['RunId']}; {len(others) - 1} more like it",
        f"line {len(others) + 1}: not a JSON object: invalid character (byte 0); 1 more like it",
    ]


async def test_an_upload_of_nothing_leaves_no_run(client: httpx.AsyncClient, run_id: UUID) -> None:
    answer = await client.post(f"/api/backtests/runs/{run_id}/events", content=b"\n\n")

    assert (answer.status_code, answer.json()["stored"]) == (200, 0)
    assert str(run_id) not in [run["runId"] for run in (await good("list_backtest_runs", pageSize=1000))["runs"]]


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
