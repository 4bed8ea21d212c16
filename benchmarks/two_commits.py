"""
Measure tool calls per second of this checkout and another one of the project, alternately.

    git worktree add ../before <commit>
    python -m benchmarks.two_commits ../before            # about two minutes
    python -m benchmarks.two_commits ../before --rounds 2

Both run in this Python environment, each on a migrated scratch database of its own on one server. A round measures
both, in alternating order; ratios are within one round, so a machine whose speed drifts does not distort them.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from benchmarks.questions import PATTERN_1
from benchmarks.scratch import Scratch, scratch_database
from benchmarks.servers import HOST, RunningServer, free_port, running
from benchmarks.throughput import Load, drive, generator_name
from benchmarks.tool_requests import ToolRequest, mcp_request, rest_request

PROJECT = Path(__file__).resolve().parent.parent
CLIENTS = 10
PREPARE = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from linescore.ingest.samples import load_samples
from toolbox.models import ApiKey
call_command("migrate", verbosity=0)
load_samples()
owner = User.objects.create_user("benchmark")
print(ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1])
"""


@contextmanager
def serve(checkout: Path, *, scratch: Scratch) -> Iterator[tuple[RunningServer, str]]:
    """Fill the scratch database with the checkout's own code and serve it; yields the server and a key."""
    environment = scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
    prepared = subprocess.run(
        [sys.executable, "-c", PREPARE], cwd=checkout, env=os.environ | environment, check=True, capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "--loop", "uvloop", "--http", "config.http_protocol:BoundedHttpProtocol",
        "--ws", "none", "--lifespan", "on", "--no-access-log", "--host", HOST, "--port", str(port),
        "config.asgi:application",
    ]  # fmt: skip
    with running(command, port=port, environment=environment, cwd=checkout) as server:
        yield server, prepared.stdout.split()[-1]


def _requests(key: str) -> dict[str, ToolRequest]:
    return {"REST": rest_request(PATTERN_1, key=key), "MCP": mcp_request(PATTERN_1.arguments, key=key)}


def measure(other: Path, *, rounds: int, seconds: float) -> dict[str, list[tuple[Load, Load]]]:
    """Measure both checkouts; returns pairs of loads, ours first, by transport."""
    pairs: dict[str, list[tuple[Load, Load]]] = {}
    with ExitStack() as stack:
        servers = []
        for name, checkout in (("ours", PROJECT), ("other", other)):
            scratch = stack.enter_context(scratch_database(name=name))
            servers.append(stack.enter_context(serve(checkout, scratch=scratch)))
        for server, key in servers:
            for request in _requests(key).values():
                drive(server, request, clients=CLIENTS, seconds=2)
        for number in range(rounds):
            for transport in ("REST", "MCP"):
                loads = {}
                for which in (0, 1) if number % 2 == 0 else (1, 0):
                    server, key = servers[which]
                    loads[which] = drive(server, _requests(key)[transport], clients=CLIENTS, seconds=seconds)
                pairs.setdefault(transport, []).append((loads[0], loads[1]))
    return pairs


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="Tool calls a second, beside another checkout of the project.")
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    pairs = measure(arguments.other.resolve(), rounds=arguments.rounds, seconds=arguments.seconds)
    print(f"{CLIENTS} clients by {generator_name()}; load average before: {load_before:.1f}\n")
    print("| | this checkout, calls/s | the other | ratio, median of pairs | lowest, highest | failed |")
    print("|---|--:|--:|--:|--:|--:|")
    for transport, loads in pairs.items():
        ratios = sorted(ours.calls_per_second / theirs.calls_per_second for ours, theirs in loads)
        ours, theirs = (median(pair[which].calls_per_second for pair in loads) for which in (0, 1))
        failed = sum(load.failed for pair in loads for load in pair)
        ends = f"{ratios[0]:.2f}, {ratios[-1]:.2f}"
        print(f"| {transport} | {ours:,.0f} | {theirs:,.0f} | {median(ratios):.3f} | {ends} | {failed} |")


if __name__ == "__main__":
    main()
