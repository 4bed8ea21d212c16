"""What each process of each host says of itself (config/topology/presence.py)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0021_periodic_tasks")]

    operations = [
        migrations.CreateModel(
            name="ServerProcess",
            fields=[
                ("id", models.CharField(max_length=150, primary_key=True, serialize=False)),
                ("host", models.CharField(max_length=100)),
                ("process_id", models.PositiveIntegerField()),
                ("role", models.CharField(max_length=20)),
                ("version", models.CharField(max_length=40)),
                ("secret_fingerprint", models.CharField(help_text="HMAC by its SECRET_KEY.", max_length=16)),
                ("broker", models.CharField(max_length=200)),
                ("broker_answers", models.BooleanField(null=True)),
                ("notifications_arrive", models.BooleanField(null=True)),
                ("clock_offset_seconds", models.FloatField(help_text="Of its clock to the database's.")),
                ("disk_free_bytes", models.BigIntegerField()),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={"db_table": "toolbox_server_processes", "verbose_name_plural": "server processes"},
        ),
    ]
