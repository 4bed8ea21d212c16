"""Run the web server as a child process, for as long as somebody wants it."""

import os
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
    "uvicorn", "config.asgi:application", "--loop", "uvloop", "--http", "httptools", "--ws", "none",
    "--no-access-log", "--log-level", "warning",
)  # fmt: skip
"""The web server and how it is set; Procfile says the same for process managers."""

START_SECONDS = 30
STOP_SECONDS = 15


class ServerDidNotStart(RuntimeError):
    """The web server ended, or did not answer in time."""


@contextmanager
def web_server(*, host: str, port: int, workers: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run uvicorn until the block ends; enters the block once it answers. Raises ServerDidNotStart."""
    command = [sys.executable, "-m", *SERVER, "--host", host, "--port", str(port), "--workers", str(workers)]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
    try:
        _wait_until_it_answers(process, address=f"http://{host}:{port}/api/openapi.json")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def free_port(host: str, *, wanted: int) -> int:
    """Give the wanted port, or the next one nobody listens on; 0 gives any free one."""
    for port in range(wanted, min(wanted + 50, 65_536)) if wanted else [0]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
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
