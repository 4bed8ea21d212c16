"""Derive what follows from history, in the database, whoever writes it."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()
HISTORY = ("issues", "sprint_issues", "status_changes", "points_changes", "blocked_periods")
UNDO = "\n".join(
    [
        *(
            f"DROP TRIGGER sprints_{table}_{when} ON sprints_{table};"
            for table in HISTORY
            for when in ("added", "changed", "gone")
        ),
        "DROP TRIGGER sprints_statuses_meant ON sprints_statuses;",
        "DROP TRIGGER sprints_sprints_moved ON sprints_sprints;",
        "DROP FUNCTION sprints_on_status(), sprints_on_sprint(), sprints_on_history(), sprints_derive(uuid[]);",
        "DROP FUNCTION sprints_derive_stays(uuid[]), sprints_derive_issues(uuid[]);",
        "DROP FUNCTION sprints_points_at(uuid, timestamptz, numeric);",
        "ALTER TABLE sprints_issues DROP COLUMN cycle_time_days, DROP COLUMN lead_time_days,",
        "  DROP COLUMN status_category;",
    ]
)


class Migration(migrations.Migration):
    dependencies = [("sprints", "0001_initial")]

    operations = [migrations.RunSQL(SQL, UNDO)]
