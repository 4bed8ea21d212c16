"""From a statement as it came to one that may run."""

from dataclasses import dataclass
from typing import Any

import postgast
from google.protobuf.message import DecodeError
from postgast.pg_query_pb2 import ParseResult

from sprints.guard.bounds import too_deep, within_bounds
from sprints.guard.keywords import DATA_CHANGES, OTHER_STATEMENTS, first_word
from sprints.guard.limiting import set_limit
from sprints.guard.refused import Refused, forbidden_keyword
from sprints.guard.walking import Walk
from sprints.guard.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """
    A statement that may run, and how many rows it can give at most.

    `limit_was_set` says that it had no LIMIT. `is_select` is what `check` proves; tests of the other wall say False,
    and such a statement is run as it stands.
    """

    sql: str
    most_rows: int
    limit_was_set: bool = False
    is_select: bool = True


def check(sql: str, *, world: World) -> Checked:
    """
    Give the statement that may run in place of `sql`: views with their schema, the LIMIT set, comments gone.

    What runs is written anew from the parsed tree, parsed again and looked at again, so that what was checked is the
    text that the database gets. Asks nothing of the database. Raises Refused.
    """
    select = _only_select(within_bounds(sql), sql=sql)
    Walk(world).look_at(select)
    had_limit = select.HasField("limit_count")
    most_rows = set_limit(select)
    written = _written(select)
    Walk(world).look_at(_only_select(written.encode(), sql=written))
    return Checked(sql=written, most_rows=most_rows, limit_was_set=not had_limit)


def _only_select(encoded: bytes, *, sql: str) -> Any:
    """Parse; gives the one SELECT."""
    try:
        statements = postgast.parse(sql).stmts
    except DecodeError as deep:
        raise too_deep() from deep
    except postgast.PgQueryError as unreadable:
        raise _unreadable(encoded, error=unreadable) from unreadable
    if not statements:
        raise Refused("There is no statement.", suggestion="Write one SELECT statement.")
    for statement in statements:
        if statement.stmt.WhichOneof("node") != "select_stmt":
            raise forbidden_keyword(_keyword(statement, encoded=encoded))
    if len(statements) > 1:
        raise Refused(
            "Only one statement may be run at a time.", suggestion="Send the statements one by one, without semicolons."
        )
    return statements[0].stmt.select_stmt


def _unreadable(encoded: bytes, *, error: postgast.PgQueryError) -> Refused:
    """Refuse what does not parse, as PostgreSQL words it; where it begins like no SELECT at all, by its keyword."""
    word = first_word(encoded)
    if word in OTHER_STATEMENTS:
        return forbidden_keyword(word)
    return Refused(error.message, suggestion="Mend the syntax: one SELECT statement in PostgreSQL's SQL.")


def _keyword(statement: Any, *, encoded: bytes) -> str:
    inner = getattr(statement.stmt, statement.stmt.WhichOneof("node"))
    kind = inner.DESCRIPTOR.name
    end = statement.stmt_location + statement.stmt_len if statement.stmt_len else None
    return DATA_CHANGES.get(kind) or first_word(encoded[statement.stmt_location : end]) or kind


def _written(select: Any) -> str:
    tree = ParseResult()
    tree.stmts.add().stmt.select_stmt.CopyFrom(select)
    try:
        return str(postgast.deparse(tree))
    except postgast.PgQueryError as unwritable:
        raise Refused(
            "The statement cannot be written out again safely.", suggestion="Write it in a simpler form."
        ) from unwritable
