"""Store an upstream's schema: `manage.py ingest_graphql_schema <upstream> <file>`, or `--fetch`."""

import sys
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from graphql_proxy.fetching import NoSchema, fetch_schema
from graphql_proxy.ingest.load import compare_schema, store_schema
from graphql_proxy.ingest.parse_schema import NotASchema, form_of
from graphql_proxy.models import SchemaSnapshot, Upstream
from graphql_proxy.schema_changes import Change
from graphql_proxy.upstreams import upstream_named
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.database import event_loop

MAX_LINES = 100


class Command(BaseCommand):
    """Read a schema from a file, standard input or the upstream itself; store it, or only compare."""

    help = "Store a GraphQL schema (SDL or introspection JSON) as the next version of an upstream's."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose schema it is, and where it is."""
        parser.add_argument("upstream", help="The upstream's name.")
        parser.add_argument("file", nargs="?", help="SDL or introspection JSON; - for standard input.")
        parser.add_argument("--fetch", action="store_true", help="Ask the upstream itself, by introspection.")
        parser.add_argument("--compare", action="store_true", help="Only say what would change.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Store, or compare, and list the changes; ends with 1 where there is no schema to be had."""
        slug = options["upstream"]
        if bool(options["file"]) == options["fetch"]:
            raise CommandError("give either a file or --fetch")
        try:
            text = _fetched(slug) if options["fetch"] else _read(options["file"])
            if options["compare"]:
                self._say(compare_schema(slug, text=text))
                return
            source = SchemaSnapshot.Source.FETCHED if options["fetch"] else SchemaSnapshot.Source(form_of(text))
            stored = store_schema(slug, text=text, source=source, taken_at=datetime.now(UTC))
        except Upstream.DoesNotExist as unknown:
            raise CommandError(f"there is no upstream {slug}; add it in the admin first") from unknown
        except (NotASchema, NoSchema) as failed:
            raise CommandError(str(failed)) from failed
        except DatabaseError as error:
            raise CommandError(f"the database stopped it (is it migrated?): {error}") from error
        state = "stored as" if stored.is_new else "is already"
        self.stdout.write(
            f"{slug}: {stored.query_count:,} queries, {stored.type_count:,} types; {state} version {stored.version}"
        )
        self._say(stored.changes)

    def _say(self, changes: list[Change]) -> None:
        counts = Counter(change["kind"] for change in changes)
        if counts:
            self.stdout.write(", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())))
        for change in changes[:MAX_LINES]:
            self.stdout.write(f"  {change['kind']:<9} {change['description']}")
        if len(changes) > MAX_LINES:
            self.stdout.write(f"  … {len(changes) - MAX_LINES:,} more")


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise CommandError(f"{name} cannot be read: {unreadable}") from unreadable


def _fetched(slug: str) -> str:
    try:
        return event_loop.run(fetch_schema(event_loop.run(upstream_named(slug))))
    except (ToolError, DatabaseUnavailable) as refused:
        raise CommandError(str(refused)) from refused
