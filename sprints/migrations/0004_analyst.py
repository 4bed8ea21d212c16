"""The analyst's right to the views, and the function that stops a row which is too large to send."""

from typing import Any

from django.conf import settings
from django.db import migrations

# Called only for a row that is too large, by the statement that sprints/sql_sandbox/execution.py puts around a query.
LARGE_ROW = """
CREATE FUNCTION sprintscope.refuse_large_row() RETURNS boolean
LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  RAISE EXCEPTION 'a row is larger than an answer may be' USING ERRCODE = 'program_limit_exceeded';
END $$;
REVOKE ALL ON SCHEMA sprintscope FROM PUBLIC;
"""


def grant(_apps: Any, editor: Any) -> None:
    """Grant, where the role has been made; `check --deploy` names what is missing where it was made later."""
    role = settings.SPRINTS_ANALYST_ROLE
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            return
    name = editor.quote_name(role)
    editor.execute(f"GRANT USAGE ON SCHEMA sprintscope TO {name}")
    editor.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA sprintscope TO {name}")


class Migration(migrations.Migration):
    dependencies = [("sprints", "0003_views")]

    operations = [
        migrations.RunSQL(LARGE_ROW, "DROP FUNCTION sprintscope.refuse_large_row()"),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
