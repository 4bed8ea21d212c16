"""A call is found by its request's id at any size of the record: four bytes a row, equality only."""

import django.contrib.postgres.indexes
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("toolbox", "0010_prompts")]

    operations = [
        migrations.AddIndex(
            model_name="toolcall",
            index=django.contrib.postgres.indexes.HashIndex(fields=["request_id"], name="toolbox_tool_calls_request"),
        ),
    ]
