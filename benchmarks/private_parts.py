"""
Measure what private parts of psycopg and uvicorn would gain, in tool calls per second: pairs without and with them.

    python benchmarks/private_parts.py                       # about two minutes
    python benchmarks/private_parts.py --pairs 20 --seconds 2

The product uses none; the private versions are benchmarks/private_{psycopg,uvicorn}.py. A part is worth having if the
ratio "without / with" is 0.90 or less (docs/decisions/0015).
"""

import argparse
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.throughput import Load
    from benchmarks.tool_requests import ToolRequest

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402
from benchmarks.servers import HOST, RunningServer, free_port, running  # noqa: E402

CLIENTS = 8
WORTH_KEEPING = 0.9


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="Tool calls a second without and with private library parts.")
    parser.add_argument("--pairs", type=int, default=10, help="pairs of runs for each part and transport")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of each run")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        requests = prepare_requests()
        print("| private part | transport | calls/s without | with | without / with, by pair | median | CPU | load |")
        print("|---|---|--:|--:|---|--:|--:|--:|")
        plain = stack.enter_context(start_server("none"))
        for parts in ("psycopg", "uvicorn", "psycopg,uvicorn"):
            with start_server(parts) as private:
                for transport, request in requests.items():
                    pairs = measure_pairs(plain, private, request, pairs=arguments.pairs, seconds=arguments.seconds)
                    print(format_row(parts, transport, pairs), flush=True)


def prepare_requests() -> "Mapping[str, ToolRequest]":
    """Fill the scratch database; return the call to measure over each transport."""
    from django.contrib.auth.models import User  # noqa: PLC0415 - after django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from benchmarks.questions import PATTERN_1  # noqa: PLC0415
    from benchmarks.tool_requests import mcp_request, rest_request  # noqa: PLC0415
    from linescore.ingest.samples import load_samples  # noqa: PLC0415
    from toolbox.models import ApiKey  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    load_samples()
    owner = User.objects.create_user("benchmark")
    key = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1]
    return {"REST": rest_request(PATTERN_1, key=key), "MCP": mcp_request(PATTERN_1.arguments, key=key)}


def start_server(parts: str) -> AbstractContextManager[RunningServer]:
    """Run the server with these private parts."""
    from config.child_servers import SERVER  # noqa: PLC0415 - after the settings are named

    port = free_port()
    command = [sys.executable, "-m", "benchmarks.private_server", parts, *SERVER[1:], "--host", HOST]
    return running([*command, "--port", str(port)], port=port, environment={})


def measure_pairs(
    plain: RunningServer, private: RunningServer, request: "ToolRequest", *, pairs: int, seconds: float
) -> "list[tuple[Load, Load]]":
    """Measure both alternately, each first in every other pair; returns (without, with) of each pair."""
    from benchmarks.throughput import drive  # noqa: PLC0415 - after the settings are named

    measured = []
    for server in (plain, private):
        drive(server, request, clients=CLIENTS, seconds=1)
    for number in range(pairs):
        order = (plain, private) if number % 2 else (private, plain)
        loads = {server.port: drive(server, request, clients=CLIENTS, seconds=seconds) for server in order}
        measured.append((loads[plain.port], loads[private.port]))
    return measured


def format_row(parts: str, transport: str, pairs: "list[tuple[Load, Load]]") -> str:
    """Return one row of the table."""
    ratios = sorted(without.calls_per_second / with_.calls_per_second for without, with_ in pairs)
    cpu = [(one.cpu_us_per_call or 0) / (two.cpu_us_per_call or 1) for one, two in pairs]
    rates = [f"{median(pair[side].calls_per_second for pair in pairs):,.0f}" for side in (0, 1)]
    verdict = "worth it" if median(ratios) <= WORTH_KEEPING else "not worth it"
    spread = " ".join(f"{ratio:.2f}" for ratio in ratios)
    return (
        f"| {parts} | {transport} | {rates[0]} | {rates[1]} | {spread} | {median(ratios):.2f}, {verdict} "
        f"| {median(cpu):.2f}x | {os.getloadavg()[0]:.1f} |"
    )


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
