"""Sprint membership over time: what an issue's sprint is now, what is left in a sprint, what was blocked during it."""

import re
from pathlib import Path
from typing import Any

from django.db import migrations, models

from sprints.migrations._roles import list_answering_roles

HERE = Path(__file__).parent
SQL = Path(__file__).with_suffix(".sql").read_text()


def write_undo() -> str:
    """Write what brings back the functions of 0002_derive.sql and the views of 0003_views.sql."""
    derive, views = (HERE / "0002_derive.sql").read_text(), (HERE / "0003_views.sql").read_text()
    functions = re.findall(
        r"^CREATE FUNCTION sprints_derive(?:_issues|_stays)?\(.*?^\$\$;", derive, re.DOTALL | re.MULTILINE
    )
    [trigger] = re.findall(r"^CREATE TRIGGER sprints_sprints_moved .*?;", derive, re.DOTALL | re.MULTILINE)
    names = re.findall(r"^CREATE VIEW (\S+)", views, re.MULTILINE)
    return "\n".join(
        [
            "DROP FUNCTION sprints_derive(uuid[]), sprints_derive_memberships(uuid[]), sprints_derive_issues(uuid[]);",
            *functions,
            "DROP TRIGGER sprints_sprints_moved ON sprints_sprints;",
            trigger,
            f"DROP VIEW sprintscope.sprint_blocked_periods, {', '.join(names)};",
            "ALTER TABLE sprints_issues ALTER COLUMN status_category DROP NOT NULL,",
            "  ALTER COLUMN status_category DROP DEFAULT;",
            views[views.index("CREATE VIEW") :],
            "SELECT sprints_derive(coalesce(array_agg(issue_id), '{}')) FROM sprints_issues;",
        ]
    )


def grant(_apps: Any, editor: Any) -> None:
    """Let both roles that answer agents read the views."""
    for role in list_answering_roles(editor):
        editor.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA sprintscope TO {editor.quote_name(role)}")


class Migration(migrations.Migration):
    dependencies = [("sprints", "0008_announce_documents")]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, grant),  # backwards it runs last
        migrations.RunSQL(SQL, write_undo()),
        migrations.RunPython(grant, migrations.RunPython.noop),
        migrations.AlterModelOptions(
            name="sprintissue",
            options={"verbose_name": "sprint membership", "verbose_name_plural": "sprint memberships"},
        ),
        migrations.AlterField(
            model_name="sprintissue",
            name="issue",
            field=models.ForeignKey(on_delete=models.deletion.CASCADE, related_name="memberships", to="sprints.issue"),
        ),
        migrations.AlterField(
            model_name="sprintissue",
            name="sprint",
            field=models.ForeignKey(on_delete=models.deletion.CASCADE, related_name="memberships", to="sprints.sprint"),
        ),
    ]
