"""Rows for what sessions of the 2025 MCP change; calls that go on in another way."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0006_jobs"),
    ]

    operations = [
        migrations.CreateModel(
            name="McpSession",
            fields=[
                (
                    "id",
                    models.CharField(
                        help_text="The hash of the session's id.", max_length=64, primary_key=True, serialize=False
                    ),
                ),
                ("log_level", models.CharField(max_length=10)),
                (
                    "watched",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        help_text="Documents whose changes it wants to hear of.",
                        size=None,
                    ),
                ),
                ("changed_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "db_table": "toolbox_mcp_sessions",
            },
        ),
        migrations.AlterField(
            model_name="toolcall",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("answered", "Answered"),
                    ("refused", "Refused"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                    ("continued", "Continued"),
                ],
                max_length=20,
            ),
        ),
    ]
