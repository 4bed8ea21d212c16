"""Count calls by hour, day and duration, in the database, as they are recorded."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
DROP TRIGGER toolbox_tool_calls_counted ON toolbox_tool_calls;
DROP FUNCTION toolbox_count_calls();
DROP FUNCTION toolbox_bucket(double precision);
"""


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0004_examples")]

    operations = [
        migrations.CreateModel(
            name="CallCount",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "grain", "began_at", "domain", "tool", "outcome", "code", "bucket",
                        blank=True, editable=False, primary_key=True, serialize=False,
                    ),
                ),
                ("grain", models.CharField(max_length=4)),
                ("began_at", models.DateTimeField()),
                ("domain", models.CharField(max_length=60)),
                ("tool", models.CharField(max_length=200)),
                ("outcome", models.CharField(max_length=20)),
                ("code", models.CharField(max_length=60)),
                (
                    "bucket",
                    models.PositiveSmallIntegerField(
                        help_text="Which of toolbox.audit.traffic.BOUNDS the calls took at least."
                    ),
                ),
                ("calls", models.PositiveBigIntegerField()),
                ("milliseconds", models.FloatField(help_text="All of them together.")),
            ],
            options={"db_table": "toolbox_call_counts"},
        ),
        migrations.AddField(
            model_name="toolcall",
            name="is_known",
            field=models.BooleanField(
                db_default=True, default=True,
                help_text="There is such a tool or address; otherwise the name is the caller's.",
            ),
        ),
        migrations.RunSQL(SQL, UNDO),
    ]  # fmt: skip
