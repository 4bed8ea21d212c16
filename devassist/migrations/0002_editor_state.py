"""What people's editors show now."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devassist", "0001_workspaces"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="EditorState",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("workspace", models.CharField(blank=True, max_length=60)),
                ("active_file", models.CharField(blank=True, max_length=1000)),
                ("cursor_line", models.PositiveIntegerField(default=1)),
                ("cursor_character", models.PositiveIntegerField(default=1)),
                ("selected_text", models.TextField(blank=True)),
                ("diagnostics", models.JSONField(default=list)),
                (
                    "editor_until",
                    models.DateTimeField(blank=True, help_text="When the editor's part is over.", null=True),
                ),
                ("terminal_output", models.TextField(blank=True)),
                (
                    "terminal_until",
                    models.DateTimeField(blank=True, help_text="When the terminal's part is over.", null=True),
                ),
                ("pushed_at", models.DateTimeField()),
                (
                    "is_sample",
                    models.BooleanField(default=False, help_text="Shipped, and kept until an editor pushes its own."),
                ),
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "devassist_editor_states",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_sample", True),
                            ("editor_until__isnull", False),
                            ("terminal_until__isnull", False),
                            _connector="OR",
                        ),
                        name="devassist_editor_states_end",
                    )
                ],
            },
        ),
    ]
