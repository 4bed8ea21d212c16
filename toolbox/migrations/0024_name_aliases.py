"""Aliases of names that questions use."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0023_calls_by_month")]

    operations = [
        migrations.CreateModel(
            name="NameAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("domain", models.CharField(max_length=60)),
                (
                    "phrase",
                    models.CharField(help_text="What people say, in one to five words: the whale.", max_length=80),
                ),
                (
                    "name",
                    models.CharField(help_text="What it stands for, as the data names it: Carolina.", max_length=200),
                ),
            ],
            options={
                "verbose_name": "alias",
                "verbose_name_plural": "aliases",
                "db_table": "toolbox_name_aliases",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("domain", "phrase"),
                        name="toolbox_name_aliases_once",
                        violation_error_message="That phrase stands for something in this domain already.",
                    )
                ],
            },
        ),
    ]
