"""What an upstream allows callers, how often its schema is fetched, what was wrong with it, what it refused."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("graphql_proxy", "0006_own_upstream_key"),
    ]

    operations = [
        migrations.AddField(
            model_name="schemasnapshot",
            name="warnings",
            field=models.JSONField(
                blank=True, default=list, help_text="What was wrong with it: a list of {path, line, column, message}."
            ),
        ),
        migrations.AddField(
            model_name="upstream",
            name="caller_header",
            field=models.CharField(
                blank=True,
                help_text="The header of this upstream in which a caller's own credential is sent, as Authorization. "
                "Empty: callers' credentials are not passed on.",
                max_length=100,
                validators=[django.core.validators.RegexValidator("^[A-Za-z0-9-]+$", "Letters, digits and hyphens.")],
            ),
        ),
        migrations.AddField(
            model_name="upstream",
            name="max_answer_tokens",
            field=models.PositiveIntegerField(
                default=0,
                help_text="Answers larger than this are cut at a list, in tokens of four bytes; 0: never.",
                validators=[django.core.validators.MaxValueValidator(1000000)],
            ),
        ),
        migrations.AddField(
            model_name="upstream",
            name="needs_caller_credential",
            field=models.BooleanField(
                default=False, help_text="Requests without a credential of the caller's own are refused."
            ),
        ),
        migrations.AddField(
            model_name="upstream",
            name="refresh_hours",
            field=models.PositiveIntegerField(
                default=0,
                help_text="How often its schema is fetched again, in hours; 0: never.",
                validators=[django.core.validators.MaxValueValidator(8760)],
            ),
        ),
        migrations.AddField(
            model_name="upstream",
            name="size_names",
            field=models.CharField(
                blank=True,
                help_text="More names of arguments and input fields that say how many rows to return, separated by "
                "spaces; first, last, limit, count, size, take, top, n, pageSize, perPage and max… are known.",
                max_length=500,
                validators=[django.core.validators.RegexValidator("^[_A-Za-z0-9 ]*$", "Names separated by spaces.")],
            ),
        ),
        migrations.CreateModel(
            name="SchemaRefresh",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tried_at", models.DateTimeField()),
                ("problem", models.CharField(blank=True, max_length=500)),
                (
                    "upstream",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="refresh", to="graphql_proxy.upstream"
                    ),
                ),
            ],
            options={
                "db_table": "graphql_proxy_schema_refreshes",
            },
        ),
        migrations.CreateModel(
            name="UpstreamRefusal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("refused_at", models.DateTimeField()),
                ("message", models.TextField(help_text="The upstream's own words.")),
                (
                    "rule",
                    models.CharField(
                        blank=True, help_text="Which rule of the schema was broken, if any.", max_length=100
                    ),
                ),
                (
                    "coordinate",
                    models.CharField(
                        blank=True, help_text="Where in the schema, as Repository.issues.", max_length=300
                    ),
                ),
                ("hint", models.TextField(blank=True, help_text="The first hint that the caller was given.")),
                (
                    "offered",
                    models.TextField(
                        blank=True, help_text="The corrected document that was offered; empty where none was."
                    ),
                ),
                ("request_id", models.CharField(blank=True, help_text="The call in the audit log.", max_length=200)),
                (
                    "upstream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refusals",
                        to="graphql_proxy.upstream",
                    ),
                ),
            ],
            options={
                "db_table": "graphql_proxy_refusals",
                "indexes": [models.Index(fields=["upstream", "-id"], name="graphql_proxy_refusals_newest")],
            },
        ),
    ]
