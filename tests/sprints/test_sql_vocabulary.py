"""The words that queries may use, asked of the catalogue: none of them writes, waits, or reads beside its arguments."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connections

from sprints.guard import World
from sprints.schema.reading import stored_schema
from sprints.sql_vocabulary import FUNCTIONS, OPERATORS, TYPES, VOLATILE_BUT_HARMLESS

TELLING_ARGUMENTS = (
    "regclass regproc regprocedure regoper regoperator regrole regnamespace regtype refcursor internal cstring"
)


@pytest.fixture(scope="module")
def catalogue(cast: object) -> Iterator[psycopg.Connection[Any]]:
    """Connect as the owner, who may read the catalogue."""
    entry = connections["default"].settings_dict
    with psycopg.connect(
        dbname=entry["NAME"], user=entry["USER"], host=entry["HOST"], password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None, autocommit=True,
    ) as connection:  # fmt: skip
        yield connection


def _names(catalogue: psycopg.Connection[Any], statement: str, *arguments: Any) -> set[str]:
    return {row[0] for row in catalogue.execute(statement.encode(), arguments or None).fetchall()}


def test_only_functions_that_a_person_found_harmless_are_volatile(catalogue: psycopg.Connection[Any]) -> None:
    volatile = _names(
        catalogue,
        "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
        " AND provolatile = 'v' AND proname = ANY (%s)",
        sorted(FUNCTIONS),
    )

    assert volatile == VOLATILE_BUT_HARMLESS


def test_no_function_takes_the_name_of_a_relation_a_role_or_a_cursor(catalogue: psycopg.Connection[Any]) -> None:
    telling = _names(
        catalogue,
        "SELECT DISTINCT p.proname::text FROM pg_proc AS p, unnest(p.proargtypes) AS a (type)"
        " WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (%s)"
        " AND a.type::regtype::text = ANY (%s)",
        sorted(FUNCTIONS), TELLING_ARGUMENTS.split(),
    )  # fmt: skip

    assert telling == set()


def test_every_function_exists(catalogue: psycopg.Connection[Any]) -> None:
    there = _names(
        catalogue, "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
    )

    assert FUNCTIONS - there == set()


def test_no_operator_is_volatile(catalogue: psycopg.Connection[Any]) -> None:
    volatile = _names(
        catalogue,
        "SELECT o.oprname::text FROM pg_operator AS o JOIN pg_proc AS p ON p.oid = o.oprcode"
        " WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND p.provolatile = 'v'",
    )

    assert volatile & OPERATORS == set()


def test_no_type_looks_into_the_catalogue(catalogue: psycopg.Connection[Any]) -> None:
    telling = _names(
        catalogue,
        "SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace"
        " AND (typname LIKE 'reg%' OR typtype = 'c' OR typname IN ('oid', 'xid', 'cid', 'tid', 'aclitem', 'xml'))",
    )

    assert telling & TYPES == set()


def test_a_column_s_name_calls_no_volatile_function(catalogue: psycopg.Connection[Any]) -> None:
    """`(expression).name` is a call where name is a function, and names of columns are let through there."""
    world = World(schema="", views={t.name: frozenset(c.name for c in t.columns) for t in stored_schema().tables})
    volatile = _names(catalogue, "SELECT DISTINCT proname::text FROM pg_proc WHERE provolatile = 'v'")

    assert volatile & world.columns == set()


def test_alias_dot_name_calls_no_volatile_function(catalogue: psycopg.Connection[Any]) -> None:
    """`alias.name` calls a function that takes any row; the guard lets those be that do not begin with pg_."""
    callable_with_a_row = _names(
        catalogue,
        "SELECT DISTINCT proname::text FROM pg_proc WHERE provolatile = 'v' AND pronargs - pronargdefaults <= 1"
        " AND pronargs >= 1 AND proargtypes[0] IN ('record'::regtype, 'anyelement'::regtype, '\"any\"'::regtype,"
        " 'anycompatible'::regtype, 'anynonarray'::regtype)",
    )

    assert [name for name in callable_with_a_row if not name.startswith("pg_")] == []
