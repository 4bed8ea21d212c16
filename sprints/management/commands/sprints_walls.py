"""Print the walls that are missing around the analyst, as SQL: `manage.py sprints_walls`."""

from typing import Any

from django.core.management.base import BaseCommand

from sprints.checks import missing_walls
from sprints.standing import digest, is_accepted


class Command(BaseCommand):
    """Say what an administrator would run, or accept."""

    help = "Print the SQL that raises every missing wall around the role which runs SQL written by a model."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print; the statements alone go to standard output."""
        missing = missing_walls()
        for statement in missing:
            self.stdout.write(f"{statement};")
        if not missing:
            self.stderr.write("Every wall stands.")
        elif is_accepted(missing):
            self.stderr.write("These are missing, and accepted by SPRINTS_ACCEPTED_WALLS.")
        else:
            self.stderr.write(f"execute_query is off. To accept this: SPRINTS_ACCEPTED_WALLS={digest(missing)}")
