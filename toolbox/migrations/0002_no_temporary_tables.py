"""Let nobody but the owner make temporary tables: the reader reads, and PUBLIC would let it do that too."""

from django.db import migrations

CHANGE = """
DO $$ BEGIN
  EXECUTE format('{verb} TEMPORARY ON DATABASE %I {preposition} PUBLIC', current_database());
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0001_initial")]

    operations = [
        migrations.RunSQL(
            CHANGE.format(verb="REVOKE", preposition="FROM"), CHANGE.format(verb="GRANT", preposition="TO")
        ),
    ]
