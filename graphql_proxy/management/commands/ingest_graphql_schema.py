"""Store an upstream's schema: `manage.py ingest_graphql_schema <upstream> <file>`, or `--fetch`."""

import sys
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from graphql_proxy.ingest.load import compare_schema, create_upstream, store_schema
from graphql_proxy.models import SchemaSnapshot, Upstream
from graphql_proxy.schema.changes import Change
from graphql_proxy.schema.parsing import MAX_SCHEMA_BYTES, InvalidSchema, decode_schema
from graphql_proxy.schema.warnings import SchemaWarning
from graphql_proxy.upkeep.fetch import NoSchema, fetch_schema
from graphql_proxy.upstreams import upstream_named
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand

MAX_LINES = 100


class Command(DatabaseCommand):
    """Read a schema from a file, standard input or the upstream itself; store it, or only compare."""

    help = "Store a GraphQL schema (SDL or introspection JSON, gzipped or not) as the next version of an upstream's."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the upstream and the source of the schema."""
        parser.add_argument("upstream", help="The upstream's name.")
        parser.add_argument("file", nargs="?", help="SDL or introspection JSON, gzipped or not; - for standard input.")
        parser.add_argument("--fetch", action="store_true", help="Ask the upstream itself, by introspection.")
        parser.add_argument("--url", help="The upstream's address: it is added if there is none of that name.")
        parser.add_argument("--compare", action="store_true", help="Only show what would change.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Store or compare, and list warnings and changes. Exits with 1 if there is no schema."""
        slug = options["upstream"]
        if bool(options["file"]) == options["fetch"]:
            raise CommandError("give either a file or --fetch")
        try:
            self._ingest(slug, options=options)
        except Upstream.DoesNotExist as unknown:
            raise CommandError(f"there is no upstream {slug}; give its address with --url to add it") from unknown
        except (InvalidSchema, NoSchema) as failed:
            raise CommandError(str(failed)) from failed
        except ValidationError as invalid:
            raise CommandError(" ".join(invalid.messages)) from invalid
        except ToolError as refused:
            raise CommandError(str(refused)) from refused

    def _ingest(self, slug: str, *, options: dict[str, Any]) -> None:
        text = "" if options["fetch"] else decode_schema(_read(options["file"]))
        if options["fetch"]:
            self._add_upstream(slug, options=options)
            text = event_loop.run(fetch_schema(event_loop.run(upstream_named(slug))))
        if options["compare"]:
            compared = compare_schema(slug, text=text)
            self._list_warnings(compared.warnings)
            self._list_changes(compared.changes)
            return
        source = SchemaSnapshot.Source.FETCHED if options["fetch"] else None
        with transaction.atomic():  # no upstream is added for a file that is refused
            self._add_upstream(slug, options=options)
            stored = store_schema(slug, text=text, source=source, taken_at=datetime.now(UTC))
        state = "stored as" if stored.is_new else "is already"
        self.stdout.write(
            f"{slug}: {stored.query_count:,} queries, {stored.type_count:,} types; {state} version {stored.version}"
        )
        self._list_warnings(stored.warnings)
        self._list_changes(stored.changes)

    def _add_upstream(self, slug: str, *, options: dict[str, Any]) -> None:
        if options["url"] and not options["compare"] and create_upstream(slug, address=options["url"]):
            transaction.on_commit(lambda: self.stdout.write(f"{slug}: added, at {options['url']}"))

    def _list_warnings(self, warnings: list[SchemaWarning]) -> None:
        if warnings:
            self.stdout.write(f"{len(warnings):,} warnings")
        for warning in warnings[:MAX_LINES]:
            place = f"{warning['line']}:{warning['column']}" if warning["line"] else warning["path"] or "-"
            self.stdout.write(f"  {place}  {warning['message']}")
        if len(warnings) > MAX_LINES:
            self.stdout.write(f"  … {len(warnings) - MAX_LINES:,} more")

    def _list_changes(self, changes: list[Change]) -> None:
        counts = Counter(change["kind"] for change in changes)
        if counts:
            self.stdout.write(", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())))
        for change in changes[:MAX_LINES]:
            self.stdout.write(f"  {change['kind']:<9} {change['description']}")
        if len(changes) > MAX_LINES:
            self.stdout.write(f"  … {len(changes) - MAX_LINES:,} more")


def _read(name: str) -> bytes:
    """Read a file, up to the maximum length of a schema."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_SCHEMA_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_SCHEMA_BYTES + 1)
    except OSError as unreadable:
        raise CommandError(f"{name} cannot be read: {unreadable}") from unreadable
