"""A database that is not ours: what is missing is named, and execute_query is off until an administrator accepts it."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connections

from config.postgres.analyst import limit_analyst, revoke_public
from sprints.checks import analyst_can_only_read_the_views, find_missing_lockdown
from sprints.sql_sandbox.execution import try_execute
from sprints.sql_sandbox.lockdown_status import digest, is_locked_down
from sprints.sql_sandbox.role_lockdown import lockdown_statements
from tests.sprints.sql_sandbox.role import superuser
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches

pytestmark = [pytest.mark.usefixtures("scratch_database")]
ROLE = "sprints_analyst"
CHANGES = "INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"


@pytest.fixture
def admin(scratch_database: None) -> Iterator[psycopg.Connection[Any]]:
    """Connect as the superuser to a database for this test, where restrictions may be lifted."""
    connections["default"].close()
    with superuser() as connection:
        clear_all_caches()
        yield connection
        clear_all_caches()


def _find_offences(admin: psycopg.Connection[Any], statement: str) -> list[str]:
    admin.execute(statement.encode())
    return find_missing_lockdown()


def test_here_nothing_is_missing(admin: psycopg.Connection[Any]) -> None:
    assert find_missing_lockdown() == []
    assert analyst_can_only_read_the_views() == []
    assert event_loop.run(is_locked_down())


@pytest.mark.parametrize(
    ("grant", "revoke"),
    [
        (
            f"GRANT EXECUTE ON FUNCTION pg_sleep(double precision) TO {ROLE}",
            f'REVOKE EXECUTE ON ROUTINE pg_sleep(double precision) FROM PUBLIC, "{ROLE}"',
        ),
        (
            "GRANT EXECUTE ON FUNCTION lo_unlink(oid) TO PUBLIC",
            f'REVOKE EXECUTE ON ROUTINE lo_unlink(oid) FROM PUBLIC, "{ROLE}"',
        ),
        (f"GRANT SELECT ON sprints_users TO {ROLE}", f'REVOKE ALL ON TABLE public.sprints_users FROM PUBLIC, "{ROLE}"'),
        (
            f"GRANT SELECT (user_id) ON sprints_users TO {ROLE}",
            f'REVOKE ALL ON TABLE public.sprints_users FROM PUBLIC, "{ROLE}"',
        ),
        ("GRANT SELECT ON pg_proc TO PUBLIC", f'REVOKE ALL ON TABLE pg_catalog.pg_proc FROM PUBLIC, "{ROLE}"'),
        (
            f"GRANT UPDATE ON sprintscope.users TO {ROLE}",
            f'REVOKE {CHANGES} ON TABLE sprintscope.users FROM PUBLIC, "{ROLE}"',
        ),
        (f"GRANT USAGE ON SCHEMA public TO {ROLE}", f'REVOKE ALL ON SCHEMA public FROM PUBLIC, "{ROLE}"'),
        (f"GRANT CREATE ON SCHEMA sprintscope TO {ROLE}", f'REVOKE CREATE ON SCHEMA sprintscope FROM PUBLIC, "{ROLE}"'),
        ("GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC", f'REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC, "{ROLE}"'),
    ],
)
def test_a_restriction_that_is_lifted_is_named_with_its_fix(
    admin: psycopg.Connection[Any], grant: str, revoke: str
) -> None:
    missing = _find_offences(admin, grant)

    assert revoke in missing
    for one in missing:
        admin.execute(one.encode())
    assert find_missing_lockdown() == []


def test_temporary_tables_are_named(admin: psycopg.Connection[Any]) -> None:
    name = admin.info.dbname

    missing = _find_offences(admin, f"GRANT TEMPORARY ON DATABASE {name} TO PUBLIC")

    assert missing == [f'REVOKE TEMPORARY, CREATE ON DATABASE {name} FROM PUBLIC, "{ROLE}"']


def test_missing_restrictions_turn_execute_query_off_until_they_are_accepted(
    admin: psycopg.Connection[Any], settings: Any
) -> None:
    missing = _find_offences(admin, f"GRANT EXECUTE ON FUNCTION pg_sleep(double precision) TO {ROLE}")

    off = event_loop.run(try_execute("SELECT 1 AS n"))
    settings.SPRINTS_ACCEPTED_WALLS = digest(missing)
    clear_all_caches()
    accepted = event_loop.run(try_execute("SELECT 1 AS n"))
    admin.execute(f"GRANT SELECT ON sprints_users TO {ROLE}".encode())
    clear_all_caches()
    off_again = event_loop.run(try_execute("SELECT 1 AS n"))

    assert off.error == off_again.error == "The database cannot run statements now."
    assert "check --deploy" in (off.suggestion or "")
    assert accepted.rows == [{"n": 1}]


def test_the_check_says_what_to_do(admin: psycopg.Connection[Any], settings: Any) -> None:
    missing = _find_offences(admin, f"GRANT EXECUTE ON FUNCTION pg_sleep(double precision) TO {ROLE}")

    [error] = analyst_can_only_read_the_views()
    settings.SPRINTS_ACCEPTED_WALLS = digest(missing)
    [warning] = analyst_can_only_read_the_views()

    assert error.id == "sprints.E002"
    assert 'REVOKE EXECUTE ON ROUTINE pg_sleep(double precision) FROM PUBLIC, "sprints_analyst";' in str(error.hint)
    assert digest(missing) in str(error.hint)
    assert warning.id == "sprints.W002"


def test_a_view_that_the_role_may_not_read_is_named(admin: psycopg.Connection[Any]) -> None:
    admin.execute(f"REVOKE SELECT ON sprintscope.teams FROM {ROLE}".encode())

    [error] = analyst_can_only_read_the_views()

    assert error.id == "sprints.E003"
    assert "teams" in error.msg


def test_the_command_prints_the_statements(admin: psycopg.Connection[Any], capsys: pytest.CaptureFixture[str]) -> None:
    missing = _find_offences(admin, f"GRANT EXECUTE ON FUNCTION pg_sleep(double precision) TO {ROLE}")

    call_command("sprints_walls")
    said = capsys.readouterr()

    assert said.out == f"{missing[0]};\n"
    assert f"SPRINTS_ACCEPTED_WALLS={digest(missing)}" in said.err


def test_without_an_analyst_execute_query_is_off(
    monkeypatch: pytest.MonkeyPatch, admin: psycopg.Connection[Any]
) -> None:
    monkeypatch.delitem(connections.databases, "analyst")

    [warning] = analyst_can_only_read_the_views()

    assert warning.id == "sprints.W001"
    assert event_loop.run(try_execute("SELECT 1")).error == "The database cannot run statements now."


def test_raising_the_walls_again_mends_everything_and_keeps_the_owner_s_and_reader_s_rights(
    admin: psycopg.Connection[Any],
) -> None:
    admin.execute("GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC")
    admin.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
    admin.execute("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC")

    taken = revoke_public(admin, owner="toolroom", reader="toolroom_reader", analyst=ROLE)
    again = revoke_public(admin, owner="toolroom", reader="toolroom_reader", analyst=ROLE)

    assert (taken > 0, again) == (True, 0)
    assert find_missing_lockdown() == []
    for holder in ("toolroom", "toolroom_reader"):
        kept = admin.execute(
            "SELECT has_function_privilege(%s, 'pg_advisory_lock(bigint)', 'EXECUTE'),"
            " has_table_privilege(%s, 'pg_class', 'SELECT'), has_schema_privilege(%s, 'public', 'USAGE')",
            [holder] * 3,
        ).fetchone()
        assert kept == (True, True, True)


def test_the_limits_and_powers_of_the_role_are_named_and_set(admin: psycopg.Connection[Any]) -> None:
    """In a transaction that is rolled back: roles belong to the cluster, which other tests use."""
    with admin.transaction(force_rollback=True):
        admin.execute("CREATE ROLE sprints_other LOGIN CREATEDB")
        before = {row[0] for row in admin.execute(lockdown_statements(role="sprints_other").encode()).fetchall()}
        limit_analyst(admin, analyst="sprints_other", owner="toolroom")
        after = {row[0] for row in admin.execute(lockdown_statements(role="sprints_other").encode()).fetchall()}

    assert "ALTER ROLE \"sprints_other\" SET statement_timeout = '10s'" in before
    assert any("NOSUPERUSER" in statement for statement in before)
    assert [statement for statement in after if statement.startswith("ALTER")] == []


def test_a_database_of_somebody_else_is_left_as_it_is(admin: psycopg.Connection[Any]) -> None:
    admin.execute("GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC")

    assert revoke_public(admin, owner="postgres", reader="toolroom_reader", analyst=ROLE) == 0
    assert find_missing_lockdown() != []
