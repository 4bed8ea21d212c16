"""The clients that people use, against the real server and worker: the same walk for all, over HTTP and stdio."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from tests.agents.processes import own_broker, web, worker
from tests.clients.installing import fastmcp, typescript
from tests.clients.scenario import STEPS, TASK, Step, Told
from tests.conformance.__main__ import CACHE
from tests.conformance.referee import NotToBeHad
from tests.conftest import server_environment
from toolbox.models import ApiKey, ToolCall

pytestmark = pytest.mark.slow

WALK_SECONDS = 120


def _python_sdk() -> list[str]:
    return [sys.executable, "-m", "tests.clients.walks.python_sdk"]


def _fastmcp() -> list[str]:
    return [str(fastmcp(CACHE)), "-m", "tests.clients.walks.fastmcp_client"]


def _typescript(program: str) -> list[str]:
    node, place = typescript(CACHE)
    return [str(node), str(place / program)]


@dataclass(frozen=True, kw_only=True)
class Way:
    """A client, its transport, and its protocol era."""

    command: Callable[[], list[str]]
    is_stdio: bool = False
    is_legacy: bool = False
    knows_tasks: bool = False

    @property
    def steps(self) -> dict[str, Step]:
        """Return its steps; tasks are of the 2026 era, and our adapter for the extension works over HTTP only."""
        return STEPS | (TASK if self.knows_tasks else {})


def _typescript_2() -> list[str]:
    return _typescript("typescript.mjs")


def _typescript_1() -> list[str]:
    return _typescript("typescript_v1.mjs")


WAYS = {
    "Python SDK, 2026, HTTP": Way(command=_python_sdk),
    "Python SDK, 2025, HTTP": Way(command=_python_sdk, is_legacy=True),
    "Python SDK, 2026, stdio": Way(command=_python_sdk, is_stdio=True),
    "TypeScript SDK 2, 2026, HTTP": Way(command=_typescript_2, knows_tasks=True),
    "TypeScript SDK 2, 2025, HTTP": Way(command=_typescript_2, is_legacy=True),
    "TypeScript SDK 2, 2025, stdio": Way(command=_typescript_2, is_stdio=True, is_legacy=True),
    "TypeScript SDK 1, 2025, HTTP": Way(command=_typescript_1, is_legacy=True),
    "FastMCP, 2026, HTTP": Way(command=_fastmcp, knows_tasks=True),
    "FastMCP, 2025, HTTP": Way(command=_fastmcp, is_legacy=True),
    "FastMCP, 2026, stdio": Way(command=_fastmcp, is_stdio=True),
}
every_way = pytest.mark.parametrize("name", WAYS)


@dataclass(frozen=True, kw_only=True)
class Walked:
    """A client's results, and the key that it used."""

    version: str
    told: dict[str, Told]
    key_id: int


@pytest.fixture(scope="module")
def walks(cast: Any, django_db_blocker: Any) -> Iterator[dict[str, Future[Walked]]]:
    """Run every client, two at a time; afterwards the server has stopped and written its audit rows."""
    with django_db_blocker.unblock():
        owner = User.objects.get(username="alice")
        keys = {name: ApiKey.make(name=name, owner_id=owner.pk, scopes=["*:read", "*:write"]) for name in WAYS}
        with own_broker() as broker, ThreadPoolExecutor(2) as two:
            environment = server_environment() | {"CELERY_BROKER_URL": broker.address}
            with worker(environment), web(environment) as (address, _):
                walked = {
                    name: two.submit(_walk, way, key=keys[name], address=address, environment=environment)
                    for name, way in WAYS.items()
                }
                wait(walked.values())
        yield walked
        ApiKey.objects.filter(pk__in=[row.pk for row, _ in keys.values()]).delete()


def _walk(way: Way, *, key: tuple[ApiKey, str], address: str, environment: dict[str, str]) -> Walked:
    row, secret = key
    stdio = {
        "command": sys.executable, "args": ["manage.py", "mcp"], "cwd": str(settings.BASE_DIR),
        "env": environment | {"TOOLROOM_API_KEY": secret},
    }  # fmt: skip
    server = stdio if way.is_stdio else {"url": f"{address}/mcp", "key": secret}
    steps = [step.to_json() for step in way.steps.values()]
    errand = json.dumps({"server": server, "legacy": way.is_legacy, "steps": steps})
    ran = subprocess.run(
        way.command(), input=errand, capture_output=True, text=True, timeout=WALK_SECONDS, cwd=settings.BASE_DIR,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = json.loads(ran.stdout)
    return Walked(version=found["version"], told=dict(zip(way.steps, found["told"], strict=True)), key_id=row.pk)


def _is_right(step: Step, *, told: Told) -> bool:
    try:
        return step.judge(told)
    except (LookupError, AssertionError, ValueError):  # an error in place of a result, a result of another shape
        return False


@every_way
def test_a_client_gets_along(walks: dict[str, Future[Walked]], name: str) -> None:
    try:
        walked = walks[name].result()
    except NotToBeHad as reason:
        pytest.skip(str(reason))

    assert (walked.version < "2026") is WAYS[name].is_legacy
    steps = WAYS[name].steps
    assert {step: told for step, told in walked.told.items() if not _is_right(steps[step], told=told)} == {}
    outcomes = ToolCall.objects.filter(key_id=walked.key_id, tool="evaluate_sql_questions").values_list("outcome")
    # Over stdio a client ends its own server 2 s after it closes its input, which may cut the last row.
    assert WAYS[name].is_stdio or ("cancelled",) in outcomes
