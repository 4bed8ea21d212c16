"""Store a copy of the views' schema beside the code, after a change: `manage.py store_sprints_schema`."""

import json
from typing import Any

from sprints.schema.reading import STORED, read_schema
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Write the answer of get_schema for when the database is away."""

    help = "Write sprints/schema/stored.json, which get_schema gives while the database is away."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the copy."""
        schema = event_loop.run(read_schema()).model_dump(by_alias=True, exclude_none=True)
        STORED.write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        self.stdout.write(f"{STORED.name} holds {len(schema['tables'])} views.")
