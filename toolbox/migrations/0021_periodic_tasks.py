"""When each periodic task was enqueued last: workers share it, and no scheduler runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0020_one_lease")]

    operations = [
        migrations.CreateModel(
            name="PeriodicTask",
            fields=[
                ("name", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("period_seconds", models.PositiveIntegerField()),
                ("enqueued_at", models.DateTimeField()),
            ],
            options={"db_table": "toolbox_periodic_tasks"},
        ),
    ]
