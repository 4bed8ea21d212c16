"""Run the whole backtests benchmark and print its tables as Markdown."""

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.core.management import call_command

from benchmarks.backtests_asking import Question, Taken, measure, questions, savings, timed
from benchmarks.backtests_forms import measure_forms
from benchmarks.backtests_loading import Loading, load
from benchmarks.backtests_log import Log, write_log
from benchmarks.backtests_peers import PAGE, aggregate_works, duck_of, other_works, page_works, sqlite_of
from benchmarks.scratch import Scratch
from benchmarks.servers import toolroom_server
from benchmarks.throughput import drive, middle
from benchmarks.tool_requests import JSON, ToolRequest

SMALL, LARGE = 10_000, 1_000_000
RANGES = {"aggregate, whole run": (0.0, 1.0), "aggregate, a range": (0.137, 0.861), "aggregate, an hour": (0.5, 0.5005)}
LEAST_MEASURED_MS = 0.05
MAX_MS, MAX_GROWTH, MAX_PAGE_RATIO = 10.0, 2.0, 2.0
LEAST_OF_DUCK, LEAST_OF_SQLITE = 5.0, 500.0
LEAST_RATE, STRETCH_RATE, LEAST_OF_COPY, MAX_MEGABYTES = 40_000, 100_000, 0.6, 300
LEAST_SAVED = 70.0
CLIENTS = (8, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Everything measured on a run of one size."""

    log: Log
    taken: Mapping[str, Taken]
    peers: Mapping[str, Mapping[str, float]]


def run(scratch: Scratch, *, sizes: tuple[int, ...], folder: Path, seconds: float) -> None:
    """Measure, and print Markdown."""
    call_command("migrate", verbosity=0)
    key = _key()
    print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; ", end="")
    print(", ".join(f"{name} {version(name)}" for name in ("uvicorn", "psycopg", "duckdb")) + ", SQLite ", end="")
    print(f"{_sqlite_version()}. Load average {os.getloadavg()[0]:.1f} at the start.")
    loaded = {size: _loaded(scratch, events=size, folder=folder) for size in sizes}
    print_loading({size: loading for size, (_, loading) in loaded.items()})
    logs = {size: log for size, (log, _) in loaded.items()}
    taken = measure(logs, key=key, seconds=seconds)
    measured = {size: Size(log=log, taken=taken[size], peers=_peers(log, folder=folder)) for size, log in logs.items()}
    print_tools(measured)
    largest = measured[max(measured)]
    print_peers(measured)
    print_pages(largest)
    print_savings(savings(largest.log, key=key))
    print_clients(scratch, largest.log, key=key, seconds=max(2.0, seconds))


def run_forms(*, events: int, folder: Path, seconds: float) -> None:
    """Measure runs of unusual form, and print Markdown."""
    call_command("migrate", verbosity=0)
    measure_forms(folder, events=events, key=_key(), seconds=seconds, goal=_goal)


def print_loading(measured: Mapping[int, Loading]) -> None:
    """Print how fast the logs were loaded."""
    titles = ["events", "loaded in s", "events a second", "bare COPY of the same rows, s", "of which events"]
    titles += [
        "rate of COPY's",
        "CPU µs an event: loader",
        "its PostgreSQL",
        "the COPY's PostgreSQL",
        "loader's peak MB",
    ]
    print(f"\n| {' | '.join(titles)} |\n|{'--:|' * len(titles)}")
    for size, taken in measured.items():
        cells = [f"{size:,}", f"{taken.seconds:.2f}", f"{taken.rate:,.0f}", f"{taken.copy_seconds:.2f}"]
        cells += [f"{taken.copy_events_seconds:.2f}", f"{taken.of_copy:.2f}x"]
        used = (taken.cpu_seconds, taken.database_cpu_seconds, taken.copy_cpu_seconds)
        cells += [f"{seconds / size * 1e6:.1f}" for seconds in used]
        print(f"| {' | '.join(cells)} | {taken.peak_megabytes:.0f} |")
    print()
    taken = measured[max(measured)]
    _goal(f"at least {LEAST_RATE:,} events a second", f"{taken.rate:,.0f}", met=taken.rate >= LEAST_RATE)
    _goal(f"the stretch: {STRETCH_RATE:,} events a second", f"{taken.rate:,.0f}", met=taken.rate >= STRETCH_RATE)
    _goal(f"at least {LEAST_OF_COPY}x a bare COPY", f"{taken.of_copy:.2f}x", met=taken.of_copy >= LEAST_OF_COPY)
    peak = taken.peak_megabytes
    _goal(f"loader under {MAX_MEGABYTES} MB", f"{peak:.0f} MB", met=peak < MAX_MEGABYTES)


def print_tools(measured: Mapping[int, Size]) -> None:
    """Print the time of each question by size of the run."""
    titles = [f"{size:,}: SQL ms" for size in measured] + ["largest: queryTimeMs", "answer() p50 / p95 ms", "bytes"]
    print(f"\n| question | {' | '.join(titles)} | growth |\n|---|{'--:|' * (len(titles) + 1)}")
    small, large = measured[min(measured)], measured[max(measured)]
    for name, taken in large.taken.items():
        cells = [f"{one.taken[name].database.median:.2f}" for one in measured.values()]
        whole = f"{taken.whole.median:.2f} / {taken.whole.p95:.2f}"
        growth = _growth(small.taken[name], taken)
        print(f"| {name} | {' | '.join(cells)} | {taken.said:g} | {whole} | {taken.answer_bytes:,} | {growth:.1f}x |")
    print()
    slowest = max(large.taken, key=lambda name: large.taken[name].said)
    said = large.taken[slowest].said
    _goal(f"every tool's queryTimeMs under {MAX_MS:g} ms", f"{slowest}: {said:g} ms", met=said < MAX_MS)
    grown = {name: _growth(small.taken[name], taken) for name, taken in large.taken.items()}
    for name, growth in grown.items():
        if growth > MAX_GROWTH:
            _goal(f"{name}: at most {MAX_GROWTH:g}x its time on the smallest run", f"{growth:.1f}x", met=False)
    met = all(growth <= MAX_GROWTH for growth in grown.values())
    _goal(f"every tool at most {MAX_GROWTH:g}x its time on the smallest run", f"{max(grown.values()):.1f}x", met=met)


def print_peers(measured: Mapping[int, Size]) -> None:
    """Print the tools beside SQLite and DuckDB on the same events."""
    print("\n| events | question | Toolroom, SQL ms | SQLite ms | DuckDB ms | DuckDB, own column ms |")
    print("|--:|---|--:|--:|--:|--:|")
    for size, one in measured.items():
        for name, times in one.peers.items():
            ours = one.taken[name].database.median
            cells = [
                f"{times[peer]:.2f}" if peer in times else "" for peer in ("SQLite", "DuckDB", "DuckDB, own column")
            ]
            print(f"| {size:,} | {name} | {ours:.2f} | {' | '.join(cells)} |")
    print()
    largest = measured[max(measured)]
    for name in RANGES:
        ours = max(largest.taken[name].database.median, LEAST_MEASURED_MS)
        for peer, least in (("DuckDB", LEAST_OF_DUCK), ("SQLite", LEAST_OF_SQLITE)):
            ratio = largest.peers[name][peer] / ours
            _goal(f"{name}: at least {least:g}x faster than {peer}", f"{ratio:,.0f}x", met=ratio >= least)


def print_pages(size: Size) -> None:
    """Print the time of the last page beside the first."""
    first = size.taken["trades, first page"].database.median
    for name in ("trades, middle page", "trades, last page"):
        ratio = size.taken[name].database.median / first
        _goal(f"{name} within {MAX_PAGE_RATIO:g}x of the first", f"{ratio:.2f}x", met=ratio <= MAX_PAGE_RATIO)


def print_savings(found: list[tuple[str, int, int]]) -> None:
    """Print what ten answers save an agent from reading."""
    print("\n| question | answer, bytes | JSONL of the event types it is about, bytes | saved |\n|---|--:|--:|--:|")
    for name, answered, read in found:
        print(f"| {name} | {answered:,} | {read:,} | {100 * (1 - answered / read):.2f} % |")
    least = min(100 * (1 - answered / read) for _, answered, read in found)
    print()
    _goal(f"at least {LEAST_SAVED:g} % saved by each", f"{least:.2f} % at least", met=least >= LEAST_SAVED)


def print_clients(scratch: Scratch, log: Log, *, key: str, seconds: float) -> None:
    """Print calls per second by 8 and by 100 clients, alternating, over HTTP."""
    titles = [f"{count} clients: calls a second (p50 / p95 ms)" for count in CLIENTS]
    print(f"\n| question, over HTTP | {' | '.join(titles)}", end="")
    print(f" | failed |\n|---|{'--:|' * (len(CLIENTS) + 1)}")
    goals = []
    asked = questions(log)
    with toolroom_server(environment=scratch.environment) as server:
        for name in ("aggregate, a range", "trades, last page", "state at the middle"):
            request = _request(asked[name], key=key)
            drive(server, request, clients=8, seconds=1)
            turns = [[drive(server, request, clients=count, seconds=seconds) for count in CLIENTS] for _ in range(3)]
            few, many = (middle(list(loads)) for loads in zip(*turns, strict=True))
            cells = [f"{load.calls_per_second:,.0f} ({load.p50_ms:.1f} / {load.p95_ms:.1f})" for load in (few, many)]
            print(f"| {name} | {' | '.join(cells)} | {few.failed + many.failed} |")
            goals.append((name, many.calls_per_second / few.calls_per_second, few.failed + many.failed))
    print()
    for name, ratio, failed in goals:
        met = ratio >= 1 and not failed
        _goal(f"{name}: 100 clients not below 8, no error", f"{ratio:.2f}x, {failed} failed", met=met)


def _loaded(scratch: Scratch, *, events: int, folder: Path) -> tuple[Log, Loading]:
    print(f"{events:,} events ...", file=sys.stderr, flush=True)
    log = write_log(folder, events=events)
    return log, load(log, owner_url=scratch.owner_url)


def _peers(log: Log, *, folder: Path) -> dict[str, dict[str, float]]:
    sqlite, _ = sqlite_of(log, folder=folder)
    duck, _ = duck_of(log)
    found: dict[str, dict[str, float]] = {}
    for name, (first, last) in RANGES.items():
        works = aggregate_works(log, sqlite=sqlite, duck=duck, first=log.at(first), last=log.at(last))
        found[name] = {peer: timed(work) for peer, work in works.items()}
    last = max(0, (log.events // 10 - 1) // PAGE)
    for name, page in (("trades, first page", 0), ("trades, last page", last)):
        found[name] = {peer: timed(work) for peer, work in page_works(log, sqlite=sqlite, duck=duck, page=page).items()}
    named = {"order": "an order's events", "sequence": "one sequence", "state": "state at the middle"}
    for short, work in other_works(log, sqlite=sqlite, at=log.at(0.5)).items():
        found[named[short]] = {"SQLite": timed(work)}
    sqlite.close()
    duck.close()
    (folder / f"peer_{log.events}.sqlite").unlink()
    return found


def _growth(small: Taken, large: Taken) -> float:
    return large.database.median / max(small.database.median, LEAST_MEASURED_MS / 1000)


def _request(question: Question, *, key: str) -> ToolRequest:
    headers = JSON | {"Authorization": f"Bearer {key}"}
    return ToolRequest(path=f"/api/tools/backtests/{question.tool}", body=question.body.decode(), headers=headers)


def _key() -> str:
    from django.contrib.auth.models import User  # noqa: PLC0415 - Django must be set up first

    from toolbox.models import ApiKey  # noqa: PLC0415

    owner = User.objects.create_user("benchmark")
    made: tuple[Any, str] = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["backtests:read"])
    return made[1]


def _sqlite_version() -> str:
    import sqlite3  # noqa: PLC0415

    return sqlite3.sqlite_version


def _goal(what: str, figure: str, *, met: bool) -> None:
    print(f"- {'met' if met else 'MISSED'}: {what}: {figure}")
