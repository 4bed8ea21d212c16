"""Delete the steps and events of old runs: `manage.py forget_runs --days 90`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from agents.queries import retention
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand

MAX_DAYS = 36_500


class Command(DatabaseCommand):
    """Delete the steps and events of old runs; messages, states, tokens and costs stay."""

    help = "Delete steps and events of runs that ended long ago. Conversations, messages and what runs cost stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the age."""
        parser.add_argument("--days", type=int, required=True, help="Runs that ended at least so many days ago.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete them; prints for how many runs."""
        days = options["days"]
        if not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--days must be from 1 to {MAX_DAYS:,}")
        self.stdout.write(f"{event_loop.run(retention.forget(days=days)):,} runs forgotten\n")
