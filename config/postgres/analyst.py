"""
Restrict the role that runs SQL written by a model: it may SELECT the views of one schema, and nothing else.

By default, PostgreSQL allows every role to read catalogues, sleep, lock, notify and run code. In our own databases,
these privileges are revoked from PUBLIC and granted to the owner and the reader. PRIVILEGES in `sprints` lists them.
"""

from typing import Any

import psycopg
from psycopg import sql

from sprints.sql_sandbox.role_lockdown import LIMITS, MAX_CONNECTIONS, POWERS, PRIVILEGES, Privilege, offences_query

Admin = psycopg.Connection[tuple[Any, ...]]


def limit_analyst(admin: Admin, *, analyst: str, owner: str) -> None:
    """
    Set the role's own limits, and take every special power from it.

    The owner becomes a member of the role, because only members may end its backends.
    """
    name = sql.Identifier(analyst)
    powerless = " ".join(f"NO{power.removeprefix('rol').upper()}" for power in _POWER_WORDS)
    admin.execute(sql.SQL("ALTER ROLE {} " + powerless + " NOINHERIT").format(name))
    if _has_no_connection_limit(admin, role=analyst):
        admin.execute(sql.SQL("ALTER ROLE {} CONNECTION LIMIT {}").format(name, MAX_CONNECTIONS))
    admin.execute(sql.SQL("GRANT {} TO {}").format(name, sql.Identifier(owner)))
    for setting, value in LIMITS.items():
        admin.execute(sql.SQL("ALTER ROLE {} SET {} = {}").format(name, sql.Identifier(setting), value))


def _has_no_connection_limit(admin: Admin, *, role: str) -> bool:
    row = admin.execute("SELECT rolconnlimit < 0 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    return bool(row and row[0])


def revoke_public(admin: Admin, *, owner: str, reader: str, analyst: str) -> int:
    """
    Revoke from PUBLIC and from the analyst what the analyst must not have, in the connected database.

    The owner and the reader keep what they had through PUBLIC. Safe to repeat. Returns how many grants were revoked; 0,
    with nothing done, in a database that belongs to somebody else.
    """
    if not _is_ours(admin, owner=owner):
        return 0
    taken = 0
    for privilege in PRIVILEGES:
        for found in _find_objects(admin, privilege, role="public"):
            _take(admin, privilege, found=found, role="PUBLIC", grantees=(owner, reader))
            taken += 1
        for found in _find_objects(admin, privilege, role=analyst):
            _take(admin, privilege, found=found, role=_quote(admin, analyst), grantees=())
            taken += 1
    return taken


_POWER_WORDS = tuple(power.replace("super", "superuser") for power in POWERS)


def _is_ours(admin: Admin, *, owner: str) -> bool:
    """Return whether the database is the owner's, or a template of the owner's databases."""
    row = admin.execute(
        "SELECT datistemplate OR pg_get_userbyid(datdba) = %s FROM pg_database WHERE datname = current_database()",
        [owner],
    ).fetchone()
    return bool(row and row[0])


def _find_objects(admin: Admin, privilege: Privilege, *, role: str) -> list[str]:
    return [row[0] for row in admin.execute(offences_query(privilege, role=role).encode()).fetchall()]


def _take(admin: Admin, privilege: Privilege, *, found: str, role: str, grantees: tuple[str, ...]) -> None:
    """Revoke; the names are already quoted."""
    admin.execute(f"REVOKE {privilege.verbs} ON {privilege.kind} {found} FROM {role}".encode())
    if grantees and privilege.needed:
        names = ", ".join(_quote(admin, grantee) for grantee in grantees)
        admin.execute(f"GRANT {privilege.needed} ON {privilege.kind} {found} TO {names}".encode())


def _quote(admin: Admin, name: str) -> str:
    return sql.Identifier(name).as_string(admin)
