"""What ends a reservation of tokens: kept by the database, however a run ends (0006_settle_reservations.sql)."""

from pathlib import Path

from django.db import migrations

FORWARDS = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
BACKWARDS = """
DROP TRIGGER agents_settle_deleted ON agents_runs;
DROP TRIGGER agents_settle ON agents_runs;
DROP FUNCTION agents_settle();
"""


class Migration(migrations.Migration):
    """Make the triggers."""

    dependencies = [("agents", "0005_budgets")]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
