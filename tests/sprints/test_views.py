"""The analyst's catalog: explained column by column, and nothing private in it, for whatever role reads it."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connection

pytestmark = pytest.mark.django_db
VIEWS = {
    "teams", "users", "sprints", "issues", "sprint_issues", "sprint_summary", "sprint_days",
    "sprint_blocked_periods", "scope_changes",
    "status_changes", "status_periods", "points_changes", "blocked_periods", "issue_links", "snapshot",
}  # fmt: skip
PRIVATE = {"email", "description", "external_id", "source_digest", "site_url"}


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def test_the_schema_holds_these_views_and_no_table() -> None:
    found = rows(
        "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = 'sprintscope'::regnamespace "
        "AND relkind IN ('r', 'v', 'm', 'p', 'f')"
    )

    assert set(found) == {(name, "v") for name in VIEWS}


def test_every_view_and_column_has_a_comment() -> None:
    found = rows(
        "SELECT c.relname, a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 "
        "WHERE c.relnamespace = 'sprintscope'::regnamespace AND c.relkind = 'v' AND "
        "(coalesce(col_description(c.oid, a.attnum), '') = '' OR coalesce(obj_description(c.oid), '') = '')"
    )

    assert found == []


def test_nothing_private_is_a_column() -> None:
    found = rows("SELECT column_name FROM information_schema.columns WHERE table_schema = 'sprintscope'")

    assert {name for (name,) in found} & PRIVATE == set()


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_no_address_stands_in_any_row(view: str) -> None:
    found = rows(f"SELECT count(*) FROM sprintscope.{view} AS v WHERE v::text LIKE '%%@meridian%%'")

    assert found == [(0,)]
    assert rows("SELECT count(*) > 0 FROM sprints_users WHERE email LIKE '%%@meridian.example'") == [(True,)]


@pytest.mark.parametrize("role", [settings.TOOLROOM_READER_ROLE, settings.SPRINTS_ANALYST_ROLE])
def test_roles_that_answer_agents_read_the_views_and_not_the_tables_behind(role: str) -> None:
    found = rows(
        "SELECT relnamespace::regnamespace::text, relname FROM pg_class WHERE relkind IN ('r', 'v') "
        "AND (relnamespace = 'sprintscope'::regnamespace OR relname LIKE 'sprints\\_%%') "
        "AND has_table_privilege(%s, oid, 'SELECT')",
        role,
    )

    assert {name for schema, name in found if schema == "sprintscope"} == VIEWS
    assert {name for schema, name in found if schema != "sprintscope"} <= {
        "sprints_verified_queries",
        "sprints_term_synonyms",
    }


def test_no_view_calls_a_function_that_reads_tables() -> None:
    """It would run with the rights of the caller, who has none on the tables."""
    found = rows(
        "SELECT viewname FROM pg_views WHERE schemaname = 'sprintscope' AND definition LIKE '%%sprints_points_at%%'"
    )

    assert found == []
