"""The processes of the conversations' benchmark: scripted model, broker, web server, worker, and the peer's worker."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from celery import Celery

from benchmarks.servers import HOST, PROJECT, RunningServer, _family, _stop, toolroom_server
from config.child_servers import WORKER
from config.embedded import broker

AT_ONCE = 100


@contextmanager
def own_broker() -> Iterator[dict[str, str]]:
    """Run a broker; yields the environment for processes that use it."""
    var = Path(tempfile.mkdtemp(prefix="toolroom-bench-"))
    try:
        broker.ensure_running(var)
        yield {"CELERY_BROKER_URL": broker.address(var), "PEER_BACKEND": broker.address(var)}
    finally:
        broker.leave(var)
        shutil.rmtree(var, ignore_errors=True)


@contextmanager
def scripted_model(*options: str) -> Iterator[dict[str, str]]:
    """Run the scripted model in a separate process; yields the environment for processes that use it."""
    with _process([sys.executable, "-m", "tests.agents.model_server", *options], {}, stdout=subprocess.PIPE) as process:
        assert process.stdout
        address = process.stdout.readline().decode().strip()
        yield {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none", "AGENT_MODEL": "scripted-1"}


@contextmanager
def toolroom(environment: Mapping[str, str]) -> Iterator[tuple[httpx.URL, RunningServer]]:
    """Run one web process and one worker for 100 runs; yields the web process's address, and the worker."""
    command = [sys.executable, "-m", *WORKER, "--concurrency", str(AT_ONCE)]
    with _process(command, environment) as worker, toolroom_server(environment=environment) as web:
        yield (
            httpx.URL(f"http://{HOST}:{web.port}", params={"pid": str(web.process_id)}),
            RunningServer(port=0, process_id=worker.pid),
        )


@contextmanager
def celery_peer(environment: Mapping[str, str]) -> Iterator[tuple[Celery, RunningServer]]:
    """Run the peer's worker for 100 runs; yields its app and the worker."""
    command = [
        "celery", "-A", "benchmarks.celery_peer", "worker", "--pool", "threads", "-c", str(AT_ONCE), "-Q", "peer",
        "--without-gossip", "--without-mingle", "--loglevel", "ERROR",
    ]  # fmt: skip
    with _process([sys.executable, "-m", *command], environment) as process:
        app = Celery("asking", broker=environment["CELERY_BROKER_URL"], backend=environment["PEER_BACKEND"])
        app.send_task("peer.ask", ["Warm up."], queue="peer").get(timeout=60)
        yield app, RunningServer(port=0, process_id=process.pid)


@contextmanager
def _process(
    command: list[str], environment: Mapping[str, str], *, stdout: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, cwd=PROJECT, env=os.environ | environment, stdout=stdout, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        _stop(process)


def megabytes(server: RunningServer) -> float:
    """Sum the resident memory of a process and its children; shared pages count in each."""
    total = 0
    for member in _family(server.process_id):
        status = Path(f"/proc/{member}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return total / 1024
