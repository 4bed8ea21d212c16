"""Measure one caller at a time: what each layer adds to the statement; series alternate, so noise affects all."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

import psycopg
import uvloop
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from benchmarks.questions import DOMAIN, TOOL, BenchmarkQuestion
from benchmarks.tool_requests import KeptConnection, ToolRequest
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, dispatch

WARM_UP = 30
IN_A_ROW = 20
MAX_CALLS = 400
READER_OPTIONS = "-c default_transaction_read_only=on -c jit=off"

AsyncCall = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Median and 95th percentile of a series, in milliseconds."""

    median: float
    p95: float

    @classmethod
    def of(cls, seconds: list[float]) -> "Latency":
        """Summarise a series of durations."""
        ordered = sorted(seconds)
        return cls(median=ordered[len(ordered) // 2] * 1000, p95=ordered[int(len(ordered) * 0.95)] * 1000)


def measure_in_process(
    questions: tuple[BenchmarkQuestion, ...], *, reader_url: str, key: str, seconds: float
) -> dict[str, dict[str, Latency]]:
    """Measure the bare statement and `answer()` on one uvloop, at most `seconds` per series; by question and series."""
    return uvloop.run(_in_process(questions, reader_url=reader_url, key=key, seconds=seconds))


def measure_over_http(series: Mapping[str, tuple[int, ToolRequest]], *, seconds: float) -> dict[str, Latency]:
    """Measure requests, each over a kept connection to its port, at most `seconds` per series."""
    connections = {name: KeptConnection(port=port) for name, (port, _) in series.items()}
    durations: dict[str, list[float]] = {name: [] for name in series}
    try:
        for name, (_, request) in series.items():
            for _ in range(WARM_UP):
                connections[name].call(request)
        for _ in _turns(len(series) * seconds):
            for name, (_, request) in series.items():
                for _ in range(IN_A_ROW):
                    started = time.perf_counter()
                    connections[name].call(request)
                    durations[name].append(time.perf_counter() - started)
    finally:
        for connection in connections.values():
            connection.close()
    return {name: Latency.of(taken) for name, taken in durations.items()}


async def _in_process(
    questions: tuple[BenchmarkQuestion, ...], *, reader_url: str, key: str, seconds: float
) -> dict[str, dict[str, Latency]]:
    event_loop.adopt_running_loop()
    pool: AsyncConnectionPool[psycopg.AsyncConnection[dict[str, object]]] = AsyncConnectionPool(
        reader_url, min_size=1, max_size=1, open=False,
        kwargs={"autocommit": True, "row_factory": dict_row, "options": READER_OPTIONS},
    )  # fmt: skip
    async with pool:
        measured = {}
        for question in questions:
            series = {"SQL": _bare(question, pool=pool), "answer()": _answered(question, key=key)}
            measured[question.name] = await _alternate(series, seconds=seconds)
    await event_loop.close()
    return measured


async def _alternate(series: Mapping[str, AsyncCall], *, seconds: float) -> dict[str, Latency]:
    durations: dict[str, list[float]] = {name: [] for name in series}
    for call in series.values():
        for _ in range(WARM_UP):
            await call()
    for _ in _turns(len(series) * seconds):
        for name, call in series.items():
            for _ in range(IN_A_ROW):
                started = time.perf_counter()
                await call()
                durations[name].append(time.perf_counter() - started)
        await asyncio.sleep(0)
    return {name: Latency.of(taken) for name, taken in durations.items()}


def _turns(seconds: float) -> Iterator[int]:
    """Count rounds until the time or the calls are used up; at least one."""
    until = time.monotonic() + seconds
    for turn in range(MAX_CALLS // IN_A_ROW):
        if turn and time.monotonic() > until:
            return
        yield turn


def _bare(
    question: BenchmarkQuestion, *, pool: AsyncConnectionPool[psycopg.AsyncConnection[dict[str, object]]]
) -> AsyncCall:
    wanted = question.statement
    text = wanted.sql.encode()

    async def call() -> object:
        async with pool.connection() as connection, connection.cursor() as cursor:
            await cursor.execute(text, wanted.parameters, prepare=True)
            return await cursor.fetchall()

    return call


def _answered(question: BenchmarkQuestion, *, key: str) -> AsyncCall:
    call = Call(
        tool=TOOL, domain=DOMAIN, arguments=question.arguments.encode(), credential=key, transport="rest",
        request_id="benchmark",
    )  # fmt: skip

    async def ask() -> object:
        reply = await dispatch(call)
        if reply.is_refusal:
            raise RuntimeError(f"{question.name} answered {reply.status}: {reply.body[:300]!r}")
        return reply

    return ask
