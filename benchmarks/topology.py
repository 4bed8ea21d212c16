"""
Measure tool calls per second through PgBouncer and with a replica, beside direct ones, alternately.

    TOOLROOM_TEST_PGBOUNCER=/path/to/pgbouncer python -m benchmarks.topology       # about three minutes
    python -m benchmarks.topology --rounds 2 --seconds 2

Needs PgBouncer 1.21 or newer. Everything runs on this machine: a cluster of its own, its streaming replica, PgBouncer
in transaction mode with prepared statements, and a one-process server for each way.
"""

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from statistics import median

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from benchmarks.questions import PATTERN_1
from benchmarks.servers import HOST, RunningServer, free_port, running
from benchmarks.throughput import Load, drive, generator_name
from benchmarks.tool_requests import rest_request
from benchmarks.two_commits import CLIENTS, PREPARE, PROJECT
from tests.toolbox.pooler import KNOWS_PREPARED, find_pooler, running_pooler
from tests.toolbox.replication import ReplicatedCluster, run_replicated_cluster

ROLES = {
    "DATABASE_URL": "toolroom",
    "DATABASE_READER_URL": "toolroom_reader",
    "DATABASE_ANALYST_URL": "sprints_analyst",
}


def direct_environment(cluster: ReplicatedCluster) -> dict[str, str]:
    """Return the addresses of the three roles on the primary."""
    host = cluster.primary.sockets
    return {name: f"postgresql://{role}@/toolroom?host={host}" for name, role in ROLES.items()}


def list_ways(cluster: ReplicatedCluster, *, port: int) -> dict[str, dict[str, str]]:
    """Return the environment of each way to the database."""
    direct = direct_environment(cluster)
    pooled = {name: f"postgresql://{role}@127.0.0.1:{port}/toolroom" for name, role in ROLES.items()}
    pooled["DATABASE_LISTEN_URL"] = direct["DATABASE_URL"]
    replica = {"DATABASE_READER_URL": cluster.reader()}
    return {"direct": direct, "PgBouncer": pooled, "replica": direct | replica, "both": pooled | replica}


def start_server(environment: dict[str, str], *, stack: ExitStack) -> RunningServer:
    """Run a one-process server until the stack ends."""
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "--loop", "uvloop", "--http", "config.http_protocol:BoundedHttpProtocol",
        "--ws", "none", "--lifespan", "on", "--no-access-log", "--host", HOST, "--port", str(port),
        "config.asgi:application",
    ]  # fmt: skip
    own = environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
    return stack.enter_context(running(command, port=port, environment=own, cwd=PROJECT))


def measure(*, rounds: int, seconds: float) -> list[dict[str, Load]]:
    """Measure every way in each round, starting with another one each time."""
    program = find_pooler(at_least=KNOWS_PREPARED)
    with ExitStack() as stack:
        cluster = stack.enter_context(run_replicated_cluster())
        host = str(cluster.primary.sockets)
        port = stack.enter_context(running_pooler(program, host=host, size=20, prepared=200))
        prepared = subprocess.run(
            [sys.executable, "-c", PREPARE], cwd=PROJECT, env=os.environ | direct_environment(cluster), check=True,
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        request = rest_request(PATTERN_1, key=prepared.stdout.split()[-1])
        servers = {name: start_server(way, stack=stack) for name, way in list_ways(cluster, port=port).items()}
        for server in servers.values():
            drive(server, request, clients=CLIENTS, seconds=3)
        names = list(servers)
        turns = [names[number % len(names) :] + names[: number % len(names)] for number in range(rounds)]
        return [
            {name: drive(servers[name], request, clients=CLIENTS, seconds=seconds) for name in turn} for turn in turns
        ]


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="Tool calls a second through PgBouncer and with a replica.")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    found = measure(rounds=arguments.rounds, seconds=arguments.seconds)
    print(f"{CLIENTS} clients by {generator_name()}; load average before: {load_before:.1f}\n")
    print("| way | calls/s, median | ratio to direct, median of rounds | lowest, highest | failed |")
    print("|---|--:|--:|--:|--:|")
    for name in found[0]:
        ratios = sorted(one[name].calls_per_second / one["direct"].calls_per_second for one in found)
        calls, failed = median(one[name].calls_per_second for one in found), sum(one[name].failed for one in found)
        print(f"| {name} | {calls:,.0f} | {median(ratios):.2f} | {ratios[0]:.2f}, {ratios[-1]:.2f} | {failed} |")


if __name__ == "__main__":
    main()
