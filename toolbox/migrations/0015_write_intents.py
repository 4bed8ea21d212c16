"""A call that writes is recorded before it begins; what is not recorded after has an unknown outcome."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
DROP TRIGGER toolbox_tool_calls_ended ON toolbox_tool_calls;
DROP FUNCTION toolbox_count_ended_calls();
"""


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0014_transport")]

    operations = [
        migrations.AddField(
            model_name="toolcall",
            name="idempotency_key",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=64,
                help_text="Of a call that writes: the same for every attempt at it.",
            ),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="heartbeat_at",
            field=models.DateTimeField(
                null=True, help_text="Of a call that writes: when its process was last known to be at it."
            ),
        ),
        migrations.AlterField(
            model_name="toolcall",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("answered", "Answered"), ("refused", "Refused"), ("failed", "Failed"),
                    ("cancelled", "Cancelled"), ("continued", "Continued"), ("unknown", "Outcome unknown"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunSQL(SQL, UNDO),
    ]  # fmt: skip
