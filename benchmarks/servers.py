"""Servers under measurement, each started in its own session and stopped with all its processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from config.child_servers import SERVER
from config.environment import Environment
from config.postgres.location import find_place

PROJECT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
START_SECONDS = 60
STOP_SECONDS = 15


class ServerDidNotStart(RuntimeError):
    """A server ended, or did not listen in time; the message holds the end of its output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A server that listens."""

    port: int
    process_id: int

    def cpu_seconds(self) -> float | None:
        """Sum user and system time of all its processes; None without /proc."""
        if not Path("/proc/self/stat").exists():
            return None
        ticks = sum(_ticks(process_id) for process_id in _family(self.process_id))
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def toolroom_server(*, environment: Mapping[str, str], workers: int = 1) -> Iterator[RunningServer]:
    """Run Toolroom as quickstart does."""
    port = free_port()
    command = [
        sys.executable, "-m", *SERVER, "--host", HOST,
        "--port", str(port), "--workers", str(workers),
    ]  # fmt: skip
    with running(command, port=port, environment=environment) as server:
        yield server


@contextmanager
def running(
    command: list[str], *, port: int, environment: Mapping[str, str], cwd: Path = PROJECT
) -> Iterator[RunningServer]:
    """Run a server until the block ends, entering it once the server listens. Raises ServerDidNotStart."""
    # A session of its own: Ctrl-C then reaches only the benchmark, which stops its servers one by one.
    process = subprocess.Popen(
        command, cwd=cwd, env=os.environ | environment, start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _wait_until_it_listens(process, port=port)
        yield RunningServer(port=port, process_id=process.pid)
    finally:
        _stop(process)


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(process: subprocess.Popen[bytes], *, port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    _stop(process)
    said = process.stderr.read().decode(errors="replace") if process.stderr else ""
    raise ServerDidNotStart(f"{process.args!r} did not listen:\n{said[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(STOP_SECONDS)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def database_cpu_seconds() -> float | None:
    """Sum the CPU time of the embedded PostgreSQL so far, ended sessions included; None if unknown."""
    pid_file = find_place(Environment().toolroom_var).data / "postmaster.pid"
    if not Path("/proc/self/stat").exists() or not pid_file.exists():
        return None
    process_id = int(pid_file.read_text().split()[0])
    fields = _fields(Path(f"/proc/{process_id}/stat"))
    ended = int(fields[13]) + int(fields[14]) if fields else 0
    return (ended + sum(_ticks(member) for member in _family(process_id))) / os.sysconf("SC_CLK_TCK")


def _family(process_id: int) -> list[int]:
    """Return the process and all its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = _fields(stat)
        if fields:
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    family = [process_id]
    for member in family:
        family += children.get(member, [])
    return family


def _ticks(process_id: int) -> int:
    fields = _fields(Path(f"/proc/{process_id}/stat"))
    return int(fields[11]) + int(fields[12]) if fields else 0


def _fields(stat: Path) -> list[str]:
    """Return the fields after the program's name, which may contain spaces; none if the process has ended."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
