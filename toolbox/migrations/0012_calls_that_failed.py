"""Calls that did not end with an answer, and codes, are found at any size of the record: indexes of those alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0011_calls_by_request"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("outcome", "answered"), _negated=True),
                fields=["outcome", "-called_at"],
                name="calls_end",
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("code", ""), _negated=True), fields=["code", "-called_at"], name="calls_code"
            ),
        ),
    ]
