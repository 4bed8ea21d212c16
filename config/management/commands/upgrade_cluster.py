"""Move the embedded PostgreSQL to the installed version: `manage.py upgrade_cluster`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.management.commands.backup import FAILURES
from config.postgres.upgrade import upgrade_cluster


class Command(BaseCommand):
    """Stop web processes and workers first."""

    help = "Dump the embedded cluster, make a new one with the installed PostgreSQL, restore, compare every table."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add where the old programs are."""
        parser.add_argument(
            "--old-programs", type=Path, help="The folder of the programs that made the cluster, if not the installed."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Upgrade; prints where the old cluster is kept."""
        if not settings.TOOLROOM_DATABASE_IS_EMBEDDED:
            raise CommandError(
                "DATABASE_URL names a server of your own: upgrade it with its own tools, or make a backup, and restore "
                "it into a server of the new version."
            )
        connections.close_all()
        try:
            kept = upgrade_cluster(settings.TOOLROOM_VAR, old_programs=options["old_programs"], say=self.stdout.write)
        except FAILURES as failed:
            raise CommandError(f"not upgraded, the old cluster is as it was: {failed}") from failed
        self.stdout.write(f"Every table is what it was. The old cluster is kept in {kept}; remove it when all works.")
