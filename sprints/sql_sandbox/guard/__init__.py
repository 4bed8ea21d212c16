"""
The SQL guard: accepts one SELECT over the views, and nothing else. The role is the second barrier.

`check` parses the statement with PostgreSQL's own parser, checks every node, refuses unknown ones, sets the LIMIT, and
returns the text that may run. It never queries the database.
"""

from sprints.contracts import DEFAULT_ROWS, MAX_ROWS
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.checked_statement import CheckedStatement
from sprints.sql_sandbox.guard.refusals import Refused

__all__ = ["CheckedStatement", "Refused", "ViewCatalog", "check"]


def check(
    sql: str, *, catalog: ViewCatalog, default_rows: int = DEFAULT_ROWS, max_rows: int = MAX_ROWS
) -> CheckedStatement:
    """Return the statement that may run in place of `sql`. Raises Refused. The first call loads PostgreSQL's parser."""
    from sprints.sql_sandbox.guard import statement_check  # noqa: PLC0415

    return statement_check.check(sql, catalog=catalog, default_rows=default_rows, max_rows=max_rows)
