"""Questions whose SQL is verified; tools read them."""

import django.contrib.postgres.fields
from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [("sprints", "0004_analyst")]

    operations = [
        migrations.CreateModel(
            name="VerifiedQuery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=80, unique=True)),
                (
                    "topic",
                    models.CharField(help_text="As velocity, carry-over: suggestions stay within it.", max_length=40),
                ),
                (
                    "question",
                    models.TextField(help_text="How people ask it, with slots: What is the velocity of {team}?"),
                ),
                (
                    "phrasings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        blank=True,
                        default=list,
                        help_text="Other ways to ask the same.",
                        size=None,
                    ),
                ),
                (
                    "sql",
                    models.TextField(
                        help_text="One SELECT over the views, with slots; [[AND team_id IN {team}]] is optional."
                    ),
                ),
                (
                    "slots",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text='What a slot is where the question is silent: {"sprint": "current sprint"}.',
                    ),
                ),
                (
                    "assumptions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        blank=True,
                        default=list,
                        help_text="Sentences said with the answer.",
                        size=None,
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("shipped", "Shipped"),
                            ("curated", "Written here"),
                            ("promoted", "Promoted from an answer"),
                        ],
                        default="curated",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("shipped_digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={"verbose_name_plural": "verified queries", "db_table": "sprints_verified_queries"},
        ),
        GrantRead("sprints_verified_queries"),
    ]
