"""Budgets of tokens and cost, prices with a date, and what each key takes a day."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add columns with defaults of the database, and three tables."""

    dependencies = [
        ("agents", "0004_help_text"),
        ("toolbox", "0021_periodic_tasks"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="max_cost",
            field=models.DecimalField(
                blank=True, decimal_places=8, help_text="Cost of one run. Empty: no limit.", max_digits=16, null=True
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="max_total_cost",
            field=models.DecimalField(
                blank=True,
                decimal_places=8,
                help_text="Cost of all its runs. Empty: no limit.",
                max_digits=16,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="max_total_tokens",
            field=models.PositiveBigIntegerField(
                blank=True, help_text="Tokens of all its runs together. Empty: no limit.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="completion_price",
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, editable=False, max_digits=16),
        ),
        migrations.AddField(
            model_name="run",
            name="estimated_tokens",
            field=models.PositiveBigIntegerField(
                db_default=0, default=0, help_text="Of these, counted by length: the server did not say."
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="prompt_price",
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, editable=False, max_digits=16),
        ),
        migrations.AddField(
            model_name="run",
            name="reserved_cost",
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, editable=False, max_digits=16),
        ),
        migrations.AddField(
            model_name="run",
            name="reserved_on",
            field=models.DateField(
                editable=False, help_text="The day whose budgets hold what its call of the model may take.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="reserved_tokens",
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="run",
            name="streamed_completion_tokens",
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="run",
            name="streamed_is_estimated",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="run",
            name="streamed_prompt_tokens",
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="step",
            name="is_estimated",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Its tokens were counted by length: the server did not say."
            ),
        ),
        migrations.CreateModel(
            name="DailyUsage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("key_id", models.BigIntegerField()),
                ("calls", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("prompt_tokens", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("completion_tokens", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("estimated_tokens", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("cost", models.DecimalField(db_default=0, decimal_places=8, default=0, max_digits=20)),
                (
                    "reserved_tokens",
                    models.PositiveBigIntegerField(
                        db_default=0, default=0, help_text="What calls that are under way may take."
                    ),
                ),
                ("reserved_cost", models.DecimalField(db_default=0, decimal_places=8, default=0, max_digits=20)),
            ],
            options={
                "verbose_name_plural": "daily usage",
                "db_table": "agents_daily_usage",
                "constraints": [models.UniqueConstraint(fields=("day", "key_id"), name="agents_daily_usage_once")],
            },
        ),
        migrations.CreateModel(
            name="ModelPrice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "model",
                    models.CharField(
                        blank=True, help_text="As AGENT_MODEL names it. Empty: every other model.", max_length=200
                    ),
                ),
                ("valid_from", models.DateField(help_text="The first day (UTC) of this price.")),
                (
                    "prompt_price",
                    models.DecimalField(decimal_places=8, help_text="For a million tokens read.", max_digits=16),
                ),
                (
                    "completion_price",
                    models.DecimalField(decimal_places=8, help_text="For a million tokens written.", max_digits=16),
                ),
            ],
            options={
                "db_table": "agents_model_prices",
                "constraints": [
                    models.UniqueConstraint(fields=("model", "valid_from"), name="agents_model_prices_once"),
                    models.CheckConstraint(
                        condition=models.Q(("completion_price__gte", 0), ("prompt_price__gte", 0)),
                        name="agents_model_prices_sign",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "period",
                    models.CharField(
                        choices=[("day", "Each day (UTC)"), ("total", "Altogether")], default="day", max_length=10
                    ),
                ),
                (
                    "max_tokens",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="Tokens in and out. Empty: no limit.", null=True
                    ),
                ),
                (
                    "max_cost",
                    models.DecimalField(
                        blank=True,
                        decimal_places=8,
                        help_text="By the model prices. Empty: no limit.",
                        max_digits=16,
                        null=True,
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: the whole server.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="toolbox.apikey",
                    ),
                ),
            ],
            options={
                "db_table": "agents_budgets",
                "constraints": [
                    models.UniqueConstraint(fields=("key", "period"), name="agents_budgets_once", nulls_distinct=False),
                    models.CheckConstraint(
                        condition=models.Q(("period__in", ["day", "total"])), name="agents_budgets_period"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("max_tokens__isnull", False), ("max_cost__isnull", False), _connector="OR"),
                            models.Q(("max_cost__isnull", True), ("max_cost__gte", 0), _connector="OR"),
                        ),
                        name="agents_budgets_limit",
                        violation_error_message="Give a limit of tokens or of cost.",
                    ),
                ],
            },
        ),
    ]
