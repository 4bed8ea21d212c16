"""The course of a run, and the bell that its events ring, both kept by the database (0002_course.sql)."""

from pathlib import Path

from django.db import migrations

FORWARDS = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
BACKWARDS = """
DROP TRIGGER agents_ring_deleted ON agents_runs;
DROP TRIGGER agents_ring ON agents_events;
DROP TRIGGER agents_run_course ON agents_runs;
DROP FUNCTION agents_ring_deleted();
DROP FUNCTION agents_ring();
DROP FUNCTION agents_run_course();
"""


class Migration(migrations.Migration):
    """Make the triggers."""

    dependencies = [("agents", "0001_initial")]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
