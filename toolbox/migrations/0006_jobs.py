"""Jobs that people start and workers do."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0005_count_calls"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=60)),
                ("arguments", models.JSONField(default=dict)),
                ("file", models.BinaryField(help_text="What came with it, until it has ended.", null=True)),
                ("file_name", models.CharField(blank=True, max_length=255)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=20,
                    ),
                ),
                (
                    "attempt",
                    models.PositiveIntegerField(default=0, help_text="How often a worker took it up; the fence."),
                ),
                ("is_unwanted", models.BooleanField(default=False, help_text="Somebody has cancelled it.")),
                ("worker", models.CharField(blank=True, max_length=200)),
                ("step", models.CharField(blank=True, max_length=200)),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("expected", models.PositiveBigIntegerField(default=0)),
                ("summary", models.TextField(blank=True)),
                ("details", models.TextField(blank=True, help_text="What did not go in, and why.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("enqueued_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "toolbox_jobs",
                "indexes": [
                    models.Index(fields=["-created_at"], name="toolbox_jobs_recent"),
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=["state"],
                        name="toolbox_jobs_live",
                    ),
                ],
            },
        ),
    ]
