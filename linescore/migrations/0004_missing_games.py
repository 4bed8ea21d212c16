"""Games that a source has and that were refused: their seasons are incomplete, and answers say so."""

import django.db.models.functions.datetime
from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [
        ("linescore", "0003_announce_documents"),
    ]

    operations = [
        migrations.CreateModel(
            name="MissingGame",
            fields=[
                ("game_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("season", models.CharField(max_length=9)),
                ("game_date", models.DateField(blank=True, null=True)),
                ("home_team_code", models.CharField(blank=True, max_length=3)),
                ("away_team_code", models.CharField(blank=True, max_length=3)),
                ("reason", models.CharField(max_length=200)),
                ("refused_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "linescore_missing_games",
                "indexes": [models.Index(fields=["season", "game_date"], name="linescore_missing_season")],
            },
        ),
        GrantRead("linescore_missing_games"),
    ]
