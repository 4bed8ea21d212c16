"""GraphQL servers from npm, started if the machine has Node; otherwise their tests are skipped."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

SOURCES = Path(__file__).parent / "node"
INSTALL_SECONDS = 240


def install_servers() -> Path:
    """Return the servers' folder, installed once below var/. Skips the test if that fails."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node is not installed: GraphQL Yoga and Apollo Server cannot be started")
    place = Path(settings.TOOLROOM_VAR) / "node-upstreams"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (SOURCES / "package.json").read_text()
        done = place / "installed.json"
        if not done.exists() or done.read_text() != wanted:
            _install(place)
            done.write_text(wanted)
        shutil.copy(SOURCES / "server.mjs", place)
    return place


def _install(place: Path) -> None:
    shutil.copy(SOURCES / "package.json", place)
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    try:
        subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm cannot install GraphQL Yoga and Apollo Server here")


@contextmanager
def run_server(kind: str, schema: Path, *, mode: str = "open") -> Iterator[str]:
    """Run a server on a free port of this machine with the schema mocked; yields its address."""
    place = install_servers()
    command = ["node", "server.mjs", kind, str(schema), mode]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port.isdigit(), "the server did not start"
        yield f"http://127.0.0.1:{port}/graphql"
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout:
            process.stdout.close()
