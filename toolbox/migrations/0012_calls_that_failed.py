"""
Calls that did not end with an answer, and codes, are found at any size of the record: indexes of those alone.

Built while calls are recorded: a lock for as long as a long record takes would have every call refused.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("toolbox", "0011_calls_by_request"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("outcome", "answered"), _negated=True),
                fields=["outcome", "-called_at"],
                name="calls_end",
            ),
        ),
        AddIndexConcurrently(
            model_name="toolcall",
            index=models.Index(
                condition=models.Q(("code", ""), _negated=True), fields=["code", "-called_at"], name="calls_code"
            ),
        ),
    ]
