"""What a plan would cost, told by the database itself: a plan's text may be as large as the constants in it."""

from django.db import migrations

# Runs nothing: EXPLAIN without ANALYZE, as whoever asks. Only the first line of the plan is looked at.
PLANNED_COST = r"""
CREATE FUNCTION sprintscope.planned_cost(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
  first_line text;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT TEXT, COSTS) ' || statement INTO first_line;
  RETURN substring(first_line FROM 'cost=[0-9.]+\.\.([0-9.]+)')::float8;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("sprints", "0006_synced_until")]

    operations = [migrations.RunSQL(PLANNED_COST, "DROP FUNCTION sprintscope.planned_cost(text)")]
