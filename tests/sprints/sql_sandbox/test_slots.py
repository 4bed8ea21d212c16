"""Statements that do not stop: a slot is held until the backend is gone, and the rest of the API answers."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from sprints.contracts import QueryResult
from sprints.sql_sandbox.analyst_pool import analyst
from sprints.sql_sandbox.execution import execute
from tests.sprints.sql_sandbox.role import allow_anything, superuser
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

pytestmark = [pytest.mark.usefixtures("cast"), pytest.mark.slow]

HUNDRED_MEGABYTES = f"(SELECT repeat('{'a' * 10_000}', (SELECT 10000)) AS t OFFSET 0) AS x"
UNSTOPPABLE = f"SELECT {', '.join(['length(t)'] * 50)} FROM {HUNDRED_MEGABYTES}"
"""One row, 50 functions of 0.1 to 0.2 s each, and no interrupt looked for between them."""
MAX_SECONDS_GONE = 120

_BACKENDS = """
SELECT count(*) FROM pg_stat_activity WHERE usename = 'sprints_analyst' AND datname = current_database() AND {which}
"""


def count(onlooker: psycopg.Connection[Any], which: str = "true") -> int:
    row = onlooker.execute(_BACKENDS.format(which=which).encode()).fetchone()
    assert row is not None
    return int(row[0])


def outcome(sql: str) -> QueryResult | ToolError:
    """Run a statement without a guard."""
    try:
        return event_loop.run(execute(sql, guard=allow_anything))
    except ToolError as error:
        return error


class Watch(threading.Thread):
    """Counts the analyst's busy backends repeatedly, until `stop` is set and none is busy, or the time is over."""

    def __init__(self, onlooker: psycopg.Connection[Any]) -> None:
        super().__init__()
        self.onlooker, self.stop, self.counts = onlooker, threading.Event(), [0]

    def run(self) -> None:
        pause = threading.Event()
        for _ in range(MAX_SECONDS_GONE * 20):
            self.counts.append(count(self.onlooker, "state = 'active'"))
            if self.stop.is_set() and not self.counts[-1]:
                return
            pause.wait(0.05)


@contextmanager
def watch_backends() -> Iterator[Watch]:
    with superuser() as onlooker:
        watch = Watch(onlooker)
        watch.start()
        try:
            yield watch
        finally:
            watch.stop.set()
            watch.join()


async def test_twenty_statements_that_do_not_stop_take_the_slots_and_nothing_else(
    fast_client: httpx.AsyncClient,
) -> None:
    with watch_backends() as watch:
        hostile = [asyncio.ensure_future(asyncio.to_thread(outcome, UNSTOPPABLE)) for _ in range(20)]
        others = []
        while not all(one.done() for one in hostile):
            others.append(await fast_client.post("/api/tools/linescore/query_linescore_data", json={"teamCode": "CAR"}))
        outcomes = [await one for one in hostile]

    assert {answer.status_code for answer in others} <= {200, 404}
    assert all(isinstance(one, ToolError) for one in outcomes)
    assert {one.message.split()[0] for one in outcomes if isinstance(one, ToolError)} <= {"The", "Every"}
    assert 1 <= max(watch.counts) <= analyst.max_size
    assert watch.counts[-1] == 0, "a backend goes on"


def test_a_slot_is_free_again_when_its_backend_is_gone(cast: object) -> None:
    with watch_backends():
        assert isinstance(outcome(UNSTOPPABLE), ToolError)

    for _ in range(analyst.max_size + 1):
        assert isinstance(outcome("SELECT 1"), QueryResult)
