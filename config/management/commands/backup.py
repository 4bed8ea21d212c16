"""Back up the database and the signing key: `manage.py backup FOLDER`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.environment import read_environment
from config.postgres.backup import BackupRefused, make_backup
from config.postgres.client_programs import ProgramFailed, ProgramMissing
from config.postgres.cluster import PostgresDidNotStart
from config.postgres.provisioning import configured_roles, database_url

FAILURES = (BackupRefused, ProgramMissing, ProgramFailed, PostgresDidNotStart, psycopg.Error, OSError)


class Command(BaseCommand):
    """Runs beside web processes and workers."""

    help = "Back up the database, and the signing key below TOOLROOM_VAR, into a new folder."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder."""
        parser.add_argument("folder", type=Path, help="The folder to make; it must not exist yet.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up; prints what the backup holds and what it does not."""
        key_file = None if read_environment().secret_key else settings.TOOLROOM_VAR / "secret_key"
        folder = options["folder"].absolute()
        try:
            manifest = make_backup(
                database_url(),
                folder=folder,
                roles=configured_roles(),
                secret_key=settings.SECRET_KEY,
                key_file=key_file,
            )
        except FAILURES as failed:
            raise CommandError(f"not backed up: {failed}") from failed
        size = sum(path.stat().st_size for path in folder.iterdir())
        self.stdout.write(
            f"Backed up {len(manifest.tables):,} tables and sequences of PostgreSQL {manifest.server_version}, "
            f"{size / 1e6:,.1f} MB, in {folder}."
        )
        if manifest.has_secret_key:
            self.stdout.write("It holds the signing key (secret_key): keep it where only operators can read.")
        else:
            self.stdout.write("SECRET_KEY is not in it: keep it yourself, stored secrets are encrypted with it.")
        self.stdout.write("Not in it: .env, GRAPHQL_SECRET_… variables, workspaces' files, messages of the broker.")
