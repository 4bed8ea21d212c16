"""`POST /api/backtests/runs/{runId}/events`: a stream of lines, with a key that may write."""

import gzip
from collections.abc import AsyncIterator
from types import SimpleNamespace
from uuid import UUID

import httpx
import pytest

from tests.backtests.asking import good
from tests.backtests.makers import jsonl, strategy

pytestmark = pytest.mark.usefixtures("open_database")


async def test_a_stream_is_stored_and_counted(ninja_lane: httpx.AsyncClient, run_id: UUID) -> None:
    lines = jsonl(strategy(str(run_id), events=500))

    async def stream() -> AsyncIterator[bytes]:
        for line in lines:
            yield line
        yield b"rubbish\n"

    answer = await ninja_lane.post(f"/api/backtests/runs/{run_id}/events", content=stream())

    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "runId": str(run_id), "stored": len(lines), "duplicate": 0, "malformed": 0, "quarantined": 1,
        "endedEarly": None, "reasons": [f"line {len(lines) + 1}: not a JSON object: invalid character (byte 0)"],
    }  # fmt: skip
    found = await good("list_backtest_runs", pageSize=1000)
    assert str(run_id) in [run["runId"] for run in found["runs"]]


async def test_gzip_sent_twice_is_stored_once(ninja_lane: httpx.AsyncClient, run_id: UUID) -> None:
    lines = jsonl(strategy(str(run_id), events=100))
    packed = gzip.compress(b"".join(lines))

    first = await ninja_lane.post(f"/api/backtests/runs/{run_id}/events", content=packed)
    second = await ninja_lane.post(f"/api/backtests/runs/{run_id}/events", content=packed)

    assert (first.json()["stored"], first.json()["duplicate"]) == (len(lines), 0)
    assert (second.json()["stored"], second.json()["duplicate"]) == (0, len(lines))


@pytest.mark.parametrize(("who", "status", "code"), [("", 401, "UNAUTHENTICATED"), ("bob", 403, "FORBIDDEN")])
async def test_only_a_key_that_may_write_is_let_in(
    ninja_lane: httpx.AsyncClient, cast: SimpleNamespace, run_id: UUID, *, who: str, status: int, code: str
) -> None:
    ninja_lane.headers["Authorization"] = f"Bearer {getattr(cast, who)}" if who else ""

    answer = await ninja_lane.post(f"/api/backtests/runs/{run_id}/events", content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_run_id_that_is_no_guid_is_refused(ninja_lane: httpx.AsyncClient) -> None:
    answer = await ninja_lane.post("/api/backtests/runs/nobody/events", content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
