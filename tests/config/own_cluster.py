"""An embedded cluster for one test, used by `manage.py` and servers as separate processes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from django.conf import settings

from config.child_servers import SERVER, free_port
from config.postgres.cluster import SUPERUSER, address
from config.postgres.location import find_place
from tests.agents.processes import run_process
from tests.toolbox.transports import PLAIN_HTTP

START_SECONDS = 300
MAKE_KEY = """
import django; django.setup()
from django.contrib.auth.models import User
from toolbox.models import ApiKey
owner, _ = User.objects.get_or_create(username="o")
print(ApiKey.make(name="k", owner_id=owner.pk, scopes=["*:read", "*:write"])[1])
"""


def environment_of(var: Path) -> dict[str, str]:
    """Return the environment in which everything is below `var`."""
    outer = ("DATABASE_", "CELERY_", "SECRET_KEY", "TOOLROOM_")
    usual = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    return usual | {"TOOLROOM_VAR": str(var), "DJANGO_SETTINGS_MODULE": "config.settings", "DEVASSIST_WEB_SEARCH": "0"}


def manage(*arguments: str, environment: dict[str, str], seconds: float = 300) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py to its end, whether it fails or not."""
    return _run("manage.py", *arguments, environment=environment, seconds=seconds)


def make_key(environment: dict[str, str]) -> str:
    """Create an API key that may do everything."""
    made = _run("-c", MAKE_KEY, environment=environment)
    assert made.returncode == 0, made.stderr
    return made.stdout.split()[-1]


@contextmanager
def connect_to_web(environment: dict[str, str], *, key: str) -> Iterator[httpx.Client]:
    """Run a web process until the block ends; yields a client with a key, once the process answers."""
    port = free_port("127.0.0.1", wanted=0)
    address, headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {key}"}
    with (
        run_process(*SERVER, "--port", str(port), environment=environment) as part,
        httpx.Client(base_url=address, headers=headers, timeout=60, verify=PLAIN_HTTP) as http,
    ):
        until = time.monotonic() + START_SECONDS
        while not _is_alive(http):
            if part.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the web process did not start:\n" + "".join(part.log[-30:]))
            time.sleep(0.05)
        yield http


def superuser_url(var: Path, *, database: str = "toolroom") -> str:
    """Return the superuser's address; the server must run."""
    return address(find_place(var), database=database, user=SUPERUSER)


def _run(*arguments: str, environment: dict[str, str], seconds: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=settings.BASE_DIR, env=environment, text=True, capture_output=True,
        check=False, timeout=seconds,
    )  # fmt: skip


def _is_alive(http: httpx.Client) -> bool:
    try:
        return http.get("/healthz").is_success
    except httpx.TransportError:
        return False
