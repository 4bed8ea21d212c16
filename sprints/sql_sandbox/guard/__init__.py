"""
What SQL an agent may run: one SELECT over the views, and nothing else. The role is the second barrier.

`check` parses the statement with PostgreSQL's own parser, looks at every node, refuses what it does not know, sets the
LIMIT, and gives the text that may run. It decides; it never asks the database.
"""

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.refusals import Refused
from sprints.sql_sandbox.guard.statement_check import CheckedStatement, check

__all__ = ["CheckedStatement", "Refused", "ViewCatalog", "check"]
