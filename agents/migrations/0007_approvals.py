"""Approvals: of which call, by whom, with which scopes, and whether they were used."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add columns with defaults of the database."""

    dependencies = [
        ("agents", "0006_settle_reservations"),
    ]

    operations = [
        migrations.AddField(
            model_name="step",
            name="approval_digest",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="SHA-256 of the tool and arguments approved.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="step",
            name="approval_used_at",
            field=models.DateTimeField(help_text="When the approved call was begun; once only.", null=True),
        ),
        migrations.AddField(
            model_name="step",
            name="approved_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="step",
            name="approved_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(
            model_name="step",
            name="approved_key_id",
            field=models.BigIntegerField(help_text="The key of who approved; empty: a person.", null=True),
        ),
        migrations.AddField(
            model_name="step",
            name="approved_scopes",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="What who approved might do at that moment."
            ),
        ),
    ]
