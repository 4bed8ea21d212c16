"""Documentation that was ingested, and what public sources answered; the reader role may see both."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

import devassist.models.documents
from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [("devassist", "0003_root_causes")]

    operations = [
        migrations.CreateModel(
            name="WebSource",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=20, unique=True)),
                (
                    "paused_until",
                    models.DateTimeField(blank=True, help_text="Empty it to ask again at once.", null=True),
                ),
                (
                    "is_limited",
                    models.BooleanField(
                        default=False, help_text="Paused because it asked for it, not because it is down."
                    ),
                ),
                (
                    "state",
                    models.CharField(blank=True, help_text="What it said last, if that was no answer.", max_length=200),
                ),
                ("quota_remaining", models.PositiveIntegerField(blank=True, help_text="As it told last.", null=True)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "devassist_web_sources",
            },
        ),
        migrations.CreateModel(
            name="WebAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.CharField(max_length=20)),
                ("digest", models.CharField(help_text="SHA-256 of the words, in lower case.", max_length=64)),
                ("words", models.CharField(max_length=300)),
                ("hits", models.JSONField(help_text="Title, address and text of each result, in the source's order.")),
                ("fetched_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "db_table": "devassist_web_answers",
                "constraints": [
                    models.UniqueConstraint(fields=("source", "digest"), name="devassist_web_answers_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DocPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("collection", models.CharField(help_text="What was ingested together.", max_length=60)),
                ("path", models.CharField(help_text="The file, from the folder that was ingested.", max_length=500)),
                ("title", models.CharField(max_length=300)),
                ("url", models.CharField(help_text="Where a person reads it.", max_length=1000)),
                ("digest", models.CharField(help_text="SHA-256 of the file and of its address.", max_length=64)),
                ("ingested_at", models.DateTimeField()),
            ],
            options={
                "db_table": "devassist_doc_pages",
                "constraints": [
                    models.UniqueConstraint(fields=("collection", "path"), name="devassist_doc_pages_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DocSection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("title", models.CharField(help_text="The page's title and the heading.", max_length=300)),
                ("anchor", models.CharField(blank=True, max_length=200)),
                ("text", models.TextField()),
                (
                    "words",
                    models.GeneratedField(
                        db_persist=True,
                        expression=devassist.models.documents.SearchedWords(),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
                (
                    "page",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sections", to="devassist.docpage"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_doc_sections",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fields=["words"], name="devassist_doc_sections_words")
                ],
                "constraints": [models.UniqueConstraint(fields=("page", "number"), name="devassist_doc_sections_once")],
            },
        ),
        GrantRead("devassist_web_sources", "devassist_web_answers", "devassist_doc_pages", "devassist_doc_sections"),
    ]
