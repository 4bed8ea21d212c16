"""The database goes and comes back, really: a cluster of its own is stopped and started (tests/toolbox/outage.py)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

pytestmark = pytest.mark.slow
AT_ONCE_SECONDS = 20.0
"""A pool that is kept would wait for 30; how much less it takes depends on how busy the machine is."""


@pytest.fixture(scope="module")
def outage_replies() -> Iterator[dict[str, Any]]:
    """Run the outages once, and yield the result of each call."""
    var = Path(tempfile.mkdtemp(prefix="toolroom-outage-"))
    var.chmod(0o711)  # started by root, PostgreSQL runs as nobody, who must be able to enter
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.toolbox.outage"], cwd=settings.BASE_DIR, capture_output=True, text=True,
            env=environment | {"TOOLROOM_VAR": str(var)}, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        yield json.loads(done.stdout)
    finally:
        shutil.rmtree(var, ignore_errors=True)


@pytest.mark.parametrize(
    "step", ["away", "away still", "away, with a key that must be looked up", "away, from an idle pool",
             "the database goes under a statement"],
)  # fmt: skip
def test_while_the_database_is_away_a_call_is_refused_at_once(outage_replies: dict[str, Any], step: str) -> None:
    assert (outage_replies[step]["status"], outage_replies[step]["code"]) == (503, "DATABASE_ERROR")
    assert outage_replies[step]["seconds"] < AT_ONCE_SECONDS


@pytest.mark.parametrize("step", ["back", "back, with a key", "back, from an idle pool", "back again"])
def test_the_very_next_call_works_when_it_is_back(outage_replies: dict[str, Any], step: str) -> None:
    assert outage_replies[step]["status"] == 200, outage_replies[step]
    assert outage_replies[step]["seconds"] < AT_ONCE_SECONDS


def test_no_pool_is_kept_whose_retries_back_off(outage_replies: dict[str, Any]) -> None:
    """After minutes of outage psycopg_pool waits a minute between attempts; a call would wait with it."""
    assert outage_replies["a pool is kept while away"] is False


def test_ended_connections_are_not_noticed_by_the_next_call(outage_replies: dict[str, Any]) -> None:
    assert outage_replies["after every connection was ended"]["status"] == 200


def test_ended_connections_are_not_noticed_by_many_calls_at_once(outage_replies: dict[str, Any]) -> None:
    assert outage_replies["many after every connection was ended"] == [200] * 8


def test_records_of_calls_outlive_the_outage(outage_replies: dict[str, Any]) -> None:
    calls = sum(len(reply) if isinstance(reply, list) else isinstance(reply, dict) for reply in outage_replies.values())

    assert outage_replies["rows that wait"] >= 3
    assert outage_replies["rows kept"] == calls
