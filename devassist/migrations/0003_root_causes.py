"""Past root causes: entries, how often they were used, in how many each word is."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import pgvector.django.halfvec
import pgvector.django.indexes
import pgvector.django.sparsevec
from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [
        ("devassist", "0002_editor_state"),
    ]

    operations = [
        migrations.CreateModel(
            name="RootCause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "entry_name",
                    models.CharField(
                        help_text="What callers and files name it by.",
                        max_length=100,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$", "Letters, digits, hyphens, dots, colons."
                            )
                        ],
                        verbose_name="id",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("proposed", "Proposed"), ("validated", "Validated"), ("retired", "Retired")],
                        default="proposed",
                        help_text="Retired ones are not found.",
                        max_length=10,
                    ),
                ),
                ("language", models.CharField(help_text="Such as kotlin, typescript, python, gradle.", max_length=40)),
                ("error_type", models.CharField(help_text="Such as NullPointerException or TS2322.", max_length=200)),
                ("error_key", models.CharField(editable=False, max_length=200)),
                ("error_description", models.TextField(help_text="The message as it is met, and when it is met.")),
                ("root_cause", models.TextField(help_text="Why it happens.")),
                ("solution", models.TextField(help_text="What mends it.")),
                (
                    "fixed_in",
                    models.CharField(
                        blank=True, help_text="The file that was mended, where there is one.", max_length=500
                    ),
                ),
                (
                    "confidence",
                    models.FloatField(
                        default=0.8,
                        help_text="How sure it is that this is the cause, from 0 to 1. "
                        "Tools leave out what is below 0.7 unless told.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                (
                    "source",
                    models.CharField(blank=True, editable=False, help_text="Where it was loaded from.", max_length=200),
                ),
                ("created_at", models.DateTimeField(help_text="When the error was solved.")),
                ("changed_at", models.DateTimeField(editable=False)),
                ("stored_digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("text_hash", models.CharField(editable=False, max_length=64)),
                ("embedded_hash", models.CharField(blank=True, editable=False, max_length=64)),
                ("embedding_model", models.CharField(blank=True, editable=False, max_length=80)),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=384, editable=False, null=True)),
                (
                    "word_places",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), default=list, editable=False, size=None
                    ),
                ),
                (
                    "word_weights",
                    pgvector.django.sparsevec.SparseVectorField(dimensions=1000000000, editable=False, null=True),
                ),
            ],
            options={
                "verbose_name": "root cause",
                "verbose_name_plural": "root causes",
                "db_table": "devassist_root_causes",
            },
        ),
        migrations.CreateModel(
            name="RootCauseWord",
            fields=[
                ("place", models.IntegerField(primary_key=True, serialize=False)),
                ("entries", models.IntegerField()),
            ],
            options={
                "db_table": "devassist_root_cause_words",
            },
        ),
        migrations.CreateModel(
            name="RootCauseUse",
            fields=[
                (
                    "root_cause",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="use",
                        serialize=False,
                        to="devassist.rootcause",
                    ),
                ),
                ("times", models.PositiveBigIntegerField(default=0)),
                ("last_used_at", models.DateTimeField()),
            ],
            options={
                "db_table": "devassist_root_cause_uses",
            },
        ),
        migrations.AddIndex(
            model_name="rootcause",
            index=pgvector.django.indexes.HnswIndex(
                ef_construction=100,
                fields=["embedding"],
                m=16,
                name="devassist_root_causes_near",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="rootcause",
            index=django.contrib.postgres.indexes.GinIndex(fields=["word_places"], name="devassist_root_causes_words"),
        ),
        migrations.AddIndex(
            model_name="rootcause",
            index=models.Index(fields=["error_key", "language"], name="devassist_root_causes_kind"),
        ),
        migrations.AddIndex(
            model_name="rootcause",
            index=models.Index(fields=["language"], name="devassist_root_causes_lang"),
        ),
        migrations.AddConstraint(
            model_name="rootcause",
            constraint=models.CheckConstraint(
                condition=models.Q(("confidence__gte", 0), ("confidence__lte", 1)),
                name="devassist_root_causes_confidence",
            ),
        ),
        migrations.AddConstraint(
            model_name="rootcause",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("embedding__isnull", True), ("embedding_model", "")),
                    ("embedding__isnull", False),
                    _connector="OR",
                ),
                name="devassist_root_causes_embedded",
            ),
        ),
        GrantRead("devassist_root_causes", "devassist_root_cause_words"),
    ]
