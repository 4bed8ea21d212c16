"""The code graph of each workspace; the reader role may read it."""

import django.db.models.deletion
from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [
        ("devassist", "0007_mask_proposals"),
    ]

    operations = [
        migrations.CreateModel(
            name="GraphBuild",
            fields=[
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="devassist.workspace",
                    ),
                ),
                ("root", models.CharField(help_text="The folder that was read.", max_length=4096)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("reading", "Reading"),
                            ("linking", "Linking"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("files_done", models.PositiveIntegerField(default=0)),
                ("files_total", models.PositiveIntegerField(default=0)),
                (
                    "content_hash",
                    models.CharField(blank=True, help_text="SHA-256 of all paths and file hashes.", max_length=64),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        default=0, help_text="Of the analysis; another one reads all files again."
                    ),
                ),
                ("is_cut", models.BooleanField(default=False, help_text="The workspace has more files than are read.")),
                ("note", models.CharField(blank=True, help_text="Why it failed.", max_length=500)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "db_table": "devassist_graph_builds",
            },
        ),
        migrations.CreateModel(
            name="GraphFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("path", models.CharField(help_text="From the workspace's root.", max_length=4096)),
                ("language", models.CharField(max_length=20)),
                ("content_hash", models.CharField(max_length=64)),
                ("modified_ns", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("is_test", models.BooleanField()),
                ("problem", models.CharField(blank=True, help_text="Why not all of it could be read.", max_length=200)),
                ("facts", models.BinaryField(help_text="What the linker needs, as MessagePack.")),
                ("calls_hash", models.CharField(blank=True, help_text="Of its rows of calls.", max_length=64)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.workspace"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_graph_files",
            },
        ),
        migrations.CreateModel(
            name="GraphImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line", models.PositiveIntegerField()),
                ("module", models.CharField(max_length=1000)),
                ("name", models.CharField(max_length=300)),
                ("local_name", models.CharField(max_length=300)),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.graphfile"
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devassist.graphfile",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.workspace"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_graph_imports",
            },
        ),
        migrations.CreateModel(
            name="GraphSymbol",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(help_text="Tells symbols of one qualified name in one file apart."),
                ),
                ("name", models.CharField(max_length=300)),
                ("qualified_name", models.CharField(max_length=1000)),
                ("kind", models.CharField(max_length=20)),
                ("line", models.PositiveIntegerField(help_text="Where its name stands, from 1.")),
                ("character", models.PositiveIntegerField(help_text="As language servers count, from 0.")),
                ("start_line", models.PositiveIntegerField()),
                ("end_line", models.PositiveIntegerField()),
                ("signature", models.CharField(max_length=400)),
                (
                    "handed_to",
                    models.CharField(
                        blank=True,
                        help_text="Where it is handed, as a value, to code that is not followed.",
                        max_length=4200,
                    ),
                ),
                (
                    "container",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devassist.graphsymbol",
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.graphfile"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.workspace"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_graph_symbols",
            },
        ),
        migrations.CreateModel(
            name="GraphCall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "callee_name",
                    models.CharField(
                        help_text="Empty where the call names nothing, as handlers[key]().", max_length=300
                    ),
                ),
                ("receiver", models.CharField(help_text="What stands before the name.", max_length=300)),
                ("line", models.PositiveIntegerField()),
                ("character", models.PositiveIntegerField()),
                ("found_by", models.CharField(max_length=10)),
                ("confidence", models.FloatField()),
                ("is_open", models.BooleanField(help_text="It may reach more than what was found.")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.workspace"
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.graphfile"
                    ),
                ),
                (
                    "caller",
                    models.ForeignKey(
                        help_text="Empty for a file's top level.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devassist.graphsymbol",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devassist.graphsymbol",
                    ),
                ),
            ],
            options={
                "db_table": "devassist_graph_calls",
            },
        ),
        migrations.CreateModel(
            name="GraphBase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("base_name", models.CharField(max_length=300)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.workspace"
                    ),
                ),
                (
                    "base",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devassist.graphsymbol",
                    ),
                ),
                (
                    "symbol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devassist.graphsymbol"
                    ),
                ),
            ],
            options={
                "db_table": "devassist_graph_bases",
            },
        ),
        migrations.AddConstraint(
            model_name="graphfile",
            constraint=models.UniqueConstraint(fields=("workspace", "path"), name="devassist_graph_files_once"),
        ),
        migrations.AddIndex(
            model_name="graphsymbol",
            index=models.Index(fields=["workspace", "name"], name="devassist_graph_symbols_name"),
        ),
        migrations.AddConstraint(
            model_name="graphsymbol",
            constraint=models.UniqueConstraint(
                fields=("file", "qualified_name", "number"), name="devassist_graph_symbols_once"
            ),
        ),
        migrations.AddIndex(
            model_name="graphcall",
            index=models.Index(
                condition=models.Q(("is_open", True)),
                fields=["workspace", "callee_name"],
                name="devassist_graph_calls_open",
            ),
        ),
        GrantRead(
            "devassist_graph_builds",
            "devassist_graph_files",
            "devassist_graph_symbols",
            "devassist_graph_bases",
            "devassist_graph_imports",
            "devassist_graph_calls",
        ),
    ]
