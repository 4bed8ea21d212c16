"""What the reader role may do in the database itself: SELECT the domains' tables, and nothing else."""

from collections.abc import Callable

import psycopg
import pytest
from django.apps import apps
from django.db import connections

from toolbox.database import event_loop
from toolbox.database.pools import Connection, reader

pytestmark = pytest.mark.usefixtures("cast")
KERNEL = ["toolbox_api_keys", "toolbox_tool_calls", "auth_user", "auth_group", "django_session", "django_admin_log",
          "django_migrations"]  # fmt: skip
DOMAINS = ["linescore_teams", "linescore_games", "linescore_periods", "linescore_period_results"]
CHANGES = [
    "INSERT INTO linescore_teams VALUES ('QQQ', 'Q', '', '')",
    "UPDATE linescore_teams SET team_name = 'Q'",
    "DELETE FROM linescore_period_results",
    "TRUNCATE linescore_period_results",
    "DROP TABLE linescore_period_results",
    "CREATE TABLE q (q int)",
    "CREATE TEMPORARY TABLE q (q int)",
    "CREATE FUNCTION q() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER TABLE linescore_teams ADD q int",
    "SELECT * FROM linescore_teams FOR UPDATE",
    "COPY linescore_teams TO '/dev/null'",
    "COPY linescore_teams FROM PROGRAM 'id'",
    "SELECT linescore_derive(ARRAY[2024020001])",
    "SELECT pg_read_file('/etc/passwd')",
    "SET ROLE toolroom",
    "CREATE ROLE q",
    "GRANT SELECT ON toolbox_api_keys TO PUBLIC",
]


def _find_refusal(statement: str) -> str | None:
    """Return the SQLSTATE with which the reader's own connection refuses the statement."""

    async def try_statement(connection: Connection) -> str | None:
        try:
            await connection.execute(statement.encode())
        except psycopg.Error as error:
            return error.sqlstate
        return None

    return event_loop.run(reader.run(try_statement))


def _refused_when_writable(statement: str) -> str | None:
    """Return the SQLSTATE that remains after the session has turned READ ONLY off."""
    entry = connections["reader"].settings_dict
    with psycopg.connect(
        dbname=entry["NAME"], user=entry["USER"], host=entry["HOST"], password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None, autocommit=True,
    ) as connection:  # fmt: skip
        connection.execute("SET default_transaction_read_only = off")
        try:
            connection.execute(statement.encode())
        except psycopg.Error as error:
            return error.sqlstate
        return None


WAYS: list[Callable[[str], str | None]] = [_find_refusal, _refused_when_writable]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", DOMAINS)
def test_the_domains_tables_may_be_read(table: str, way: Callable[[str], str | None]) -> None:
    assert way(f"SELECT 1 FROM {table} LIMIT 1") is None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", KERNEL)
def test_the_kernel_s_and_django_s_tables_may_not(table: str, way: Callable[[str], str | None]) -> None:
    assert way(f"SELECT 1 FROM {table} LIMIT 1") == psycopg.errors.InsufficientPrivilege.sqlstate


@pytest.mark.parametrize("statement", CHANGES)
def test_nothing_may_be_changed(statement: str) -> None:
    assert _find_refusal(statement) in (
        psycopg.errors.InsufficientPrivilege.sqlstate, psycopg.errors.ReadOnlySqlTransaction.sqlstate
    )  # fmt: skip


@pytest.mark.parametrize("statement", CHANGES)
def test_nothing_may_be_changed_even_when_the_session_is_made_writable(statement: str) -> None:
    assert _refused_when_writable(statement) == psycopg.errors.InsufficientPrivilege.sqlstate


def test_every_table_that_is_no_domain_s_is_closed_to_the_reader() -> None:
    """Asked of the catalogue, so that a table of tomorrow is counted in."""
    domains = {app.label for app in apps.get_app_configs() if app.label not in ("toolbox", "config", "agents")
               and not app.name.startswith(("django", "unfold", "ninja", "rest_framework", "drf_"))}  # fmt: skip
    readable = event_loop.run(
        reader.fetch(
            "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace"
            " WHERE relkind IN ('r', 'v', 'm', 'p') AND nspname = 'public'"
            " AND has_table_privilege(pg_class.oid, 'SELECT') ORDER BY relname LIMIT 1000"
        )
    )

    tables = [row["relname"] for row in readable.rows]
    assert [table for table in tables if not table.startswith(tuple(f"{domain}_" for domain in domains))] == []


def test_the_reader_is_no_superuser_and_owns_nothing() -> None:
    role = event_loop.run(
        reader.fetch(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication FROM pg_roles"
            " WHERE rolname = current_user LIMIT 1"
        )
    )
    owned = event_loop.run(
        reader.fetch("SELECT count(*) AS tables FROM pg_tables WHERE tableowner = current_user LIMIT 1")
    )

    assert not any(role.rows[0].values())
    assert owned.rows == [{"tables": 0}]


def test_a_statement_that_nobody_waits_for_ends_by_itself() -> None:
    shown = event_loop.run(reader.fetch("SHOW statement_timeout"))

    assert shown.rows == [{"statement_timeout": "30s"}]
