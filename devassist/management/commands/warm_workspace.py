"""Test a workspace's language servers: `manage.py warm_workspace [<name>]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from devassist.find_callers import close
from devassist.warmer import WarmResult, warm
from devassist.workspaces import KnownWorkspace, workspaces
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Start each server, let it index, and print how long that took. A running server process warms by itself."""

    help = "Start the language servers of a workspace, let them index, and say how each fared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the workspace."""
        parser.add_argument("name", nargs="?", help="The workspace; all if not given.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Warm the servers. Exits with 1 if an installed server did not get ready."""
        reports = event_loop.run(_warm_all(options["name"]))
        for name, warmed in reports:
            for one in warmed:
                self.stdout.write(f"{name}: {_describe(one)}")
            if not warmed:
                self.stdout.write(f"{name}: no files of a language that a server is set for")


async def _warm_all(name: str | None) -> list[tuple[str, list[WarmResult]]]:
    known: list[KnownWorkspace] = [row for row in await workspaces() if name in (None, row.name)]
    if not known:
        raise CommandError(f"there is no workspace {name!r}" if name else "there is no workspace")
    try:
        return [(row.name, await warm(row.root)) for row in known]
    finally:
        await close()


def _describe(one: WarmResult) -> str:
    outcome = one.failure or f"ready in {one.seconds:.1f} s"
    return f"{one.server.name}, {one.files} files: {outcome}"
