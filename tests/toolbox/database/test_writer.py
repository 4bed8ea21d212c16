"""The writer: nothing is tried twice, and a connection that died while idle is replaced before it is used."""

import psycopg
import pytest
from django.db import connections

from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.pools import Connection, writer

pytestmark = pytest.mark.usefixtures("database_access")


def _end(pid: int) -> None:
    with psycopg.connect(writer.conninfo(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_work_whose_connection_is_lost_is_not_done_again() -> None:
    times = 0

    async def work(connection: Connection) -> None:
        nonlocal times
        times += 1
        _end(connection.info.backend_pid)
        await connection.execute("SELECT 1")

    with pytest.raises(DatabaseUnavailable, match="unknown"):
        event_loop.run(writer.run(work))

    assert times == 1


def test_a_connection_that_died_while_idle_costs_no_call() -> None:
    async def pid(connection: Connection) -> int:
        await connection.execute("SELECT 1")
        return connection.info.backend_pid

    died = event_loop.run(writer.run(pid))
    _end(died)

    assert event_loop.run(writer.run(pid)) != died
    connections.close_all()
