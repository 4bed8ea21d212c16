"""Log somebody in without a password: `manage.py login_link alice --at https://tools.example.org`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from console.accounts.login import login_link_path
from console.queries import find_active_user_by_name
from toolbox.database.command import DatabaseCommand
from toolbox.http.server_address import find_address


class Command(DatabaseCommand):
    """Print a link that logs a user in once."""

    help = "Print a link that logs somebody in once, within the hour; a log-in or a new password ends it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the user's name and the server's address."""
        parser.add_argument("name", help="The user's name.")
        parser.add_argument("--at", help="The server's address; else TOOLROOM_URL, or where quickstart serves.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the link; raises CommandError if no active user has the name."""
        user = find_active_user_by_name(options["name"])
        if user is None:
            raise CommandError(
                f"No active user is called {options['name']!r}. The admin and createsuperuser make users."
            )
        address = options["at"] or find_address()
        self.stdout.write(f"{address.rstrip('/')}{login_link_path(user)}")
