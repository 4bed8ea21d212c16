"""Examples that take several calls."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0008_tasks")]

    operations = [
        migrations.AddField(
            model_name="example",
            name="next_calls",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text='Calls that follow: [{"tool": "…", "arguments": {"line": "{{ answers.0.line }}"}}].',
            ),
        ),
        migrations.AlterField(
            model_name="example",
            name="answer",
            field=models.TextField(
                help_text=("The answer in words, a Django template over `answer` (said last), `answers` and the slots.")
            ),
        ),
    ]
