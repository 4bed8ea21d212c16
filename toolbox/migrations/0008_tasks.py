"""Calls that workers carry on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0007_mcp_sessions"),
    ]

    operations = [
        migrations.CreateModel(
            name="Task",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("caller", models.CharField(help_text="The key's name, or `local`.", max_length=100)),
                ("key_id", models.BigIntegerField(help_text="The API key that the worker calls with.", null=True)),
                ("domain", models.CharField(max_length=60)),
                ("tool", models.CharField(max_length=200)),
                ("arguments", models.TextField(help_text="As sent.")),
                ("face", models.CharField(max_length=20)),
                ("request_id", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("working", "Working"),
                            ("input_required", "Input Required"),
                            ("completed", "Completed"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        max_length=20,
                    ),
                ),
                ("capabilities", models.JSONField(default=dict, help_text="What its client declared.")),
                ("inquiries", models.JSONField(default=dict, help_text="What it waits to be told.")),
                ("answers", models.JSONField(default=dict, help_text="What it was told.")),
                ("outcome", models.TextField(blank=True, default="", help_text="The tool's result, or the error.")),
                ("created_at", models.DateTimeField(db_index=True)),
                ("changed_at", models.DateTimeField()),
                ("beat_at", models.DateTimeField(help_text="When its worker last said that it lives.", null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0, help_text="How often a worker took it up.")),
                ("keep_seconds", models.PositiveIntegerField()),
            ],
            options={
                "db_table": "toolbox_tasks",
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "working")), fields=["beat_at"], name="toolbox_tasks_working"
                    )
                ],
            },
        ),
    ]
