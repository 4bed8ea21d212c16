"""Defaults in the database for the columns of 0007, so that processes of the version before can still add rows."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("graphql_proxy", "0008_announce_schema_resources"),
    ]

    operations = [
        migrations.AlterField(
            model_name="schemasnapshot",
            name="warnings",
            field=models.JSONField(
                blank=True,
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text="What was wrong with it: a list of {path, line, column, message}.",
            ),
        ),
        migrations.AlterField(
            model_name="upstream",
            name="caller_header",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The header of this upstream in which a caller's own credential is sent, as Authorization. "
                "Empty: callers' credentials are not passed on.",
                max_length=100,
                validators=[django.core.validators.RegexValidator("^[A-Za-z0-9-]+$", "Letters, digits and hyphens.")],
            ),
        ),
        migrations.AlterField(
            model_name="upstream",
            name="max_answer_tokens",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="Answers larger than this are cut at a list, in tokens of four bytes; 0: never.",
                validators=[django.core.validators.MaxValueValidator(1000000)],
            ),
        ),
        migrations.AlterField(
            model_name="upstream",
            name="needs_caller_credential",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Requests without a credential of the caller's own are refused.",
            ),
        ),
        migrations.AlterField(
            model_name="upstream",
            name="refresh_hours",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often its schema is fetched again, in hours; 0: never.",
                validators=[django.core.validators.MaxValueValidator(8760)],
            ),
        ),
        migrations.AlterField(
            model_name="upstream",
            name="size_names",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="More names of arguments and input fields that say how many rows to return, separated by "
                "spaces; first, last, limit, count, size, take, top, n, pageSize, perPage and max… are known.",
                max_length=500,
                validators=[django.core.validators.RegexValidator("^[_A-Za-z0-9 ]*$", "Names separated by spaces.")],
            ),
        ),
    ]
