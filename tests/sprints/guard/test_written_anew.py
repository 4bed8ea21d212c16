"""What runs is written anew from the parsed tree; it must be the same statement, or honest answers would change."""

from typing import Any

import postgast
import pytest

from sprints.guard import World, check
from sprints.guard.limiting import set_limit
from sprints.guard.walking import Walk
from sprints.schema.reading import stored_schema
from tests.sprints.honest import HONEST

WORLD = World(
    schema="sprintscope",
    views={table.name: frozenset(column.name for column in table.columns) for table in stored_schema().tables},
)


def _bare(message: Any) -> Any:
    """Take the places in the text out of a tree."""
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
    Walk(WORLD).look_at(meant)
    set_limit(meant)

    assert _bare(_tree(check(sql, world=WORLD).sql)) == _bare(meant)


@pytest.mark.parametrize("sql", HONEST, ids=lambda sql: sql[:70])
def test_what_was_written_is_let_through_again_unchanged(sql: str) -> None:
    once = check(sql, world=WORLD).sql

    assert check(once, world=WORLD).sql == once


def test_comments_do_not_reach_the_database(world: World) -> None:
    assert check("/* a */ SELECT 1 -- b\n/* c */", world=world).sql == "SELECT 1 LIMIT 50"
