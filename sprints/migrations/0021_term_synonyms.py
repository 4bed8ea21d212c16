"""Further words for terms of the semantic layer, which curators add; tools read them."""

from django.db import migrations, models

from toolbox.database.migration_operations import GrantRead

KINDS = [
    ("entity", "Entity"),
    ("measure", "Measure"),
    ("dimension", "Dimension"),
    ("predicate", "Filter"),
    ("time", "Time"),
]
FORMS = [
    ("noun", "Noun, in the singular"),
    ("adjective", "Adjective, as it stands"),
    ("verb", "Verb, in the infinitive"),
]


class Migration(migrations.Migration):
    dependencies = [("sprints", "0020_limit_size")]

    operations = [
        migrations.CreateModel(
            name="TermSynonym",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                ("term", models.CharField(help_text="The term's id, as the definitions list it.", max_length=63)),
                ("form", models.CharField(choices=FORMS, default="noun", max_length=10)),
                (
                    "phrase",
                    models.CharField(
                        help_text="One to five words in lower case: parked, time to market.", max_length=80
                    ),
                ),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "db_table": "sprints_term_synonyms",
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "term", "form", "phrase"), name="one_synonym_once")
                ],
            },
        ),
        GrantRead("sprints_term_synonyms"),
        migrations.AlterField(
            model_name="sprintissue",
            name="removed_at",
            field=models.DateTimeField(
                blank=True, help_text="Taken out of it; not: carried over to the next.", null=True
            ),
        ),
    ]
