"""Restore a backup: `manage.py restore FOLDER`."""

import os
import tempfile
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.environment import read_environment
from config.management.commands.backup import FAILURES
from config.postgres.backup import SECRET_KEY, Manifest, fingerprint_key, read_manifest, restore_backup
from config.postgres.provisioning import admin_url, configured_roles, provision_configured


class Command(BaseCommand):
    """Stop web processes and workers first."""

    help = "Restore a backup, after comparing every table with it; a database that has rows is kept under another name."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder, and whether rows may be replaced."""
        parser.add_argument("folder", type=Path, help="The folder that manage.py backup has made.")
        parser.add_argument("--replace", action="store_true", help="Also where the present database has rows.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore; prints what was kept and what to do next."""
        connections.close_all()
        folder, database = options["folder"].absolute(), settings.DATABASES["default"]["NAME"]
        try:
            manifest = read_manifest(folder)
            url = admin_url()
            kept = restore_backup(
                folder,
                admin_url=url,
                database=database,
                roles=configured_roles(),
                provision=lambda name: provision_configured(url, database=name),
                is_replacing=options["replace"],
            )
            self.stdout.write(f"Restored {database} as of {manifest.made_at}; every table is what it was then.")
            if kept:
                self.stdout.write(f"The database of before is kept as {kept}; drop it when you no longer need it.")
        except FAILURES as failed:
            raise CommandError(f"not restored: {failed}") from failed
        try:
            self.stdout.write(self._restore_key(folder, manifest=manifest))
        except OSError as failed:
            raise CommandError(
                f"The database is restored, its signing key is not: {failed}. Copy {folder / SECRET_KEY} to "
                f"{settings.TOOLROOM_VAR / SECRET_KEY}, with mode 600."
            ) from failed
        self.stdout.write("Now run manage.py migrate, then start web processes and workers.")

    def _restore_key(self, folder: Path, *, manifest: Manifest) -> str:
        """Replace the key below TOOLROOM_VAR by the backup's, keeping the old one; returns what to print."""
        if manifest.secret_key_fingerprint == fingerprint_key(settings.SECRET_KEY):
            return "The signing key is the one of the backup."
        if read_environment().secret_key or not manifest.has_secret_key:
            return (
                "SECRET_KEY is not the one of the backup: set it to that one, or name that one in "
                "SECRET_KEY_FALLBACKS. Until then, stored secrets of upstreams cannot be read."
            )
        path = settings.TOOLROOM_VAR / SECRET_KEY
        kept = path.with_name(f"{SECRET_KEY}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}")
        key = (folder / SECRET_KEY).read_text()
        descriptor, draft = tempfile.mkstemp(dir=path.parent)  # created with mode 600
        with os.fdopen(descriptor, "w") as file:
            file.write(key)
            file.flush()
            os.fsync(descriptor)
        os.link(path, kept)
        Path(draft).replace(path)  # atomic: there is always a complete key
        return f"The signing key is now the one of the backup; the one of before is kept as {kept}."
