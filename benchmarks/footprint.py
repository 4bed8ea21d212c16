"""
Measure what Toolroom takes before it does anything, and at rest: `python -m benchmarks.footprint`.

Prints importing `config.asgi`, a web process with the embedding model in use, the processes that a host runs, and how
long a client of `manage.py mcp` waits for its first list of tools. Uses a database of its own. CPU seconds are printed
beside elapsed ones, because they depend less on other load. Modules are compiled once, as on any host:
PYTHONDONTWRITEBYTECODE would add their compilation to every start.
"""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scratch import scratch_database
from benchmarks.servers import PROJECT

ROUNDS = 3
HOST = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
IMPORT = """
import json, os, time
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
import config.embedded.components as components
components.start_embedded = lambda: None
import config.asgi
"""
EMBED = """
from django.urls import get_resolver
from toolbox.embedding.embedder import embedder
get_resolver().url_patterns
embedder.embed(["A question of twenty words about a fragment that is not attached to its activity any more."])
embedder.embed(["the quick brown fox jumps over the lazy dog " * 60] * 8)
"""
SERVE_MCP = """
import asyncio
from config.asgi import application
from toolbox.catalogue.registry import registry
from toolbox.mcp.endpoint import McpMiddleware
async def run():
    async with McpMiddleware(application, registry=registry).run_session_managers():
        pass
asyncio.run(run())
"""
SIZE = """
print([int(line.split()[1]) // 1024 for line in open("/proc/self/smaps_rollup") if line.startswith("Rss:")][0])
"""
MESSAGES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "footprint", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a process took."""

    seconds: float
    cpu_seconds: float
    said: str


def run_process(code: str) -> Taken:
    """Run Python code to its end."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=PROJECT, env=HOST, capture_output=True, check=True, text=True)
    return Taken(seconds=time.monotonic() - started, cpu_seconds=_cpu_since(before), said=ran.stdout.strip())


def list_tools_over_stdio(environment: dict[str, str]) -> Taken:
    """Start `manage.py mcp`, and stop it once it has listed its tools."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, str(Path(PROJECT, "manage.py")), "mcp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=PROJECT, env=environment, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("the server has no pipes")
        server.stdin.write("".join(json.dumps(message) + "\n" for message in MESSAGES))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        seconds = time.monotonic() - started
        server.stdin.close()
    return Taken(seconds=seconds, cpu_seconds=_cpu_since(before), said=str(len(answers[1]["result"]["tools"])))


def main() -> None:
    """Print the figures, the best of three rounds each."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    imported = [run_process(IMPORT) for _ in range(ROUNDS)]
    print(f"importing config.asgi: {_best(imported)}")
    print(f"a web process with the embedder in use: {run_process(IMPORT + EMBED + SIZE).said} MB resident")
    print(f"and with MCP in use: {run_process(IMPORT + EMBED + SERVE_MCP + SIZE).said} MB resident")
    names = [line.partition(":")[0] for line in Path(PROJECT, "Procfile").read_text().splitlines() if line]
    print(f"processes of a host: {', '.join(names)}")
    with scratch_database() as scratch:
        environment = HOST | scratch.environment
        migrate = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=PROJECT, env=environment, check=True)
        listed = [list_tools_over_stdio(environment) for _ in range(ROUNDS)]
    print(f"first list of {listed[0].said} tools over stdio: {_best(listed)}")


def _best(taken: list[Taken]) -> str:
    cpu, seconds = min(one.cpu_seconds for one in taken), min(one.seconds for one in taken)
    return f"{cpu:.2f} s of CPU, {seconds:.2f} s elapsed"


def _cpu_since(before: resource.struct_rusage) -> float:
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
