"""
What SQL an agent may run: one SELECT over the views, and nothing else. The role is the second barrier.

`check` parses the statement with PostgreSQL's own parser, looks at every node, refuses what it does not know, sets the
LIMIT, and gives the text that may run. It decides; it never asks the database.
"""

from sprints.contracts import DEFAULT_ROWS, MAX_ROWS
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.checked_statement import CheckedStatement
from sprints.sql_sandbox.guard.refusals import Refused

__all__ = ["CheckedStatement", "Refused", "ViewCatalog", "check"]


def check(
    sql: str, *, catalog: ViewCatalog, default_rows: int = DEFAULT_ROWS, max_rows: int = MAX_ROWS
) -> CheckedStatement:
    """Give the statement that may run in place of `sql`. Raises Refused. The first call loads PostgreSQL's parser."""
    from sprints.sql_sandbox.guard import statement_check  # noqa: PLC0415

    return statement_check.check(sql, catalog=catalog, default_rows=default_rows, max_rows=max_rows)
