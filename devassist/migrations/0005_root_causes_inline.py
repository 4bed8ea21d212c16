"""What every search compares is kept in the row: out of line, each entry looked at would cost a look-up of its own."""

from django.db import migrations

_INLINE = """
ALTER TABLE devassist_root_causes
  ALTER COLUMN embedding SET STORAGE PLAIN,
  ALTER COLUMN word_weights SET STORAGE MAIN
"""
_AS_BEFORE = """
ALTER TABLE devassist_root_causes
  ALTER COLUMN embedding SET STORAGE EXTERNAL,
  ALTER COLUMN word_weights SET STORAGE EXTERNAL
"""


class Migration(migrations.Migration):
    dependencies = [
        ("devassist", "0004_documents"),
    ]

    operations = [migrations.RunSQL(_INLINE, reverse_sql=_AS_BEFORE)]
