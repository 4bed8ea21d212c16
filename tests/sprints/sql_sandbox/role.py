"""What the tests of guard and role check after an attack: the whole database, and its connection."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections

from config.postgres.cluster import SUPERUSER
from sprints.sql_sandbox.analyst_pool import analyst
from sprints.sql_sandbox.guard import CheckedStatement, ViewCatalog
from toolbox.database import event_loop
from toolbox.database.pools import Connection

_STATE = """
SELECT (SELECT string_agg(relname || relfilenode::text || coalesce(relacl::text, ''), ',' ORDER BY oid) FROM pg_class
        WHERE relnamespace::regnamespace::text NOT LIKE 'pg\\_t%'),
       (SELECT string_agg(rolname || rolsuper::text || coalesce(rolconfig::text, ''), ',' ORDER BY oid) FROM pg_roles),
       (SELECT string_agg(proname || coalesce(proacl::text, ''), ',' ORDER BY oid) FROM pg_proc WHERE oid > 16384),
       (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_replication_slots),
       (SELECT count(*) FROM pg_extension), (SELECT count(*) FROM pg_prepared_xacts),
       (SELECT string_agg(i::text, ',' ORDER BY issue_id) FROM sprints_issues AS i),
       (SELECT string_agg(t::text, ',' ORDER BY team_id) FROM sprints_teams AS t)
"""
_SESSIONS = """
SELECT a.state, a.backend_xid, count(l.*) FILTER (WHERE l.locktype IN ('advisory', 'relation', 'object'))
FROM pg_stat_activity AS a
LEFT JOIN pg_locks AS l USING (pid)
WHERE a.usename = 'sprints_analyst' AND a.datname = current_database()
GROUP BY a.pid, a.state, a.backend_xid
"""
_SETTINGS = (
    "statement_timeout default_transaction_read_only transaction_read_only search_path work_mem role timezone "
    "session_authorization standard_conforming_strings extra_float_digits"
)


def allow_anything(sql: str, /, *, catalog: ViewCatalog) -> CheckedStatement:
    """Pass everything unchanged: a guard that does nothing."""
    return CheckedStatement(sql=sql, max_rows=1000, is_select=False)


@contextmanager
def superuser() -> Iterator[psycopg.Connection[Any]]:
    """Connect to the test's database as the superuser."""
    entry = connections["default"].settings_dict
    with psycopg.connect(
        dbname=entry["NAME"], user=SUPERUSER if settings.TOOLROOM_DATABASE_IS_EMBEDDED else entry["USER"],
        host=entry["HOST"], port=entry["PORT"] or None, autocommit=True,
    ) as connection:  # fmt: skip
        yield connection


def state_of_the_database(onlooker: psycopg.Connection[Any]) -> str:
    """Return a digest of everything that an attack could have changed."""
    return hashlib.sha256(repr(onlooker.execute(_STATE.encode()).fetchone()).encode()).hexdigest()


def sessions_of_the_analyst(onlooker: psycopg.Connection[Any]) -> set[tuple[Any, ...]]:
    """Return state, transaction and number of locks of each of the analyst's sessions."""
    return set(onlooker.execute(_SESSIONS.encode()).fetchall())


def what_is_left() -> dict[str, Any]:
    """Return a pool connection's settings, and what attacks may leave behind under the name `sneaky`."""

    async def ask_settings(connection: Connection) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in _SETTINGS.split():
            cursor = await connection.execute(f"SHOW {name}".encode())
            found |= await cursor.fetchone() or {}
        for statement in (
            "EXECUTE sneaky",
            "FETCH ALL FROM sneaky",
            "SELECT * FROM sneaky",
            "SELECT * FROM pg_temp.sneaky",
        ):
            try:
                await connection.execute(statement.encode())
                found[statement] = "is there"
            except psycopg.Error as error:
                found[statement] = error.sqlstate
        return found

    return event_loop.run(analyst.run(ask_settings))
