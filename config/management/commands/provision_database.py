"""Create the roles and the extension in your own PostgreSQL: `manage.py provision_database`."""

from argparse import ArgumentParser
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.postgres.provisioning import provision_configured


class Command(BaseCommand):
    """Run once per cluster, as a superuser, before migrating."""

    help = "Make the roles, the database and the vector extension, as DATABASE_ADMIN_URL's superuser."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the template; names come from DATABASE_URL and the like for reader and analyst."""
        parser.add_argument("--template", default=None, help="A template database that also gets the extension.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Provision; prints what was created."""
        if not settings.TOOLROOM_DATABASE_ADMIN_URL:
            raise CommandError("Set DATABASE_ADMIN_URL to a superuser's address. The embedded database needs none.")
        try:
            made = provision_configured(
                settings.TOOLROOM_DATABASE_ADMIN_URL,
                database=settings.DATABASES["default"]["NAME"],
                template=options["template"],
            )
        except psycopg.Error as failed:
            raise CommandError(f"not provisioned: {failed}") from failed
        self.stdout.write(f"Made {', '.join(made)}." if made else "Nothing was missing.")
