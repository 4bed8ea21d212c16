"""Many callers at once: calls per second, by wrk if installed, else by a client of our own."""

import asyncio
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from statistics import median

from benchmarks.servers import HOST, RunningServer
from benchmarks.tool_requests import ToolRequest

SCRIPT = Path(__file__).with_name("wrk_post.lua")
TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The results of some seconds of calls by a number of clients."""

    calls: int
    seconds: float
    p50_ms: float
    p95_ms: float
    failed: int
    cpu_us_per_call: float | None = None
    p99_ms: float = 0.0

    @property
    def calls_per_second(self) -> float:
        """Return the rate."""
        return self.calls / self.seconds


def generator_name() -> str:
    """Return the name of the load generator."""
    return "wrk" if shutil.which("wrk") else "an asyncio client of the benchmark's own"


def drive(server: RunningServer, request: ToolRequest, *, clients: int, seconds: float) -> Load:
    """Let so many clients call for so long, each again as soon as it is answered; measures the server's CPU time."""
    before = server.cpu_seconds()
    make_load = _wrk if shutil.which("wrk") else _own
    load = make_load(request, port=server.port, clients=clients, seconds=seconds)
    after = server.cpu_seconds()
    if before is None or after is None or not load.calls:
        return load
    return replace(load, cpu_us_per_call=(after - before) / load.calls * 1e6)


def middle(loads: list[Load]) -> Load:
    """Combine rounds: the sums of calls and failures, medians of the rest."""
    cpu = [load.cpu_us_per_call for load in loads if load.cpu_us_per_call is not None]
    calls = sum(load.calls for load in loads)
    return Load(
        calls=calls,
        seconds=calls / median(load.calls_per_second for load in loads),
        p50_ms=median(load.p50_ms for load in loads),
        p95_ms=median(load.p95_ms for load in loads),
        failed=sum(load.failed for load in loads),
        cpu_us_per_call=median(cpu) if cpu else None,
        p99_ms=median(load.p99_ms for load in loads),
    )


def _wrk(request: ToolRequest, *, port: int, clients: int, seconds: float) -> Load:
    environment = {
        "BENCHMARK_PATH": request.path,
        "BENCHMARK_BODY": request.body,
        "BENCHMARK_HEADERS": "\n".join(f"{name}: {value}" for name, value in request.headers.items()),
    }
    command = ["wrk", "-t1", f"-c{clients}", f"-d{max(1, round(seconds))}s", f"--timeout={TIMEOUT_SECONDS}s"]
    done = subprocess.run(
        [*command, "-s", str(SCRIPT), f"http://{HOST}:{port}"], env=os.environ | environment, check=True,
        capture_output=True, text=True, timeout=seconds + 3 * TIMEOUT_SECONDS,
    )  # fmt: skip
    return Load(**json.loads(done.stdout.strip().splitlines()[-1]))


def _own(request: ToolRequest, *, port: int, clients: int, seconds: float) -> Load:
    return asyncio.run(_own_load(request, port=port, clients=clients, seconds=seconds))


async def _own_load(request: ToolRequest, *, port: int, clients: int, seconds: float) -> Load:
    started = time.monotonic()
    callers = [_caller(request, port=port, until=started + seconds) for _ in range(clients)]
    outcomes = await asyncio.gather(*callers)
    taken = sorted(duration for durations, _ in outcomes for duration in durations)
    return Load(
        calls=len(taken), seconds=time.monotonic() - started, failed=sum(failed for _, failed in outcomes),
        p50_ms=taken[len(taken) // 2] * 1000, p95_ms=taken[int(len(taken) * 0.95)] * 1000,
        p99_ms=taken[int(len(taken) * 0.99)] * 1000,
    )  # fmt: skip


async def _caller(request: ToolRequest, *, port: int, until: float) -> tuple[list[float], int]:
    """Call until the time is up; returns every duration, and how many calls failed."""
    reader, writer = await asyncio.open_connection(HOST, port)
    lines = [f"POST {request.path} HTTP/1.1", f"Host: {HOST}:{port}", f"Content-Length: {len(request.body)}"]
    lines += [f"{name}: {value}" for name, value in request.headers.items()]
    raw = ("\r\n".join(lines) + "\r\n\r\n" + request.body).encode()
    durations, failed = [], 0
    while time.monotonic() < until:
        started = time.monotonic()
        writer.write(raw)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            status, body = await _answer(reader)
        durations.append(time.monotonic() - started)
        failed += status != HTTPStatus.OK or b'"isError":true' in body
    writer.close()
    return durations, failed


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = int(head.split(" ", 2)[1])
    _, found, length = head.partition("content-length: ")
    if found:
        return status, await reader.readexactly(int(length.split("\r\n", 1)[0]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return status, body
