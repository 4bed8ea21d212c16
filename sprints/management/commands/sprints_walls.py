"""Print the restrictions that the analyst's role lacks, as SQL: `manage.py sprints_walls`."""

from typing import Any

from sprints.checks import find_missing_lockdown
from sprints.sql_sandbox.lockdown_status import digest, is_accepted
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Print what an administrator would run or accept."""

    help = "Print the SQL that sets every missing restriction of the role which runs SQL written by a model."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print. Only the statements go to standard output."""
        missing = find_missing_lockdown()
        for statement in missing:
            self.stdout.write(f"{statement};")
        if not missing:
            self.stderr.write("Nothing is missing.")
        elif is_accepted(missing):
            self.stderr.write("These are missing, and accepted by SPRINTS_ACCEPTED_WALLS.")
        else:
            self.stderr.write(f"execute_query is off. To accept this: SPRINTS_ACCEPTED_WALLS={digest(missing)}")
