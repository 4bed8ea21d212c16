"""Runs of agents are called so, beside the runs of backtests."""

from django.db import migrations


class Migration(migrations.Migration):
    """Options of the model alone."""

    dependencies = [
        ("agents", "0007_approvals"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="run",
            options={"verbose_name": "agent run"},
        ),
    ]
