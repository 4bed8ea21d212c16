"""Checks of names in expressions: functions, operators, types, columns. Each must be in the vocabulary."""

from difflib import get_close_matches
from typing import Any

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.refusals import Refused, echo_text, not_allowed
from sprints.sql_sandbox.sql_vocabulary import (
    BETWEENS,
    FUNCTIONS,
    GUARD_FUNCTIONS,
    OPERATORS,
    RESULT_COLUMNS,
    SYSTEM_COLUMNS,
    TYPES,
)

_CATALOGUE = "pg_catalog"
_OPERATORS = OPERATORS | BETWEENS


def check_call(call: Any, *, catalog: ViewCatalog) -> None:
    """Refuse a call of a function that is not listed; raises Refused."""
    if _name(call.funcname, allowed=FUNCTIONS) is None and not _is_own(call.funcname, schema=catalog.schema):
        raise _no_function(call.funcname)


def check_operator(names: Any) -> None:
    """Refuse an operator that is not listed; raises Refused."""
    if _name(names, allowed=_OPERATORS) is None:
        raise not_allowed(
            f"The operator {_join_names(names)}",
            suggestion="Use PostgreSQL's operators for numbers, texts, patterns, times, JSON, arrays and ranges.",
        )


def check_type(name: Any) -> None:
    """Refuse a cast to a type that is not listed, and types by reference (%TYPE, SETOF); raises Refused."""
    if name.pct_type or name.setof or _name(name.names, allowed=TYPES) is None:
        raise not_allowed(
            f"The type {_join_names(name.names)}",
            suggestion="Cast to text, integer, bigint, numeric, float8, boolean, date, timestamptz, interval, uuid, "
            "json or jsonb, or to an array of one.",
        )


def check_column(column: Any) -> None:
    """
    Refuse system columns. Raises Refused. The database looks up any other column and has the better message.

    `alias.name` calls a function of that name if it takes a whole row; those that do anything begin with pg_. Where
    the alias is a function in FROM it may be any: sprints/sql_sandbox/guard/function_fields.py.
    """
    last = column.fields[-1]
    if last.WhichOneof("node") != "string":
        return
    name = last.string.sval
    if name in SYSTEM_COLUMNS or (name.startswith("pg_") and len(column.fields) > 1):
        raise not_allowed(
            f"The system column {echo_text(name)}", suggestion="Views have no system columns; use the key columns."
        )


def check_indirection(indirection: Any, *, catalog: ViewCatalog) -> None:
    """
    Refuse `(expression).name` where the name is no known column, because PostgreSQL would call a function of that name.

    `(0.5).pg_sleep` sleeps. Raises Refused.
    """
    for part in indirection.indirection:
        if part.WhichOneof("node") != "string":
            continue
        name = part.string.sval
        if name not in catalog.columns and name not in RESULT_COLUMNS and name not in FUNCTIONS:
            raise not_allowed(
                f"The field .{echo_text(name)} of an expression",
                suggestion="Give the subquery an alias and write alias.column, without brackets.",
            )


def check_collation(names: Any) -> None:
    """Refuse a collation of another schema; raises Refused."""
    if len(names) > 1 and names[0].string.sval != _CATALOGUE:
        raise not_allowed(f"The collation {_join_names(names)}", suggestion='Use COLLATE "C", or none.')


def _name(names: Any, *, allowed: frozenset[str]) -> str | None:
    """Return the bare name if it is allowed and its schema, if any, is the catalogue."""
    parts = [part.string.sval for part in names]
    if len(parts) == 2 and parts[0] == _CATALOGUE:  # noqa: PLR2004 - schema and name
        del parts[0]
    return parts[0] if len(parts) == 1 and parts[0] in allowed else None


def _is_own(names: Any, *, schema: str) -> bool:
    """Return whether it is one of the functions that the guard inserts into statements."""
    return len(names) > 1 and names[0].string.sval == schema and names[1].string.sval in GUARD_FUNCTIONS


def _no_function(names: Any) -> Refused:
    written = _join_names(names)
    near = get_close_matches(written.rpartition(".")[2].lower(), FUNCTIONS, n=3, cutoff=0.75)
    instead = f"Did you mean {' or '.join(near)}? " if near else ""
    return not_allowed(
        f"The function {written}",
        suggestion=f"{instead}Use PostgreSQL's own aggregate, window, text, date, number, array and JSON functions.",
    )


def _join_names(names: Any) -> str:
    parts = [part.string.sval for part in names]
    return echo_text(".".join(parts[1:] if parts[:1] == [_CATALOGUE] and len(parts) > 1 else parts))
