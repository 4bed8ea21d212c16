"""Make a folder of documentation searchable: `manage.py ingest_docs <folder>`."""

import re
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from devassist.documents.folder import FolderReport, TooManyFiles, pages_below
from devassist.documents.load import remove_collection, store_pages
from toolbox.database.command import DatabaseCommand

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")


class Command(DatabaseCommand):
    """Store the Markdown and HTML pages below a folder as a collection, replacing its previous pages."""

    help = "Store the Markdown and HTML pages of a folder for web_search_wiki's source docs. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder, the collection's name, and the base address of the pages."""
        parser.add_argument("folder", help="Read with all that is below it; hidden folders are left out.")
        parser.add_argument("--name", help="The collection's name; the folder's if not given.")
        parser.add_argument("--base-url", default="", help="Where the folder is published, for the results' addresses.")
        parser.add_argument("--keep", action="store_true", help="Keep stored pages that the folder no longer holds.")
        parser.add_argument("--remove", action="store_true", help="Forget the collection instead.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Store the pages and report. Exits with 1 if nothing could be read."""
        folder = Path(options["folder"])
        name = options["name"] or re.sub(r"[^a-z0-9._-]+", "-", folder.absolute().name.lower()).strip("-._")
        if not _NAME.fullmatch(name):
            raise CommandError(f"{name!r} cannot name a collection: lower-case letters, digits, - . _ ; give --name")
        if options["base_url"] and not re.match(r"https?://", options["base_url"]):
            raise CommandError("--base-url begins with http:// or https://")
        if options["remove"]:
            self.stdout.write(f"{name}: {remove_collection(name):,} pages removed")
            return
        self._store(folder, name=name, options=options)

    def _store(self, folder: Path, *, name: str, options: dict[str, Any]) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder")
        left_out = FolderReport()
        pages = pages_below(folder, report=left_out)
        try:
            report = store_pages(
                pages, collection=name, base_url=options["base_url"], now=datetime.now(UTC),
                keeps_missing=options["keep"],
            )  # fmt: skip
        except TooManyFiles as many:
            raise CommandError(str(many)) from many
        for line in left_out.skipped:
            self.stderr.write(f"left out: {line}")
        if not report.total:
            raise CommandError(f"{folder} holds no page that could be read")
        self.stdout.write(
            f"{name}: {report.added:,} added, {report.changed:,} changed, {report.unchanged:,} unchanged, "
            f"{report.removed:,} removed, {left_out.skipped_count:,} left out"
        )
