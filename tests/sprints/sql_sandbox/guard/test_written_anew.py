"""What runs is written anew from the parsed tree; it must be the same statement, or honest answers would change."""

from typing import Any

import postgast
import pytest

from sprints.schema.reading import stored_schema
from sprints.sql_sandbox.guard import ViewCatalog, check
from sprints.sql_sandbox.guard.row_limit import set_limit
from sprints.sql_sandbox.guard.tree_walk import Walk
from sprints.sql_sandbox.guard.value_sizes import ValueSizes
from tests.sprints.sql_sandbox.honest import HONEST

CATALOG = ViewCatalog(
    schema="sprintscope",
    views={table.name: frozenset(column.name for column in table.columns) for table in stored_schema().tables},
)


def _bare(message: Any) -> Any:
    """Remove the positions in the text from a tree."""
    for field, value in list(message.ListFields()):
        if field.name == "location" or field.name.startswith(("rexpr_list_", "list_")):
            message.ClearField(field.name)
        elif field.message_type is not None:
            for part in value if field.is_repeated else [value]:
                _bare(part)
    return message


def _tree(sql: str) -> Any:
    return postgast.parse(sql).stmts[0].stmt.select_stmt


@pytest.mark.parametrize("sql", HONEST, ids=lambda sql: sql[:70])
def test_an_honest_query_is_written_as_it_was_meant(sql: str) -> None:
    meant = _tree(sql)
    Walk(CATALOG).look_at(meant)
    set_limit(meant)
    ValueSizes(CATALOG).limit(meant)

    assert _bare(_tree(check(sql, catalog=CATALOG).sql)) == _bare(meant)


@pytest.mark.parametrize("sql", HONEST, ids=lambda sql: sql[:70])
def test_what_was_written_is_let_through_again_unchanged(sql: str) -> None:
    once = check(sql, catalog=CATALOG).sql

    assert check(once, catalog=CATALOG).sql == once


def test_comments_do_not_reach_the_database(catalog: ViewCatalog) -> None:
    assert check("/* a */ SELECT 1 -- b\n/* c */", catalog=catalog).sql == "SELECT 1 LIMIT 51"
