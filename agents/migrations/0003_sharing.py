"""Conversations that a team may read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the flag; the database fills it in, because conversations are made by SQL."""

    dependencies = [("agents", "0002_course")]
    operations = [
        migrations.AddField(
            model_name="conversation",
            name="is_shared",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Everybody who is logged in and has its address may read it.",
            ),
        ),
    ]
