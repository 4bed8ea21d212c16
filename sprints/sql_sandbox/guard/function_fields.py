"""
Checks of `alias.name` for an alias of a function in FROM.

The whole row of such a function is its value, so PostgreSQL calls the function `name` with it if no column has that
name: `SELECT x.lo_creat FROM generate_series(1, 1) AS x` makes a large object.
"""

from typing import Any

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.refusals import Refused, echo_text
from sprints.sql_sandbox.sql_vocabulary import FUNCTIONS, RESULT_COLUMNS

_UNNAMED = ""


class FieldCalls:
    """Qualified names and functions in FROM of one statement, compared when both are known."""

    def __init__(self) -> None:
        self._read: list[tuple[str, str]] = []
        self._made: list[tuple[str, frozenset[str]]] = []

    def note_column(self, column: Any) -> None:
        """Record a column that is read as `alias.name`."""
        names = [part.string.sval for part in column.fields if part.WhichOneof("node") == "string"]
        if len(names) > 1:
            self._read.append((names[-2], names[-1]))

    def note_function(self, function: Any) -> None:
        """Record a function in FROM, with the column names that the statement assigns."""
        alias = function.alias.aliasname
        columns = {
            alias,
            *(one.string.sval for one in function.alias.colnames),
            *_list_defined_columns(function.coldeflist),
        }
        for item in function.functions:
            call, defined = item.list.items[0], item.list.items[1:]
            columns.update(name for one in defined for name in _list_defined_columns(one.list.items))
            alias = alias or _find_function_name(call)
        self._made.append((alias, frozenset(columns)))

    def check(self, catalog: ViewCatalog) -> None:
        """Refuse a name that is not a column of its function in FROM, a view's column or a listed function."""
        for alias, name in self._read:
            if name in catalog.columns or name in RESULT_COLUMNS or name in FUNCTIONS:
                continue
            if any(name not in columns for made, columns in self._made if made in (alias, _UNNAMED)):
                raise Refused(
                    f"column {echo_text(alias)}.{echo_text(name)} does not exist",
                    suggestion=f"Name the columns of the function in FROM: … AS {echo_text(alias)}({echo_text(name)}).",
                )


def _find_function_name(call: Any) -> str:
    """Return the name of a function without an alias. Empty for those with a syntax of their own."""
    is_call = call.WhichOneof("node") == "func_call"
    return str(call.func_call.funcname[-1].string.sval) if is_call else _UNNAMED


def _list_defined_columns(columns: Any) -> set[str]:
    return {one.column_def.colname for one in columns if one.WhichOneof("node") == "column_def"}
