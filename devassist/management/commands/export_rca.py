"""Write past root causes as JSON lines that `ingest_rca` reads: `manage.py export_rca [file]`."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from devassist.root_causes.load import export_entries
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Write every root cause, retired ones included, sorted by id."""

    help = "Write past root causes as JSON lines, which ingest_rca reads again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the output file."""
        parser.add_argument("file", nargs="?", default="-", help="A file to write, or - for standard output.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the entries."""
        lines = (json.dumps(entry.as_json(), ensure_ascii=False) for entry in export_entries())
        if options["file"] == "-":
            for line in lines:
                self.stdout.write(line)
            return
        with Path(options["file"]).open("w", encoding="utf-8") as file:
            count = sum(bool(file.write(line + "\n")) for line in lines)
        self.stdout.write(f"{count:,} root causes written")
