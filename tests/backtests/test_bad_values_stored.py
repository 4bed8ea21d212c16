"""Files in which each field of some row is a bad value, sent to each loader: stored or refused, and asked about."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid5

import httpx
import pytest
from django.core.asgi import get_asgi_application
from django.db import connection

from backtests.ingest.engine_records import read_table
from backtests.ingest.files import LoadOptions, SourceFile, load_files
from backtests.ingest.report import LoadReport
from backtests.models import Run
from backtests.uploads.middleware import UploadMiddleware
from tests.backtests.conftest import InThread
from tests.backtests.test_bad_values import (
    BAD,
    CELLS,
    DOCUMENTS,
    EVENTS,
    RECORDS,
    TABLES,
    list_places,
    list_tables,
    replace,
    write_event,
    write_row,
)
from tests.backtests.tool_calls import ask, refuse_constant

pytestmark = pytest.mark.usefixtures("open_database")


@pytest.fixture
async def client(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client of a server whose uploads the middleware serves."""
    django: Any = get_asgi_application()
    transport = httpx.ASGITransport(UploadMiddleware(django))
    headers = {"Authorization": f"Bearer {cast.alice}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as made:
        yield made


def write_table(lines: list[bytes]) -> list[bytes]:
    """Return a table whose further rows have one bad cell each."""
    *_, last = [one.record for one in read_table(lines)]
    assert isinstance(last, dict)
    return [*lines, *(write_row(last | {column: bad}) for column in last for bad in BAD.values())]


def write_stream() -> Iterator[bytes]:
    """Yield the records of a stream again and again, each time with another bad value and other ids."""
    for name, record in RECORDS.items():
        for place in list_places(record):
            for bad in BAD.values():
                for other, fields in RECORDS.items():
                    new_id = {"event_id": str(uuid5(UUID(int=1), f"{name} {place} {bad} {other}"))}
                    written = fields | (new_id if "event_id" in fields else {})
                    yield (
                        replace(written, place, bad) + b"\n" if other == name else json.dumps(written).encode() + b"\n"
                    )


def write_order_events() -> bytes:
    records = DOCUMENTS["order events"]
    changed = [replace(one, place, bad) for one in records for place in list_places(one) for bad in BAD.values()]
    return b"[" + b",".join([*(json.dumps(one).encode() for one in records), *changed]) + b"]"


def write_log() -> Iterator[bytes]:
    for number, kind in enumerate(EVENTS, start=1):
        for place in list_places(write_event(kind, number)):
            yield from (replace(write_event(kind, number), place, bad) + b"\n" for bad in BAD.values())


def list_files() -> Iterator[Any]:
    for engine, name, lines, layout in list_tables():
        columns = ",".join(f"{role}={column}" for role, column in layout.columns.items())
        options = {"columns": columns} if engine == "table" else {"symbol": "ACME"}
        yield pytest.param({"format": engine} | options, write_table(lines), id=name)
    yield pytest.param({"format": "nautilus"}, [*write_stream()], id="stream", marks=pytest.mark.slow)
    yield pytest.param({"format": "lean"}, [write_order_events()], id="order events")
    yield pytest.param({}, [*write_log()], id="log")


@pytest.mark.parametrize(("options", "lines"), [*list_files()])
async def test_an_upload_with_every_bad_value_is_stored_and_asked_about(
    client: httpx.AsyncClient, run_id: UUID, in_thread: InThread, options: dict[str, str], lines: list[bytes]
) -> None:
    content = b"".join(lines).replace(b"5d9ce6a2-5b0d-4c3e-9f0a-33a1f2b7c1de", str(run_id).encode())

    answer = await client.post(f"/api/backtests/runs/{run_id}/events", params=options, content=content)

    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["stored"]
    assert told["malformed"] + told["quarantined"] > len(BAD)
    await check_run(run_id, in_thread=in_thread)


@pytest.mark.parametrize("kind", TABLES)
async def test_parquet_with_every_bad_value_is_stored_and_asked_about(
    kind: str, tmp_path: Path, run_id: UUID, in_thread: InThread
) -> None:
    arro3, write_parquet = pytest.importorskip("arro3.core"), pytest.importorskip("arro3.io").write_parquet
    good = {name: read_cell(CELLS[name]) for name in TABLES[kind]}
    numbers = [name for name, value in good.items() if isinstance(value, float)]
    rows = [good, *(good | {name: bad} for name in numbers for bad in (float("inf"), float("-inf"), float("nan")))]
    columns = {name: arro3.Array([row[name] for row in rows], type=find_type(arro3, good[name])) for name in good}
    write_parquet(arro3.Table.from_pydict(columns), tmp_path / "bad.parquet")
    source = SourceFile(path=tmp_path / "bad.parquet", columns=",".join(f"{name}={name}" for name in good))

    report = in_thread(
        lambda: load_files([source], options=LoadOptions(format_name="auto", run_id=run_id), report=LoadReport())
    )

    assert report.stored
    assert report.malformed + report.quarantined >= len(rows) - 1
    await check_run(run_id, in_thread=in_thread)


def read_cell(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def find_type(arro3: Any, value: float | str) -> Any:
    return arro3.DataType.float64() if isinstance(value, float) else arro3.DataType.utf8()


async def check_run(run_id: UUID, *, in_thread: InThread) -> None:
    """Check that nothing stored is NaN or infinite, and that tools answer."""
    stored = in_thread(lambda: fetch_documents(run_id))
    assert stored
    for document in stored:
        json.loads(document, parse_constant=refuse_constant)
    run = {"runId": str(run_id)}
    last = in_thread(lambda: Run.objects.get(run_id=run_id).last_event_at)
    for tool, more in (
        ("performance_summary", {}), ("list_trades", {}), ("attribute_pnl", {"by": "symbol"}),
        ("get_state_snapshot", {"timestamp": last.isoformat()}), ("get_validation_errors", {"pageSize": 1000}),
        ("aggregate_metrics", {"eventType": "TradeExecution", "propertyPath": "$.Price"}),
    ):  # fmt: skip
        status, body = await ask(tool, **run, **more)
        if status != 200:
            for currency in body["error"]["details"]["currencies"]:  # as the error says
                status, body = await ask(tool, **run, **more, currency=currency)
                assert status == 200, (tool, body)


def fetch_documents(run_id: UUID) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT properties::text FROM backtests_events WHERE run_id = %(run)s UNION ALL "
            "SELECT numbers::text FROM (SELECT to_json(numbers) AS numbers FROM backtests_lists WHERE run_id = %(run)s "
            "AND numbers IS NOT NULL) AS lists UNION ALL "
            "SELECT to_json(p)::text FROM (SELECT measures, capital, total_profit FROM backtests_performance "
            "WHERE run_id = %(run)s) AS p UNION ALL "
            "SELECT to_json(t)::text FROM backtests_round_trips AS t WHERE run_id = %(run)s",
            {"run": run_id},
        )
        return [row[0] for row in cursor.fetchall()]
