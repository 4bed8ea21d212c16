"""Vectors of root causes by a model behind an embeddings endpoint."""

import django.db.models.deletion
import pgvector.django.halfvec
from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [
        ("devassist", "0009_plain_help_texts"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("name", models.CharField(max_length=200, primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("embedding", "Embedding"), ("serving", "Serving")], default="embedding", max_length=10
                    ),
                ),
                ("dimensions", models.PositiveIntegerField(default=0)),
                (
                    "done",
                    models.PositiveIntegerField(default=0, help_text="Root causes whose present text is embedded."),
                ),
                ("total", models.PositiveIntegerField(default=0)),
                (
                    "scale",
                    models.FloatField(
                        default=1.0, help_text="Turns its cosines into the built-in model's, with shift."
                    ),
                ),
                ("shift", models.FloatField(default=0.0)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "db_table": "devassist_embedding_models",
            },
        ),
        migrations.CreateModel(
            name="RootCauseVector",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=200)),
                ("text_hash", models.CharField(max_length=64)),
                ("embedding", pgvector.django.halfvec.HalfVectorField()),
                (
                    "root_cause",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.rootcause"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_root_cause_vectors",
                "constraints": [
                    models.UniqueConstraint(fields=("root_cause", "model"), name="devassist_root_cause_vectors_once")
                ],
            },
        ),
        GrantRead("devassist_embedding_models", "devassist_root_cause_vectors"),
    ]
