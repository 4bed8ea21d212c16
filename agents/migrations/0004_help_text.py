"""The help text of a conversation's time limit, reworded; the table does not change."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Record the new text; runs no SQL."""

    dependencies = [("agents", "0003_sharing")]
    operations = [
        migrations.AlterField(
            model_name="conversation",
            name="max_seconds",
            field=models.PositiveIntegerField(
                default=300, help_text="Seconds that one run may take, without the wait for approval."
            ),
        ),
    ]
