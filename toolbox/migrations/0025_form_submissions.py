"""Forms that were sent, each carried out once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0024_name_aliases")]

    operations = [
        migrations.CreateModel(
            name="FormSubmission",
            fields=[
                (
                    "id",
                    models.CharField(
                        help_text="The hash of the page's token and the contents.",
                        max_length=64,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("sent_at", models.DateTimeField(db_index=True)),
                (
                    "response",
                    models.BinaryField(
                        help_text="Encrypted with the page's token. Null: not carried out yet.", null=True
                    ),
                ),
            ],
            options={"db_table": "toolbox_form_submissions"},
        ),
    ]
