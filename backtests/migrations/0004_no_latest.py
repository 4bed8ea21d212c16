"""Drop a function that nothing calls any more: statements look for a list's last event themselves."""

from django.db import migrations

SQL = "DROP FUNCTION backtests_latest(uuid, text, bigint)"
UNDO = """
CREATE FUNCTION backtests_latest(of_run uuid, of_list text, at_moment bigint) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    (SELECT c.events[width_bucket(at_moment, c.moments)]
     FROM backtests_lists AS c
     WHERE c.run_id = of_run AND c.list = of_list AND c.chunk > 0 AND c.first_moment <= at_moment
     ORDER BY c.first_moment DESC, c.chunk DESC LIMIT 1),
    (SELECT c.events[width_bucket(at_moment, c.moments)]
     FROM backtests_lists AS c
     WHERE c.run_id = of_run AND c.list = of_list AND c.chunk = 0 AND c.first_moment <= at_moment))
$$
"""


class Migration(migrations.Migration):
    dependencies = [("backtests", "0003_questions")]

    operations = [migrations.RunSQL(SQL, UNDO)]
