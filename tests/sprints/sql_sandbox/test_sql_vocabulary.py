"""The words that queries may use, asked of the catalogue: none of them writes, waits, or reads beside its arguments."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connections

from sprints.schema.reading import stored_schema
from sprints.sql_sandbox.guard import ViewCatalog
from sprints.sql_sandbox.guard.operation_steps import count_cast_steps, count_function_steps, count_operator_steps
from sprints.sql_sandbox.guard.value_sizes import MAX_ROW_WORK
from sprints.sql_sandbox.sql_vocabulary import (
    FIXED_SIZE,
    FUNCTIONS,
    LINEAR_FUNCTIONS,
    LINEAR_OPERATORS,
    OPERATORS,
    PAIR_OPERATOR_STEPS,
    PAIR_STEPS,
    SAME_SIZE_OPERATORS,
    SQUARE_STEPS,
    TYPES,
    VOLATILE_BUT_HARMLESS,
)

CATALOG_ARGUMENTS = (
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
    reading = _names(
        catalogue,
        "SELECT DISTINCT p.proname::text FROM pg_proc AS p, unnest(p.proargtypes) AS a (type)"
        " WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (%s)"
        " AND a.type::regtype::text = ANY (%s)",
        sorted(FUNCTIONS), CATALOG_ARGUMENTS.split(),
    )  # fmt: skip

    assert reading == set()


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
    reading = _names(
        catalogue,
        "SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace"
        " AND (typname LIKE 'reg%' OR typtype = 'c' OR typname IN ('oid', 'xid', 'cid', 'tid', 'aclitem', 'xml'))",
    )

    assert reading & TYPES == set()


def test_a_column_s_name_calls_no_volatile_function(catalogue: psycopg.Connection[Any]) -> None:
    """`(expression).name` is a call where name is a function, and names of columns are let through there."""
    catalog = ViewCatalog(
        schema="", views={t.name: frozenset(c.name for c in t.columns) for t in stored_schema().tables}
    )
    volatile = _names(catalogue, "SELECT DISTINCT proname::text FROM pg_proc WHERE provolatile = 'v'")

    assert volatile & catalog.columns == set()


def test_alias_dot_name_calls_no_volatile_function(catalogue: psycopg.Connection[Any]) -> None:
    """`alias.name` calls a function that takes any row; the guard lets those be that do not begin with pg_."""
    callable_with_a_row = _names(
        catalogue,
        "SELECT DISTINCT proname::text FROM pg_proc WHERE provolatile = 'v' AND pronargs - pronargdefaults <= 1"
        " AND pronargs >= 1 AND proargtypes[0] IN ('record'::regtype, 'anyelement'::regtype, '\"any\"'::regtype,"
        " 'anycompatible'::regtype, 'anynonarray'::regtype)",
    )

    assert [name for name in callable_with_a_row if not name.startswith("pg_")] == []


def test_functions_of_a_fixed_size_have_one(catalogue: psycopg.Connection[Any]) -> None:
    statement = (
        "SELECT DISTINCT proname::text FROM pg_proc JOIN pg_type AS t ON t.oid = prorettype"
        " WHERE pronamespace = 'pg_catalog'::regnamespace AND (typlen < 0 OR typtype = 'p')"
    )

    assert _names(catalogue, statement) & FIXED_SIZE == set()
    assert FIXED_SIZE <= FUNCTIONS


def test_operators_that_give_what_they_take_are_known(catalogue: psycopg.Connection[Any]) -> None:
    """Of every other operator the result has a fixed size, or the guard has a rule of its own."""
    statement = (
        "SELECT DISTINCT oprname::text FROM pg_operator JOIN pg_type AS t ON t.oid = oprresult"
        " WHERE oprnamespace = 'pg_catalog'::regnamespace AND typlen < 0"
    )

    assert (_names(catalogue, statement) & OPERATORS) - SAME_SIZE_OPERATORS - set("+*/%^") - {"||", "&&"} == set()


def test_what_an_operation_costs_is_said_once() -> None:
    functions = [LINEAR_FUNCTIONS, PAIR_STEPS.keys(), SQUARE_STEPS.keys()]
    operators = [LINEAR_OPERATORS, PAIR_OPERATOR_STEPS.keys()]

    assert len(frozenset().union(*functions)) == sum(len(names) for names in functions)
    assert len(frozenset().union(*operators)) == sum(len(names) for names in operators)
    assert frozenset().union(*functions) <= FUNCTIONS


def test_an_operation_that_no_list_names_is_not_free() -> None:
    """One of a later PostgreSQL is charged for each part with each until a person has read it."""
    assert count_function_steps("jsonb_lately", sizes=[100_000]) > MAX_ROW_WORK
    assert count_operator_steps("@@@", left=100_000, right=100_000) > MAX_ROW_WORK
    assert count_cast_steps("lately", size=1_000_000) > MAX_ROW_WORK


def test_no_pattern_or_document_path_is_counted_as_read_once(catalogue: psycopg.Connection[Any]) -> None:
    """A path compares each item with each; a text search each word with each."""
    compared = _names(
        catalogue,
        "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
        " AND proargtypes::oid[] && ARRAY['jsonpath'::regtype, 'tsquery'::regtype]::oid[]"
        " AND proname NOT IN ('count', 'max', 'min')",
    )

    assert compared & LINEAR_FUNCTIONS == set()
