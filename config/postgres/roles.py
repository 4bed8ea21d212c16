"""Create a cluster's roles, database and extension, as a superuser; safe to repeat."""

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.postgres.analyst import limit_analyst, revoke_public

OWNER = "toolroom"
READER = "toolroom_reader"
ANALYST = "sprints_analyst"
DATABASE = "toolroom"
_LOCK = 7_106_518_212_001  # an arbitrary number that nothing else locks

_UTF8 = "UTF8"
_BUILTIN_LOCALES = 170_000

OWNER_SETTINGS = {
    "timezone": "UTC",
    "jit": "off",
    "client_connection_check_interval": "10s",
}
READER_SETTINGS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "30s",
    "idle_in_transaction_session_timeout": "30s",
    "temp_file_limit": "1GB",
} | OWNER_SETTINGS
"""
Settings of the roles instead of the connections, so that they apply to any client and behind any pooler.

`client_connection_check_interval` ends a statement whose client is gone: the owner has no statement_timeout, because
migrations and loads of data log in as it.
"""


class WrongEncoding(psycopg.DataError):
    """The database exists, but its encoding cannot store every text."""


def provision(
    admin_url: str,
    *,
    template: str | None = None,
    owner: str = OWNER,
    reader: str = READER,
    analyst: str = ANALYST,
    database: str = DATABASE,
    reader_password: str = "",
    owner_password: str = "",
    analyst_password: str = "",
) -> list[str]:
    """
    Create the owner, the reader, the analyst, the database and the vector extension where they are missing.

    The owner migrates and writes; the reader logs in to SELECT what migrations grant, in READ ONLY transactions with
    a statement timeout; the analyst runs SQL that a model wrote (config/postgres/analyst.py). With `template` the
    extension and the analyst's restrictions also go there, so that test databases have them.

    Returns a sentence for each thing made. Needs a superuser's address; holds an advisory lock while it works. Raises
    WrongEncoding where the database is there and is not in UTF-8.
    """
    made: list[str] = []
    admin_url = make_conninfo(admin_url, client_encoding="utf8")  # of a server in SQL_ASCII, names would come as bytes
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        for role, password in ((owner, owner_password), (reader, reader_password), (analyst, analyst_password)):
            made += _role(admin, role=role, password=password)
        limit_analyst(admin, analyst=analyst, owner=owner)
        for role, wanted in ((owner, OWNER_SETTINGS), (reader, READER_SETTINGS)):
            for name, value in wanted.items():
                admin.execute(
                    sql.SQL("ALTER ROLE {} SET {} = {}").format(sql.Identifier(role), sql.Identifier(name), value)
                )
        admin.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(sql.Identifier(owner)))
        made += _database(admin, database=database, owner=owner)
    for name in filter(None, (template, database)):
        made += _extension(admin_url, database=name)
        with psycopg.connect(make_conninfo(admin_url, dbname=name), autocommit=True) as inside:
            taken = revoke_public(inside, owner=owner, reader=reader, analyst=analyst)
        made += [f"{taken} restrictions on {analyst} in {name}"] if taken else []
    return made


def _role(admin: psycopg.Connection[tuple[object, ...]], *, role: str, password: str) -> list[str]:
    known = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = sql.SQL("ALTER" if known else "CREATE")
    secret = sql.SQL("PASSWORD {}").format(password) if password else sql.SQL("")
    admin.execute(sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEROLE {}").format(verb, sql.Identifier(role), secret))
    return [] if known else [f"role {role}"]


def _database(admin: psycopg.Connection[tuple[object, ...]], *, database: str, owner: str) -> list[str]:
    """Create the database, in UTF-8 even if the server was created without a locale; raises WrongEncoding."""
    encoding = _find_encoding(admin, database=database)
    if encoding is None:
        names = {"database": sql.Identifier(database), "owner": sql.Identifier(owner)}
        statement: sql.Composed = sql.SQL("CREATE DATABASE {database} OWNER {owner}").format(**names)
        if _find_encoding(admin, database="template1") != _UTF8:
            statement += sql.SQL(" TEMPLATE template0 ENCODING 'UTF8'")
            if admin.info.server_version >= _BUILTIN_LOCALES:  # else upper and lower case are those of ASCII
                statement += sql.SQL(" LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'")
        admin.execute(statement)
    elif encoding != _UTF8:
        raise WrongEncoding(
            f"the database {database} is in {encoding}, and Toolroom needs UTF8: drop it, and run this again to make it"
        )
    return [] if encoding else [f"database {database}"]


def _find_encoding(admin: psycopg.Connection[tuple[object, ...]], *, database: str) -> str | None:
    """Return the encoding of a database; None if it does not exist."""
    row = admin.execute(
        "SELECT pg_encoding_to_char(encoding)::text FROM pg_database WHERE datname = %s", [database]
    ).fetchone()
    return str(row[0]) if row else None


def _extension(admin_url: str, *, database: str) -> list[str]:
    with psycopg.connect(make_conninfo(admin_url, dbname=database), autocommit=True) as admin:
        known = admin.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone()
        admin.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return [] if known else [f"extension vector in {database}"]
