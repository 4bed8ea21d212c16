"""What people's editors and terminals show now."""

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
                ("part", models.CharField(choices=[("editor", "Editor"), ("terminal", "Terminal")], max_length=10)),
                ("content", models.JSONField(help_text="In the contract's words, secrets masked.")),
                ("pushed_at", models.DateTimeField()),
                (
                    "kept_until",
                    models.DateTimeField(
                        blank=True,
                        db_index=True,
                        help_text="Empty: an example that ships; kept until its owner pushes.",
                        null=True,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "devassist_editor_states",
                "constraints": [models.UniqueConstraint(fields=("owner", "part"), name="devassist_editor_states_once")],
            },
        ),
    ]
