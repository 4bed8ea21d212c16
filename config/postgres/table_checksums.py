"""Row counts and checksums of a database's tables, equal if the contents are."""

from typing import Any, LiteralString

import psycopg
from psycopg import sql

SCHEMAS = ("public", "sprintscope")
"""The schemas of Toolroom's tables and views."""
Counts = dict[str, list[str]]
"""By table its rows and checksum; by sequence its last value and whether that was used."""

_TEXT_OF_VALUES: dict[LiteralString, str] = {
    "timezone": "UTC", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "bytea_output": "hex",
    "extra_float_digits": "1", "statement_timeout": "0", "xmloption": "content",
}  # fmt: skip
"""Settings that affect how values are written; a checksum is of a row's text."""
_RELATIONS = """
SELECT coalesce(array_agg(ARRAY[relnamespace::regnamespace::text, relname::text] ORDER BY relname), '{}')
FROM pg_catalog.pg_class
WHERE relnamespace::regnamespace::text = ANY (%s) AND relkind = ANY (%s)
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
"""
_TABLES, _SEQUENCES = ["r", "m"], ["S"]
_ROWS = """
SELECT count(*), sum(CAST(CAST('x' || substr(md5(CAST(entry AS text)), 1, 15) AS bit(60)) AS bigint)) FROM {} AS entry
LIMIT 1
"""
_LAST_VALUE = "SELECT max(last_value), bool_and(is_called) FROM {}"
_HAS_ROWS = "SELECT 1 FROM {} LIMIT 1"
_FILLED_BY_MIGRATIONS = {"public.django_migrations", "public.django_content_type", "public.auth_permission"}


def compute_checksums(connection: psycopg.Connection[Any]) -> Counts:
    """
    Count the rows of every table and sum the hashes of their text.

    The sum does not depend on the order of rows. In a REPEATABLE READ transaction, all tables are read at one moment.
    """
    for name, value in _TEXT_OF_VALUES.items():
        connection.execute("SELECT set_config(%s, %s, true)", [name, value])
    return _ask_each(connection, _ROWS, kinds=_TABLES)


def read_sequences(connection: psycopg.Connection[Any]) -> Counts:
    """
    Read the current value of every sequence.

    Sequences ignore snapshots: a value read before a dump is at most the dump's.
    """
    return _ask_each(connection, _LAST_VALUE, kinds=_SEQUENCES)


def find_filled_tables(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the tables with rows, except those that `migrate` fills."""
    found = _ask_each(connection, _HAS_ROWS, kinds=_TABLES)
    return [table for table, row in found.items() if row and table not in _FILLED_BY_MIGRATIONS]


def find_differences(before: Counts, *, after: Counts) -> list[str]:
    """Return each table whose rows or checksum differ, and each sequence that went back."""
    return [
        f"{name}: {' '.join(before.get(name, ['is missing']))} became {' '.join(after.get(name, ['missing']))}"
        for name in sorted(before.keys() | after.keys())
        if not _is_kept(before.get(name), after=after.get(name))
    ]


def _is_kept(before: list[str] | None, *, after: list[str] | None) -> bool:
    if before and after and before[1] in _IS_GIVEN_OUT and after[1] in _IS_GIVEN_OUT:
        return (int(after[0]), _IS_GIVEN_OUT[after[1]]) >= (int(before[0]), _IS_GIVEN_OUT[before[1]])
    return before == after


_IS_GIVEN_OUT = {"False": False, "True": True}


def _ask_each(connection: psycopg.Connection[Any], statement: LiteralString, *, kinds: list[str]) -> Counts:
    """Run the statement on each relation of these kinds, and return the rows as text."""
    found = connection.execute(_RELATIONS, [list(SCHEMAS), kinds]).fetchone()
    answers: Counts = {}
    for schema, name in found[0] if found else ():
        row = connection.execute(sql.SQL(statement).format(sql.Identifier(schema, name))).fetchone()
        answers[f"{schema}.{name}"] = [str(value) for value in row or ()]
    return answers
