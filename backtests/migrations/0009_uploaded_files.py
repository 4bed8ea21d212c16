"""Files that wait to be loaded by ingest_backtest."""

from uuid import uuid4

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("backtests", "0008_performance")]

    operations = [
        migrations.CreateModel(
            name="UploadedFile",
            fields=[
                ("file_id", models.UUIDField(default=uuid4, primary_key=True, serialize=False)),
                (
                    "owner_id",
                    models.BigIntegerField(help_text="The user who sent it; none: the local operator.", null=True),
                ),
                ("name", models.CharField(max_length=200)),
                ("content", models.BinaryField()),
                ("size_bytes", models.BigIntegerField()),
                ("uploaded_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "db_table": "backtests_uploaded_files",
                "indexes": [models.Index(fields=["owner_id", "uploaded_at"], name="backtests_uploaded_owner")],
            },
        ),
    ]
