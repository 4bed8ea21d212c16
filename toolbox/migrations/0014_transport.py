"""The way a call came in is called its transport."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0013_task_progress")]

    operations = [
        migrations.RenameField(model_name="toolcall", old_name="face", new_name="transport"),
        migrations.RenameField(model_name="task", old_name="face", new_name="transport"),
    ]
