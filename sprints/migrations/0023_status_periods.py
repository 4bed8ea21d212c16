"""Periods of issues in each status, derived from their history, and the view that agents see of them."""

import re
from pathlib import Path
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from sprints.migrations._roles import list_answering_roles

HERE = Path(__file__).parent
SQL = Path(__file__).with_suffix(".sql").read_text()


def write_undo() -> str:
    """Write what brings back the function of 0009_sprint_membership.sql."""
    membership = (HERE / "0009_sprint_membership.sql").read_text()
    [derive] = re.findall(
        r"^CREATE OR REPLACE FUNCTION sprints_derive\(.*?^\$\$;", membership, re.DOTALL | re.MULTILINE
    )
    view = "DROP VIEW sprintscope.status_periods;\n"
    rest = "\nDROP FUNCTION sprints_derive_status_periods(uuid[]);\nDROP INDEX sprints_status_periods_open;"
    return f"{view}{derive}{rest}"


def grant(_apps: Any, editor: Any) -> None:
    """Let both roles that answer agents read the view."""
    for role in list_answering_roles(editor):
        editor.execute(f"GRANT SELECT ON sprintscope.status_periods TO {editor.quote_name(role)}")


class Migration(migrations.Migration):
    dependencies = [("sprints", "0022_plain_names")]

    operations = [
        migrations.CreateModel(
            name="StatusPeriod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("status_category", models.TextField()),
                ("entered_at", models.DateTimeField()),
                ("left_at", models.DateTimeField(null=True)),
                (
                    "issue",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="status_periods",
                        to="sprints.issue",
                    ),
                ),
                (
                    "status",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="periods",
                        to="sprints.status",
                    ),
                ),
            ],
            options={
                "db_table": "sprints_status_periods",
                "constraints": [
                    models.UniqueConstraint(fields=("issue", "position"), name="sprints_status_periods_once")
                ],
            },
        ),
        migrations.RunSQL(SQL, write_undo()),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
