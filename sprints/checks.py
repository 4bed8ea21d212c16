"""System checks: model-written SQL can read the views and nothing else, and all definitions compile."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connections

from sprints.schema.view_catalog import SCHEMA
from sprints.sql_sandbox.lockdown_status import digest, is_accepted
from sprints.sql_sandbox.role_lockdown import lockdown_statements, quote_name

SHOWN = 5


@register()
def check_semantic_definitions(**_: Any) -> list[CheckMessage]:
    """Compile every term of the semantic layer, and report undefined names."""
    from sprints.semantics.definition_check import find_definition_errors  # noqa: PLC0415 - loaded by the check
    from sprints.semantics.model import shipped_model  # noqa: PLC0415

    try:
        broken = find_definition_errors(shipped_model())
    except ValueError as malformed:
        broken = (f"The file is malformed: {malformed}",)
    hint = "Correct sprints/semantics/definitions.toml."
    return [Error(f"Semantic layer: {sentence}", hint=hint, id="sprints.E004") for sentence in broken]


@register(Tags.security, deploy=True)
def analyst_can_only_read_the_views(**_: Any) -> list[CheckMessage]:
    """
    Report every restriction that the analyst's role lacks, with the statement that sets it.

    Two statements on the owner's connection, catalogue only. Errors keep execute_query off until they are fixed, or
    accepted by SPRINTS_ACCEPTED_WALLS.
    """
    if "analyst" not in connections.databases:
        return [
            checks.Warning(
                "execute_query is off: no analyst role is configured.",
                hint="Make it with manage.py provision_database, then set DATABASE_ANALYST_URL.",
                id="sprints.W001",
            )
        ]
    try:
        return [*_report_missing(find_missing_lockdown()), *_grants()]
    except DatabaseError as unknown:
        return [Error(f"The analyst's rights cannot be read: {unknown}", id="sprints.E001")]


def find_missing_lockdown() -> list[str]:
    """Return the statements that set what is missing. Runs one statement on the owner's connection."""
    with connections["default"].cursor() as cursor:
        cursor.execute(lockdown_statements(role=settings.SPRINTS_ANALYST_ROLE))
        return [str(row[0]) for row in cursor.fetchall()]


def _report_missing(missing: list[str]) -> Iterable[CheckMessage]:
    if not missing:
        return
    shown = "\n".join(f"{statement};" for statement in missing[:SHOWN])
    more = f"\n… and {len(missing) - SHOWN} more: manage.py sprints_walls prints all." if len(missing) > SHOWN else ""
    if is_accepted(missing):
        yield checks.Warning(
            f"{len(missing)} restrictions of the analyst are missing, and accepted.", id="sprints.W002"
        )
        return
    yield Error(
        f"{len(missing)} restrictions of the analyst role {settings.SPRINTS_ANALYST_ROLE} are missing; "
        "execute_query is off.",
        hint=f"{shown}{more}\nOr, having read them, accept this: SPRINTS_ACCEPTED_WALLS={digest(missing)}",
        id="sprints.E002",
    )


def _grants() -> Iterable[CheckMessage]:
    role = settings.SPRINTS_ANALYST_ROLE
    statement = (
        "SELECT quote_ident(relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relkind = 'v' AND NOT (has_schema_privilege(%s, n.oid, 'USAGE')"
        " AND has_table_privilege(%s, c.oid, 'SELECT')) ORDER BY 1"
    )
    with connections["default"].cursor() as cursor:
        cursor.execute(statement, [SCHEMA, role, role])
        unreadable = [str(row[0]) for row in cursor.fetchall()]
    if unreadable:
        yield Error(
            f"The analyst role {role} may not read {', '.join(unreadable)}.",
            hint=f"GRANT USAGE ON SCHEMA {SCHEMA} TO {quote_name(role)}; "
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {quote_name(role)};",
            id="sprints.E003",
        )
