"""What pages and statistics are asked through."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
DROP FUNCTION backtests_page(uuid, text[], bigint, bigint, bigint, integer);
DROP FUNCTION backtests_statistics(uuid, text, bigint, bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("backtests", "0002_store")]

    operations = [migrations.RunSQL(SQL, UNDO)]
