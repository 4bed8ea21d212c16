"""The schema that agents see, and the reader role's right to it."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()


def grant(_apps: Any, editor: Any) -> None:
    """Let tools read the views: linking names, and answering without the analyst's guard, need them."""
    reader = editor.quote_name(settings.TOOLROOM_READER_ROLE)
    editor.execute(f"GRANT USAGE ON SCHEMA sprintscope TO {reader}")
    editor.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA sprintscope TO {reader}")


class Migration(migrations.Migration):
    dependencies = [("sprints", "0002_derive")]

    operations = [
        migrations.RunSQL(SQL, "DROP SCHEMA sprintscope CASCADE"),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
