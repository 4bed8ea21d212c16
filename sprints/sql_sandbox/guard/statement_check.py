"""The check of a statement, which rewrites it to one that may run."""

from typing import Any

import postgast
from google.protobuf.message import DecodeError
from postgast.pg_query_pb2 import ParseResult

from sprints.contracts import DEFAULT_ROWS, MAX_ROWS
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.checked_statement import CheckedStatement
from sprints.sql_sandbox.guard.keywords import DATA_CHANGES, OTHER_STATEMENTS, first_word
from sprints.sql_sandbox.guard.parse_bounds import too_deep, within_bounds
from sprints.sql_sandbox.guard.refusals import Refused, forbidden_keyword
from sprints.sql_sandbox.guard.row_limit import set_limit
from sprints.sql_sandbox.guard.tree_walk import Walk
from sprints.sql_sandbox.guard.value_sizes import ValueSizes


def check(
    sql: str, *, catalog: ViewCatalog, default_rows: int = DEFAULT_ROWS, max_rows: int = MAX_ROWS
) -> CheckedStatement:
    """
    Return the statement that may run in place of `sql`: qualified views, a LIMIT, no comments.

    What runs is written anew from the parsed tree, parsed again and looked at again, so that what was checked is the
    text that the database gets. Asks nothing of the database. Raises Refused.
    """
    tree = _parse_select(within_bounds(sql), sql=sql)
    select = tree.stmts[0].stmt.select_stmt
    Walk(catalog).look_at(select)
    limit = set_limit(select, default_rows=default_rows, max_rows=max_rows)
    ValueSizes(catalog).limit(select)
    written = _deparse(tree)
    again = _parse_select(written.encode(), sql=written)
    Walk(catalog).look_at(again.stmts[0].stmt.select_stmt)
    return CheckedStatement(
        sql=written, max_rows=limit.max_rows, limit_was_set=limit.was_set, limit_was_lowered=limit.was_lowered
    )


def _parse_select(encoded: bytes, *, sql: str) -> ParseResult:
    """Parse a statement and return the tree of its one SELECT."""
    try:
        tree = postgast.parse(sql)
    except DecodeError as deep:
        raise too_deep() from deep
    except postgast.PgQueryError as unreadable:
        raise _unreadable(encoded, error=unreadable) from unreadable
    statements = tree.stmts
    if not statements:
        raise Refused("There is no statement.", suggestion="Write one SELECT statement.")
    for statement in statements:
        if statement.stmt.WhichOneof("node") != "select_stmt":
            raise forbidden_keyword(_keyword(statement, encoded=encoded))
    if len(statements) > 1:
        raise Refused(
            "Only one statement may be run at a time.", suggestion="Send the statements one by one, without semicolons."
        )
    return tree


def _unreadable(encoded: bytes, *, error: postgast.PgQueryError) -> Refused:
    """Return the refusal of a statement that does not parse: PostgreSQL's message, or its first keyword."""
    word = first_word(encoded)
    if word in OTHER_STATEMENTS:
        return forbidden_keyword(word)
    return Refused(error.message, suggestion="Fix the syntax: one SELECT statement in PostgreSQL's SQL.")


def _keyword(statement: Any, *, encoded: bytes) -> str:
    inner = getattr(statement.stmt, statement.stmt.WhichOneof("node"))
    kind = inner.DESCRIPTOR.name
    end = statement.stmt_location + statement.stmt_len if statement.stmt_len else None
    return DATA_CHANGES.get(kind) or first_word(encoded[statement.stmt_location : end]) or kind


def _deparse(tree: ParseResult) -> str:
    try:
        return str(postgast.deparse(tree))
    except postgast.PgQueryError as unwritable:
        raise Refused(
            "The statement cannot be written out again safely.", suggestion="Write it in a simpler form."
        ) from unwritable
