"""Curated prompts, and that their changes are announced."""

import django.core.validators
from django.db import migrations, models

from toolbox.database.migration_operations import NotifyToolChanges


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0009_next_calls")]

    operations = [
        migrations.CreateModel(
            name="CuratedPrompt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("domain", models.CharField(max_length=60)),
                (
                    "name",
                    models.CharField(
                        help_text="Names it to clients, over all domains; a shipped prompt is known by it.",
                        max_length=60,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]{2,59}$", "Lower-case letters, digits and underscores, 3 to 60 of them."
                            )
                        ],
                    ),
                ),
                ("title", models.CharField(help_text="As people read it in a menu.", max_length=100)),
                (
                    "description",
                    models.CharField(help_text="What it is good for, in a sentence.", max_length=300),
                ),
                (
                    "text",
                    models.TextField(
                        help_text=(
                            "What is said to the model. {team} stands for an argument; [[ in {month}]] goes where it "
                            "is not given."
                        ),
                        max_length=20000,
                    ),
                ),
                (
                    "arguments",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text=(
                            '[{"name": "team", "description": "The team\'s code.", "required": true, '
                            '"completes": "team"}]'
                        ),
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True)),
            ],
            options={"db_table": "toolbox_prompts", "verbose_name": "prompt"},
        ),
        NotifyToolChanges("toolbox_prompts", "prompts"),
    ]
