"""Run the web server and a worker as child processes."""

import os
import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

SERVER = (
    "uvicorn", "config.asgi:application", "--loop", "uvloop", "--http", "config.http_protocol:BoundedHttpProtocol",
    "--ws", "none", "--lifespan", "on", "--no-access-log", "--log-level", "warning",
    "--timeout-graceful-shutdown", "10", "--timeout-keep-alive", "75",
)  # fmt: skip
"""The command of the web server; the Procfile has the same for process managers."""

WORKER = (
    "celery", "-A", "config", "worker", "--pool", "threads", "--without-gossip", "--without-mingle",
    "--loglevel", "WARNING",
)  # fmt: skip
"""The command of a worker; the Procfile has the same."""

START_SECONDS = 60
STOP_SECONDS = 15


class ServerDidNotStart(RuntimeError):
    """The web server ended, or did not answer in time."""


def module_command(*arguments: str) -> list[str]:
    """Return the command that runs a module in a process that ends with ours, so that it keeps no port or database."""
    return [sys.executable, str(settings.BASE_DIR / "config" / "embedded" / "die_with_parent.py"), "-m", *arguments]


@contextmanager
def web_server(*, host: str, port: int, workers: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run uvicorn until the block ends, entering it once uvicorn answers. Raises ServerDidNotStart."""
    command = module_command(*SERVER, "--host", host, "--port", str(port), "--workers", str(workers))
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
    try:
        _wait_until_it_answers(process, address=f"http://{reachable(host)}:{port}/api/openapi.json")
        yield process
    finally:
        _stop(process)


@contextmanager
def workers(*, runs: int) -> Iterator[None]:
    """Run a worker with so many concurrent runs until the block ends; does not wait for its start."""
    # No warning about root, as when Toolroom is tried out; the Procfile's workers do warn.
    quiet = {"PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges"}
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"} | quiet
    command = module_command(*WORKER, "--concurrency", str(runs))
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def reachable(host: str) -> str:
    """Return the host under which this machine reaches a server that listens on `host`."""
    return "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104 - compared, not bound


def free_port(host: str, *, wanted: int) -> int:
    """
    Return the wanted port or the next free one; 0 means any free one. Raises ServerDidNotStart.

    Any free one is below 32,768: Linux takes the ports of outgoing connections from above, and such a connection could
    take the port before the server does.
    """
    ports = range(wanted, min(wanted + 50, 65_536)) if wanted else random.sample(range(15_000, 32_768), 50)
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise ServerDidNotStart(f"no free port from {wanted} on {host}; choose one with --port")


def _wait_until_it_answers(process: subprocess.Popen[bytes], *, address: str) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise ServerDidNotStart(f"the web server ended with {process.returncode}; its reason stands above")
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310 - an address of our own making
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise ServerDidNotStart(f"the web server did not answer within {START_SECONDS} s")
