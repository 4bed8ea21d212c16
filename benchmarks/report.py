"""Print the tables as Markdown, and which targets were met."""

import os
import platform
from collections.abc import Mapping
from importlib.metadata import version

from benchmarks.latency import Latency
from benchmarks.load import Loaded
from benchmarks.plans import Plan
from benchmarks.questions import CONTRACT_EXAMPLES
from benchmarks.throughput import Load, generator_name

FASTMCP = "FastMCP"
TOOLBOX_REST = "MCP Toolbox REST"
TOOLBOX_MCP = "MCP Toolbox MCP"
OURS = "Toolroom REST"
OURS_ON_TWO = "Toolroom REST, two workers"
MAX_SQL_MS = 5.0
MAX_ADDED_MS = 0.5
# MCP Toolbox is one process that uses all cores, so Toolroom is compared with one worker and with two.
GOALS = (
    (OURS, FASTMCP, 5.0),
    (OURS, TOOLBOX_REST, 1.0),
    (OURS_ON_TWO, TOOLBOX_REST, 1.0),
    (OURS, TOOLBOX_MCP, 1.0),
    (OURS_ON_TWO, TOOLBOX_MCP, 1.0),
)

ByClients = Mapping[int, Load]


def print_head(loaded: Loaded, *, quick: bool) -> None:
    """Print what was measured, and on which machine."""
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("uvicorn", "httptools", "uvloop", "psycopg", "pydantic", "mcp")
    )
    print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {packages}.")
    print(
        f"{loaded.games:,} games, {loaded.periods:,} periods, {loaded.results:,} results. Load by {generator_name()}."
    )
    if quick:
        print("A quick run: the figures are rough.")


def print_plans(plans: Mapping[str, Plan]) -> None:
    """Print how PostgreSQL finds the rows of each question."""
    print("\n| question | scans | rows | planning ms | execution ms |\n|---|---|--:|--:|--:|")
    for name, plan in plans.items():
        print(f"| {name} | {plan.scans} | {plan.rows} | {plan.planning_ms:.2f} | {plan.execution_ms:.2f} |")


def print_latency(measured: Mapping[str, Mapping[str, Latency]]) -> None:
    """Print the median and 95th percentile of each layer, one client."""
    series = list(next(iter(measured.values())))
    print(f"\n| median / p95, ms | {' | '.join(series)} |\n|---|{'--:|' * len(series)}")
    for name, by_series in measured.items():
        cells = [f"{by_series[one].median:.2f} / {by_series[one].p95:.2f}" for one in series]
        print(f"| {name} | {' | '.join(cells)} |")
    print()
    for question in CONTRACT_EXAMPLES:
        sql, answered = measured[question.name]["SQL"], measured[question.name]["answer()"]
        _goal(f"{question.name}: SQL under {MAX_SQL_MS:g} ms", f"{sql.median:.2f} ms", met=sql.median < MAX_SQL_MS)
        added = answered.median - sql.median
        _goal(f"{question.name}: answer() adds under {MAX_ADDED_MS:g} ms", f"{added:.2f} ms", met=added < MAX_ADDED_MS)


def print_throughput(measured: Mapping[str, ByClients]) -> None:
    """Print calls per second by number of clients, with the server's CPU time per call."""
    clients = list(next(iter(measured.values())))
    titles = [f"{count} client{'s' if count > 1 else ''}" for count in clients]
    print(f"\n| calls a second (p50 / p95 ms) | {' | '.join(titles)} | CPU µs a call | failed |", end="")
    print(f"\n|---|{'--:|' * (len(clients) + 2)}")
    for name, loads in measured.items():
        cells = [f"{load.calls_per_second:,.0f} ({load.p50_ms:.1f} / {load.p95_ms:.1f})" for load in loads.values()]
        cpu = loads[8].cpu_us_per_call
        failed = sum(load.failed for load in loads.values())
        print(f"| {name} | {' | '.join(cells)} | {'?' if cpu is None else f'{cpu:,.0f}'} | {failed} |")
    print()
    _print_ratios(measured)


def print_audit(*, recorded: int, measured: Mapping[str, ByClients]) -> None:
    """Compare the audit log with the number of calls."""
    calls = sum(
        load.calls for name, loads in measured.items() if name.startswith("Toolroom") for load in loads.values()
    )
    _goal("every call left an audit row", f"{recorded:,} rows for {calls:,} counted calls", met=recorded >= calls)


def _print_ratios(measured: Mapping[str, ByClients]) -> None:
    for ours, peer, least in GOALS:
        for clients, load in measured.get(peer, {}).items():
            ratio = measured[ours][clients].calls_per_second / load.calls_per_second
            _goal(f"{ours} at least {least:g}x {peer}, clients: {clients}", f"{ratio:.2f}x", met=ratio >= least)
    for name, loads in measured.items():
        if name.startswith("Toolroom"):
            failed = loads[32].failed
            _goal(f"{name}: no call fails at 32 clients", f"{failed} failed", met=not failed)


def _goal(what: str, figure: str, *, met: bool) -> None:
    print(f"- {'met' if met else 'MISSED'}: {what}: {figure}")
