"""The web server as a process of its own, on an embedded PostgreSQL of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from config.child_servers import SERVER, free_port

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
PATIENCE_SECONDS = 90


class RunningServer(NamedTuple):
    """A server and its environment."""

    process: subprocess.Popen[bytes]
    port: int
    var: Path


@pytest.fixture
def running_server(var: Path) -> Iterator[RunningServer]:
    """Run the server until the test ends."""
    port = free_port("127.0.0.1", wanted=0)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "TOOLROOM_"))}
    command = [sys.executable, "-m", *SERVER, "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=PROJECT, env=clean | {"TOOLROOM_VAR": str(var)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: answers(port))
        yield RunningServer(process, port, var)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def until(condition: Callable[[], bool]) -> None:
    """Poll until the condition holds; another process makes it true, so there is nothing to wait on."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def answers(port: int) -> bool:
    """Return whether the server answers a request."""
    with suppress(httpx.HTTPError):
        return httpx.get(f"http://127.0.0.1:{port}/api/openapi.json", timeout=60).status_code == 200
    return False


def postmaster(var: Path) -> int | None:
    """Return the process id of the database's server, if it runs."""
    with suppress(FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        process_id = int((var / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(process_id, 0)
        return process_id
    return None


def test_a_header_without_end_is_refused_and_holds_up_nobody(running_server: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", running_server.port)) as endless:
        with suppress(ConnectionError):
            endless.sendall(b"POST / HTTP/1.1\r\nX-A: ")
            for _ in range(100):
                endless.sendall(b"a" * 65_536)
        refusal = b""
        with suppress(ConnectionError):
            refusal = endless.recv(200)

    assert refusal == b"" or refusal.startswith(b"HTTP/1.1 431 ")
    assert answers(running_server.port)


def test_a_large_but_bounded_header_passes(running_server: RunningServer) -> None:
    answer = httpx.get(f"http://127.0.0.1:{running_server.port}/api/openapi.json", headers={"X-A": "a" * 30_000})

    assert answer.status_code == 200


def test_every_way_to_start_the_server_says_the_same() -> None:
    options = [word for word in SERVER if word not in ("--log-level", "warning")]

    for written in ("Procfile", "docs/operations.md"):
        words = (PROJECT / written).read_text().replace("\\\n", " ").split()
        assert set(options) - {word.rpartition("/")[2] for word in words} == set(), written


def test_a_database_that_was_killed_is_started_again(running_server: RunningServer) -> None:
    killed = postmaster(running_server.var)
    assert killed
    os.kill(killed, signal.SIGKILL)

    until(lambda: postmaster(running_server.var) not in (None, killed))


def test_a_server_that_is_told_to_end_leaves_no_database_behind(running_server: RunningServer) -> None:
    running_server.process.send_signal(signal.SIGTERM)
    running_server.process.wait(PATIENCE_SECONDS)

    assert postmaster(running_server.var) is None
