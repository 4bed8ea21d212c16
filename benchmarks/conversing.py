"""Run the conversations' benchmark: a model server, a broker, a web process, a worker, and a peer."""

import asyncio
import os
import platform
import statistics
import time
from contextlib import ExitStack
from typing import Any

import httpx
import psycopg
from celery import Celery
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connections

from benchmarks.conversation_parts import AT_ONCE, celery_peer, megabytes, own_broker, scripted_model, toolroom
from benchmarks.scratch import Scratch
from benchmarks.servers import RunningServer
from linescore.ingest.samples import load_samples
from toolbox.models import ApiKey

CONVERSATIONS = "/api/agents/conversations"
ROUNDS = 10
STEPS = 2 * ROUNDS + 1
STREAMS = 200
MAX_MS_TO_FIRST_EVENT, MAX_MS_A_STEP, MAX_MEGABYTES = 80, 20, 200
DONE = ("succeeded", "failed", "cancelled", "timed_out")


def run(scratch: Scratch, *, is_quick: bool) -> None:
    """Measure and print."""
    key = _fill()
    print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}.\n")
    print("| what | Toolroom | plain Celery task | wanted |\n|---|--:|--:|---|")
    with ExitStack() as parts:
        environment = scratch.environment | parts.enter_context(own_broker())
        times = 10 if is_quick else 40
        with scripted_model("--rounds", "0", "--words", "5") as model, toolroom(environment | model) as (web, _):
            asyncio.run(_first_events(web, key=key, times=times))
        with (
            scripted_model("--rounds", str(ROUNDS)) as model,
            toolroom(environment | model) as (web, _),
            celery_peer(environment | model) as (peer, _),
        ):
            _steps(web, peer, key=key, times=max(times // 4, 3), scratch=scratch, address=model["OPENAI_BASE_URL"])
        with scripted_model("--before", "0.5", "--between", "0.05") as model:
            with toolroom(environment | model) as (web, worker):
                watched, ours = (
                    asyncio.run(_at_once(web, worker, key=key, scratch=scratch, is_watched=is_watched))
                    for is_watched in (True, False)
                )
            with celery_peer(environment | model) as (peer, process_id):
                _print_at_once(ours, _peer_at_once(peer, process_id), watched=watched)
        with scripted_model() as model, toolroom(environment | model) as (web, _):
            asyncio.run(_idle_streams(web, key=key))


def _fill() -> str:
    call_command("migrate", verbosity=0)
    load_samples()
    owner = User.objects.create_user("bench")
    _, key = ApiKey.make(name="bench", owner_id=owner.pk, scopes=["*:read", "*:write"])
    connections.close_all()
    return key


def _client(web: httpx.URL, key: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, keepalive_expiry=1)  # the server closes idle ones after 5 s
    address = str(web.copy_with(query=None))
    return httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=120, limits=limits)


async def _begin(client: httpx.AsyncClient, **settings: Any) -> str:
    made = await client.post(CONVERSATIONS, json=settings)
    return f"{CONVERSATIONS}/{made.raise_for_status().json()['id']}/messages"


async def _say(client: httpx.AsyncClient, address: str) -> dict[str, Any]:
    accepted = await client.post(address, json={"text": "How did Carolina do?"})
    said: dict[str, Any] = accepted.raise_for_status().json()
    return said


async def _until(client: httpx.AsyncClient, address: str, kind: str) -> None:
    """Read a stream until an event of the kind, or until any event if the kind is empty."""
    async with client.stream("GET", address) as stream:
        async for line in stream.aiter_lines():
            if line.startswith(f"event: {kind}"):
                return


async def _first_events(web: httpx.URL, *, key: str, times: int) -> None:
    """Measure the time from the accepted message to events read from a stream."""
    waited: dict[str, list[float]] = {"": [], "run.started": [], "text": []}
    async with _client(web, key) as client:
        await _until(client, (await _say(client, await _begin(client)))["events"], "run.finished")
        for kind, series in waited.items():
            for _ in range(times):
                address = await _begin(client)
                accepted = await _say(client, address)
                started = time.perf_counter()
                await _until(client, accepted["events"], kind)
                series.append((time.perf_counter() - started) * 1000)
                await _until(client, accepted["events"], "run.finished")
    words = {"": "the first event read", "run.started": "a worker's first event read", "text": "the first words read"}
    for kind, series in waited.items():
        wanted = f"under 80 ms: {_met(statistics.median(series) < MAX_MS_TO_FIRST_EVENT)}" if kind != "text" else ""
        print(f"| accepted, to {words[kind]}, median ms | {statistics.median(series):.1f} | | {wanted} |")


def _steps(web: httpx.URL, peer: Celery, *, key: str, times: int, scratch: Scratch, address: str) -> None:
    """Measure runs of 21 steps whose model and tools take almost no time."""
    asyncio.run(_long_runs(web, key=key, times=times))
    with psycopg.connect(scratch.owner_url) as connection:
        rows = connection.execute(
            "SELECT extract(epoch FROM run.finished_at - run.started_at) * 1000, sum(step.milliseconds) "
            "FROM agents_runs AS run JOIN agents_steps AS step ON step.run_id = run.id "
            "WHERE run.step_count = %s GROUP BY run.id",
            [STEPS],
        ).fetchall()
    whole = statistics.median(float(row[0]) for row in rows) / STEPS
    inside = statistics.median(float(row[1]) for row in rows) / STEPS
    theirs = []
    for _ in range(times):
        started = time.perf_counter()
        peer.send_task("peer.ask", ["How did Carolina do?"], queue="peer").get(timeout=60, interval=0.005)
        theirs.append((time.perf_counter() - started) * 1000 / STEPS)
    bare = _bare_model(address)
    print(f"| a step, ms, model and tools included | {whole:.1f} | {statistics.median(theirs):.1f} | |")
    print(f"| of which the model client and the tool, ms | {inside:.1f} | | the bare model: {bare:.1f} ms |")
    wanted = f"under 20 ms: {_met(whole - inside < MAX_MS_A_STEP)}"
    print(f"| left: the framework's, ms a step | {whole - inside:.1f} | | {wanted} |")


async def _long_runs(web: httpx.URL, *, key: str, times: int) -> None:
    async with _client(web, key) as client:
        for _ in range(times):
            accepted = await _say(client, await _begin(client, maxSteps=100))
            await _until(client, accepted["events"], "run.finished")


def _bare_model(address: str) -> float:
    """Measure calls of the scripted model over one connection, in ms."""
    asked = {"model": "scripted-1", "stream": True, "messages": [{"role": "user", "content": "How?"}]}
    taken = []
    with httpx.Client(base_url=address) as client:
        for _ in range(50):
            started = time.perf_counter()
            client.post("/chat/completions", json=asked)
            taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


async def _at_once(
    web: httpx.URL, worker: RunningServer, *, key: str, scratch: Scratch, is_watched: bool
) -> dict[str, float]:
    """Start 100 runs at once and wait for all, reading all event streams or none; returns figures of the worker."""
    async with _client(web, key) as client:
        await _until(client, (await _say(client, await _begin(client)))["events"], "run.finished")
        addresses = [await _begin(client) for _ in range(AT_ONCE)]
        before, cpu, started = megabytes(worker), worker.cpu_seconds() or 0, time.perf_counter()
        watching = asyncio.create_task(_peak(worker))
        accepted = await asyncio.gather(*(_say(client, address) for address in addresses))
        if is_watched:
            await asyncio.gather(*(_until(client, said["events"], "run.finished") for said in accepted))
        else:
            await asyncio.to_thread(_all_over, scratch)
        taken = time.perf_counter() - started
        states = [(await client.get(said["run"])).json()["state"] for said in accepted]
        watching.cancel()
    return {
        "seconds": taken, "lost": AT_ONCE - states.count("succeeded"), "before": before,
        "peak": max(_peaks, default=0.0), "cpu": ((worker.cpu_seconds() or 0) - cpu) * 1000 / AT_ONCE,
    }  # fmt: skip


def _all_over(scratch: Scratch) -> None:
    """Wait until all runs have ended, by their rows."""
    left = "SELECT count(*) FROM agents_runs WHERE finished_at IS NULL"
    with psycopg.connect(scratch.owner_url, autocommit=True) as connection:
        while connection.execute(left).fetchone() != (0,):
            time.sleep(0.05)


_peaks: list[float] = []


async def _peak(worker: RunningServer) -> None:
    _peaks.clear()
    while True:
        _peaks.append(megabytes(worker))
        await asyncio.sleep(0.2)


def _peer_at_once(peer: Celery, worker: RunningServer) -> dict[str, float]:
    before, cpu, started = megabytes(worker), worker.cpu_seconds() or 0, time.perf_counter()
    asked = [peer.send_task("peer.ask", ["How did Carolina do?"], queue="peer") for _ in range(AT_ONCE)]
    answered = [one.get(timeout=120, interval=0.02) for one in asked]
    return {
        "seconds": time.perf_counter() - started, "lost": AT_ONCE - len(answered), "before": before,
        "peak": megabytes(worker), "cpu": ((worker.cpu_seconds() or 0) - cpu) * 1000 / AT_ONCE,
    }  # fmt: skip


def _print_at_once(ours: dict[str, float], theirs: dict[str, float], *, watched: dict[str, float]) -> None:
    lost = f"none lost: {_met(not (ours['lost'] + watched['lost']))}"
    print(f"| {AT_ONCE} runs at once: seconds | {ours['seconds']:.1f} | {theirs['seconds']:.1f} | |")
    print(f"| the same, the events of each read meanwhile | {watched['seconds']:.1f} | | |")
    print(f"| lost | {ours['lost']:.0f} | {theirs['lost']:.0f} | {lost} |")
    print(f"| worker's memory before, MB | {ours['before']:.0f} | {theirs['before']:.0f} | |")
    print(f"| at its highest, MB | {ours['peak']:.0f} | {theirs['peak']:.0f} | bounded |")
    print(f"| worker's CPU a run of 3 steps, ms | {ours['cpu']:.0f} | {theirs['cpu']:.0f} | |")


async def _idle_streams(web: httpx.URL, *, key: str) -> None:
    """Hold streams of runs that wait for a person; prints the web process's memory."""
    server = RunningServer(port=0, process_id=int(web.params["pid"]))
    async with _client(web, key) as client, _client(web, key) as streams:
        waiting = []
        for _ in range(10):
            accepted = await _say(client, await _begin(client, approveTools=["query_linescore_data"]))
            await _until(client, accepted["events"], "approval.needed")
            waiting.append(accepted["events"])
        before = megabytes(server)
        async with _HeldStreams(streams, [waiting[number % len(waiting)] for number in range(STREAMS)]):
            after, cpu, started = megabytes(server), server.cpu_seconds() or 0, time.perf_counter()
            await asyncio.sleep(5)
            busy = ((server.cpu_seconds() or 0) - cpu) / (time.perf_counter() - started)
    wanted = f"under 200 MB: {_met(after < MAX_MEGABYTES)}"
    print(f"| web process holding {STREAMS} idle event streams, MB (before: {before:.0f}) | {after:.0f} | | {wanted} |")
    print(f"| its CPU meanwhile | {busy:.1%} | | |")


class _HeldStreams:
    """Streams that were begun, and are read no further."""

    def __init__(self, client: httpx.AsyncClient, addresses: list[str]) -> None:
        self._client, self._addresses = client, addresses
        self._streams: list[httpx.Response] = []

    async def __aenter__(self) -> None:
        for address in self._addresses:
            stream = await self._client.send(self._client.build_request("GET", address), stream=True)
            await anext(stream.aiter_raw())
            self._streams.append(stream)

    async def __aexit__(self, *_: object) -> None:
        for stream in self._streams:
            await stream.aclose()


def _met(is_met: bool) -> str:  # noqa: FBT001 - a word for a fact
    return "met" if is_met else "**missed**"
