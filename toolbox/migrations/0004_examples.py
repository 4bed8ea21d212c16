"""Curated examples: questions, and the calls that answer them."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0003_key_defaults")]

    operations = [
        migrations.CreateModel(
            name="Example",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("domain", models.CharField(max_length=60)),
                (
                    "name",
                    models.SlugField(
                        help_text="Names it in the domain; a shipped example is known by it.", max_length=80
                    ),
                ),
                (
                    "question",
                    models.CharField(help_text="As people ask: How did {team} do in {month}?", max_length=300),
                ),
                (
                    "phrasings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=300),
                        blank=True,
                        default=list,
                        help_text="The same in other words, one a line.",
                        size=None,
                    ),
                ),
                ("tool", models.CharField(max_length=64)),
                (
                    "arguments",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text='What the tool takes: {"teamCode": "{team}", "startDate": "{month.start}"}',
                    ),
                ),
                (
                    "answer",
                    models.TextField(
                        help_text=(
                            "The answer in words, a Django template over `answer` (what the tool said) and the slots."
                        )
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True)),
            ],
            options={
                "db_table": "toolbox_examples",
                "constraints": [models.UniqueConstraint(fields=("domain", "name"), name="toolbox_examples_once")],
            },
        ),
    ]
