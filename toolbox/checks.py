"""System checks: the tools' schemas, and with `--deploy`, that the reader role can only read."""

from collections.abc import Iterator
from typing import Any

from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connections

from toolbox.catalogue.registry import registry
from toolbox.contract.tool import find_schema_mistakes

_FORBIDDEN_POWERS = ("rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls")
_LIMITS = ("statement_timeout", "idle_in_transaction_session_timeout", "temp_file_limit")

_ROLE = f"SELECT {', '.join(_FORBIDDEN_POWERS)} FROM pg_roles WHERE rolname = current_user"
_ROLE_SETTINGS = "SELECT unnest(coalesce(rolconfig, '{}')) FROM pg_roles WHERE rolname = current_user"
_WRITABLE = """
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
ORDER BY 1
LIMIT 20
"""
_PRIVATE = """
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm')
  AND (c.relname LIKE 'toolbox\\_%' OR c.relname LIKE 'auth\\_%' OR c.relname LIKE 'django\\_%'
       OR c.relname LIKE 'agents\\_%')
  AND has_table_privilege(c.oid, 'SELECT')
ORDER BY 1
LIMIT 20
"""
_PLACES = """
SELECT has_schema_privilege('public', 'CREATE'), has_database_privilege(current_database(), 'TEMPORARY, CREATE'),
       current_user, current_database()
"""


@register()
def tools_are_described(**_: Any) -> list[CheckMessage]:
    """Report mistakes in the schemas of the declared tools."""
    return [
        Error(
            f"{tool.domain}.{tool.name}: {mistake}",
            hint="Models read these schemas: give every field a description.",
            id="toolbox.E006",
        )
        for tool in registry.tools()
        for mistake in find_schema_mistakes(tool)
    ]


@register(Tags.security, deploy=True)
def reader_can_only_read(**_: Any) -> list[CheckMessage]:
    """
    Report every power that the reader role should not have, and every limit that it lacks.

    Runs five statements on the reader's connection, all on the catalogue.
    """
    try:
        with connections["reader"].cursor() as cursor:
            return list(_findings(cursor))
    except DatabaseError as away:
        return [Error(f"The reader cannot connect: {away}", hint="Set DATABASE_READER_URL.", id="toolbox.E001")]


def _findings(cursor: Any) -> Iterator[CheckMessage]:
    may_create, may_use_database, role, database = _rows(cursor, _PLACES)[0]
    powers = [name for name, held in zip(_FORBIDDEN_POWERS, _rows(cursor, _ROLE)[0], strict=True) if held]
    if powers:
        yield Error(
            f"The reader role {role} has {', '.join(powers)}.",
            hint=f"ALTER ROLE {role} NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS;",
            id="toolbox.E002",
        )
    for relation in _names(cursor, _WRITABLE):
        yield Error(
            f"The reader role {role} may write {relation}.",
            hint=f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {relation} FROM {role}, PUBLIC;",
            id="toolbox.E003",
        )
    for relation in _names(cursor, _PRIVATE):
        yield Error(
            f"The reader role {role} may read {relation}, which is not the agents' business.",
            hint=f"REVOKE SELECT ON {relation} FROM {role}, PUBLIC;",
            id="toolbox.E004",
        )
    if may_create or may_use_database:
        yield Error(
            f"The reader role {role} may create things in {database}.",
            hint=f"REVOKE CREATE ON SCHEMA public FROM {role}, PUBLIC; "
            f"REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM {role}, PUBLIC;",
            id="toolbox.E005",
        )
    yield from _missing_limits(cursor, role=role)


def _missing_limits(cursor: Any, *, role: str) -> Iterator[CheckMessage]:
    settings = dict(entry.split("=", 1) for entry in _names(cursor, _ROLE_SETTINGS))
    if settings.get("default_transaction_read_only") not in ("on", "true", "1"):
        yield checks.Warning(
            f"The reader role {role} is not read-only.",
            hint=f"ALTER ROLE {role} SET default_transaction_read_only = on;",
            id="toolbox.W001",
        )
    for name in _LIMITS:
        if name not in settings:
            yield checks.Warning(
                f"The reader role {role} has no {name}.",
                hint=f"ALTER ROLE {role} SET {name} = '{'1GB' if name == 'temp_file_limit' else '30s'}';",
                id="toolbox.W002",
            )


def _rows(cursor: Any, statement: str) -> list[tuple[Any, ...]]:
    cursor.execute(statement)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _names(cursor: Any, statement: str) -> list[str]:
    return [row[0] for row in _rows(cursor, statement)]
