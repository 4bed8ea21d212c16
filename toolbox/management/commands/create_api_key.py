"""Create an API key: `manage.py create_api_key alice --scope linescore:read`."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils import timezone

from toolbox.access.scopes import find_unknown_scopes
from toolbox.database.command import DatabaseCommand
from toolbox.models import ApiKey


class Command(DatabaseCommand):
    """Print a new key once."""

    help = "Make an API key for a user, and print it: the only time that it can be seen."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the owner and what the key may do."""
        parser.add_argument("username", help="Whose key it is; the user is made, without a password, if missing.")
        parser.add_argument("--name", default="", help="What uses it, for the audit; else the username.")
        parser.add_argument(
            "--scope", action="append", default=[], help="Such as linescore:read; may be repeated; *:read if none."
        )
        parser.add_argument("--per-minute", type=int, default=None, help="Most calls a minute; no limit if not given.")
        parser.add_argument("--workspace", default="", help="What its calls mean that name no workspace.")
        parser.add_argument("--upstream", default="", help="What its calls mean that name no upstream.")
        parser.add_argument("--days", type=int, default=None, help="Days until it expires; never if not given.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the key; only the key goes to standard output."""
        scopes = options["scope"] or ["*:read"]
        if unknown := find_unknown_scopes(scopes):
            raise CommandError(f"unknown scope {unknown[0]}; a scope is a domain or *, then :read or :write")
        for name, most in (("per_minute", 1_000_000), ("days", 36_500)):
            if options[name] is not None and not 1 <= options[name] <= most:
                raise CommandError(f"--{name.replace('_', '-')} must be from 1 to {most:,}")
        owner, _ = User.objects.get_or_create(username=options["username"])
        expires_at = timezone.now() + timedelta(days=options["days"]) if options["days"] is not None else None
        row, key = ApiKey.make(
            name=options["name"] or owner.username,
            owner_id=owner.pk,
            scopes=scopes,
            calls_per_minute=options["per_minute"],
            expires_at=expires_at,
            default_workspace=options["workspace"],
            default_upstream=options["upstream"],
        )
        self.stderr.write(f"{row}: {', '.join(row.scopes)}. Keep it now; it cannot be shown again.")
        self.stdout.write(key)
