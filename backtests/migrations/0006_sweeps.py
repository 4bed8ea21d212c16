"""Runs say which sweep they are of, with which parameters and labels, and what an engine's run was loaded from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("backtests", "0005_shapes"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="labels",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name="run",
            name="parameters",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="What the strategy was run with, by name.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="source_bytes",
            field=models.BigIntegerField(editable=False, help_text="Size of the engine's stream, unpacked.", null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="source_sha256",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="sweep",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="The experiment that it is one run of.", max_length=200
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("sweep", models.Value("")), _negated=True),
                fields=["sweep", "run_id"],
                name="backtests_runs_sweep",
            ),
        ),
    ]
