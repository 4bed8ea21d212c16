"""The migration of sprint membership goes back and forth with rows in the tables, and loses nothing on its way."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from sprints.models import Issue

pytestmark = pytest.mark.usefixtures("scratch_database")

OBJECTS = {
    "views and their columns": """
        SELECT c.relname, pg_get_viewdef(c.oid), obj_description(c.oid),
               array(SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), col_description(c.oid, attnum))
                     FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 ORDER BY attnum),
               array(SELECT item::text FROM unnest(c.relacl) AS item ORDER BY 1)
        FROM pg_class AS c WHERE c.relnamespace = 'sprintscope'::regnamespace AND c.relkind = 'v' ORDER BY 1""",
    "functions": """
        SELECT oid::regprocedure::text, prosrc FROM pg_proc
        WHERE proname LIKE 'sprints%%' OR pronamespace = 'sprintscope'::regnamespace ORDER BY 1""",
    "triggers": """
        SELECT pg_get_triggerdef(oid) FROM pg_trigger
        WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'sprints%%' ORDER BY 1""",
    "category": """
        SELECT attnotnull, atthasdef FROM pg_attribute
        WHERE attrelid = 'sprints_issues'::regclass AND attname = 'status_category'""",
    "memberships": "SELECT to_jsonb(m) FROM sprints_sprint_issues AS m ORDER BY m.id",
    "issues": "SELECT issue_id, status_category, sprint_id, resolved_at FROM sprints_issues ORDER BY 1",
}


def read(question: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return list(cursor.fetchall())


def migrate_to(number: str) -> dict[str, list[Any]]:
    call_command("migrate", "sprints", number, verbosity=0)
    return {name: read(question) for name, question in OBJECTS.items()}


def test_the_membership_migration_goes_back_and_forth_with_issues_of_no_known_status() -> None:
    key = Issue.objects.order_by("issue_key").values_list("issue_key", flat=True)[0]
    Issue.objects.filter(issue_key=key).update(status=None)
    newest = {name: read(question) for name, question in OBJECTS.items()}

    older = migrate_to("0008")
    assert older["category"] == [(False, False)]
    assert read(f"SELECT status_category FROM sprints_issues WHERE issue_key = '{key}'") == [(None,)]

    assert migrate_to("0023") == newest
    assert read(f"SELECT status_category FROM sprints_issues WHERE issue_key = '{key}'") == [("To Do",)]
    assert migrate_to("0008") == older
