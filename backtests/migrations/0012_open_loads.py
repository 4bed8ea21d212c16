"""Runs name the loads that have not stored their whole log. Of runs that are stored already none is known."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("backtests", "0011_deletion")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="open_loads",
            field=models.JSONField(
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                editable=False,
                help_text="Loads that have not stored their whole log: when each stored its last batch, whether it is "
                "over.",
            ),
        ),
    ]
