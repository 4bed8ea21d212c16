"""The size limit of values that statements make, and no function that runs a text as SQL."""

from importlib import import_module

from django.db import migrations

# The guard (sprints/sql_sandbox/guard/value_sizes.py) writes it around values whose size only the data decides.
LIMIT_SIZE = """
CREATE FUNCTION sprintscope.limit_size(value anyelement) RETURNS anyelement
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF pg_column_size(value) > 1000000 THEN
    RAISE EXCEPTION 'a value in the statement is larger than 1,000,000 bytes'
      USING ERRCODE = 'program_limit_exceeded', HINT = 'Aggregate fewer rows, or shorter texts: left(text, 200).';
  END IF;
  RETURN value;
END $$;
"""
PLANNED_COST = import_module("sprints.migrations.0007_planned_cost").PLANNED_COST


class Migration(migrations.Migration):
    dependencies = [("sprints", "0009_sprint_membership")]

    operations = [
        migrations.RunSQL(LIMIT_SIZE, "DROP FUNCTION sprintscope.limit_size(anyelement)"),
        migrations.RunSQL("DROP FUNCTION sprintscope.planned_cost(text)", PLANNED_COST),
    ]
