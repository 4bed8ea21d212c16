"""A restored database answers every tool's example as the one that was backed up; both as databases of one's own."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connections

from config.postgres.cluster import SUPERUSER
from config.postgres.location import find_place
from tests.config.own_cluster import connect_to_web, manage
from tests.conftest import _clone, _drop, _maintenance, server_environment
from tests.toolbox.transports import TOOLS, address, without_timings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not settings.TOOLROOM_DATABASE_IS_EMBEDDED, reason="needs a superuser of the test's server"),
]
MADE_ANEW = {"id", "runId", "jobId", "requestId", "createdAt", "timestamp", "takenAt", "as_of", "asOf"}
ADDRESSES = ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL")


@pytest.fixture
def environment(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    """Copy the test database; yields an environment in which the copy is the configured database."""
    usual = connections["default"].settings_dict["NAME"]
    name, host = f"{usual}_backed_up", find_place(settings.TOOLROOM_VAR).sockets
    with django_db_blocker.unblock():
        _clone(f"{usual}_template", to=name)
    usual_environment = server_environment()
    yield usual_environment | {url: usual_environment[url].replace(f"/{usual}?", f"/{name}?") for url in ADDRESSES} | {
        "DATABASE_ADMIN_URL": f"postgresql://{SUPERUSER}@/postgres?host={host}"
    }  # fmt: skip
    with django_db_blocker.unblock():
        with _maintenance(user=SUPERUSER) as admin:
            left = admin.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s) LIMIT 9", [name[:30]])
            left_names = [row[0] for row in left.fetchall() if "_before_" in row[0] or row[0] == name]
        for left_name in left_names:
            _drop(left_name)


def ask_every_tool(environment: dict[str, str], *, key: str) -> dict[str, Any]:
    """Call every tool's example over REST; returns status and answer, without what differs between calls."""
    answers = {}
    with connect_to_web(environment, key=key) as http:
        for tool in TOOLS:
            answered = http.post(address(tool), content=tool.example_arguments)
            answers[tool.name] = (answered.status_code, _without_new_values(without_timings(answered.json())))
    return answers


def _without_new_values(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: _without_new_values(part) for name, part in answer.items() if name not in MADE_ANEW}
    return [_without_new_values(part) for part in answer] if isinstance(answer, list) else answer


def test_every_example_is_answered_as_before(
    environment: dict[str, str], cast: SimpleNamespace, tmp_path: Path
) -> None:
    backed_up = manage("backup", str(tmp_path / "backup"), environment=environment)
    before = ask_every_tool(environment, key=cast.alice)
    restored = manage("restore", "--replace", str(tmp_path / "backup"), environment=environment)
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        may_read = connection.execute(
            "SELECT has_schema_privilege('sprints_analyst', 'sprintscope', 'USAGE')"
        ).fetchone()
    after = ask_every_tool(environment, key=cast.alice)

    assert (backed_up.returncode, restored.returncode) == (0, 0), backed_up.stderr + restored.stderr
    assert {name for name, (status, _) in before.items() if status != 200} == set()
    assert after == before
    assert may_read == (True,)
