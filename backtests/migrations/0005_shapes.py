"""Number the shapes of sequences, and keep them in blocks."""

import json
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.db import migrations, models

from backtests.ingest.signatures import BLOCK_SHAPES, LONE_SHAPES, encode_block
from toolbox.database.migration_operations import GrantRead

SQL = Path(__file__).with_suffix(".sql").read_text()
KNOWN = "SELECT run_id, shape, trails::text FROM backtests_signatures ORDER BY run_id, shape"
ADD = "INSERT INTO backtests_signature_blocks (run_id, block, trail_count, codes, owners) VALUES (%s, %s, %s, %s, %s)"


def write_blocks(_: Any, schema_editor: Any) -> None:
    """Write the blocks of runs that are stored."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(KNOWN)
        known = [(run, (shape - LONE_SHAPES) // BLOCK_SHAPES, json.loads(trails)) for run, shape, trails in cursor]
        for (run, block), rows in groupby(known, key=itemgetter(0, 1)):
            cursor.execute(ADD, [run, block, *encode_block([trails for _, _, trails in rows])])


class Migration(migrations.Migration):
    dependencies = [("backtests", "0004_no_latest")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(SQL)],
            [
                migrations.AddField(
                    "signature",
                    "shape",
                    models.IntegerField(null=True, help_text="Its number within the run; 0 to 7 are events alone."),
                ),
                migrations.AddConstraint(
                    "signature",
                    models.UniqueConstraint(fields=["run", "shape"], name="backtests_signatures_shape"),
                ),
            ],
        ),
        migrations.RunPython(write_blocks),
        GrantRead("backtests_signature_blocks"),
    ]
