"""The real server and a real worker with the suite's fixtures, as the Procfile runs them, on a separate database."""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.child_servers import SERVER, free_port
from tests.agents.processes import run_process, worker
from tests.conftest import _wait_for

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "tests.conformance.settings"


@contextmanager
def serving(environment: dict[str, str], *, key: str) -> Iterator[str]:
    """Run web server and worker on the environment's database; yields the server's address."""
    environment = environment | {"DJANGO_SETTINGS_MODULE": SETTINGS, "CONFORMANCE_KEY": key}
    command = ["tests.conformance.server:application" if part.startswith("config.asgi") else part for part in SERVER]
    port = free_port("127.0.0.1", wanted=0)
    with (
        worker(environment),
        run_process(*command, "--port", str(port), environment=environment) as web,
    ):
        _wait_for(port, web.process)
        yield f"http://127.0.0.1:{port}"


@contextmanager
def from_nothing() -> Iterator[str]:
    """Run them on a new database, which is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolroom-conformance-", ignore_cleanup_errors=True) as var:
        environment = os.environ | {"TOOLROOM_VAR": var, "DJANGO_SETTINGS_MODULE": SETTINGS}
        _manage("migrate", environment=environment)
        scopes = ("--scope", "*:read", "--scope", "*:write")
        key = _manage("create_api_key", f"referee-{secrets.token_hex(2)}", *scopes, environment=environment)
        with serving(environment, key=key) as address:
            yield address


def _manage(*arguments: str, environment: dict[str, str]) -> str:
    command = [sys.executable, "manage.py", *arguments]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip().splitlines()[-1] if ran.stdout.strip() else ""
