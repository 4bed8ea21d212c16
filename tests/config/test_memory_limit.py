"""The embedded PostgreSQL's processes have a bound of memory each: one statement cannot take the machine's."""

import sys
from pathlib import Path

import psycopg
import pytest

from config.postgres.cluster import MAX_PROCESS_KIB
from sprints.sql_sandbox.role_lockdown import MAX_CONNECTIONS
from tests.sprints.sql_sandbox.role import superuser

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space of a process")
LARGE = "SELECT length(string_agg(repeat('x', 10000), '')) FROM generate_series(1, 100000)"


def test_a_backend_has_a_bound_of_address_space(cast: object) -> None:
    with superuser() as connection:
        limits = Path(f"/proc/{connection.info.backend_pid}/limits").read_text(encoding="ascii")

    [line] = [line for line in limits.splitlines() if line.startswith("Max address space")]
    assert line.split()[3] == str(MAX_PROCESS_KIB * 1024)


def test_a_statement_that_needs_more_fails_and_the_session_continues(cast: object) -> None:
    with superuser() as connection:
        with pytest.raises(psycopg.errors.OutOfMemory):
            connection.execute(LARGE)

        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_analyst_has_a_bound_of_connections(cast: object) -> None:
    with superuser() as connection:
        found = connection.execute("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'sprints_analyst'").fetchone()

    assert found == (MAX_CONNECTIONS,)
