"""Upstreams, hints and operations from a file: `manage.py sync_upstreams FILE` compares, `--apply` stores."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from graphql_proxy.upkeep.load import InvalidFile, RowChange, sync_upstreams
from toolbox.database.command import DatabaseCommand

MAX_SHOWN = 60


class Command(DatabaseCommand):
    """Show what a file would change, or change it."""

    help = "Compare upstreams, headers, hints and operations with a TOML or JSON file; --apply makes them what it says."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, and whether to store it."""
        parser.add_argument("file", type=Path, help="TOML, or JSON where its name ends so.")
        parser.add_argument("--apply", action="store_true", help="Store it; without this it is only compared.")

    def handle(self, *args: Any, **options: Any) -> None:
        """List every row and field that differs."""
        try:
            changes = sync_upstreams(options["file"], is_applied=options["apply"])
        except InvalidFile as invalid:
            raise CommandError(str(invalid)) from invalid
        for change in changes:
            self._show(change)
        state = "stored" if options["apply"] else "would be stored with --apply"
        self.stdout.write(f"{len(changes)} rows {state}" if changes else "nothing differs")

    def _show(self, change: RowChange) -> None:
        self.stdout.write(f"{'+' if change.is_new else '~'} {change.section} {change.name}")
        for name, (before, after) in sorted(change.fields.items()):
            shown = f"{_cut(after)}" if change.is_new else f"{_cut(before)} -> {_cut(after)}"
            self.stdout.write(f"    {name}: {shown}")


def _cut(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
