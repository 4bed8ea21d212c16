"""Run every verified query: `manage.py check_verified_queries`."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table

from sprints.linking.name_cache import data_as_of, load_name_index
from sprints.verified.checking import StatementCheck, check_statements, find_shared_wordings
from sprints.verified.library import load_library
from sprints.verified.load import load_verified_queries
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.database.pools import reader


class Command(DatabaseCommand):
    """Run each query through the guard, without slots and with every slot. Exits with 1 if one fails."""

    help = "Run every enabled verified query through the guard, and find wordings that two of them share."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the queries to check."""
        parser.add_argument("--load", action="store_true", help="First store those that ship with the project.")
        parser.add_argument("slugs", nargs="*", help="Only these queries.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, then list broken and slow queries, and wordings shared by two queries."""
        if options["load"]:
            load_verified_queries()
        checked, shared = event_loop.run(_check(set(options["slugs"]), now=datetime.now(UTC)))
        console = Console(highlight=False)
        broken = [one for one in checked if one.is_broken]
        console.print(_table(checked) if options["verbosity"] > 1 else _table(broken))
        for one in shared:
            console.print(f"[yellow]wording[/] {one.slug}: '{one.form}' {one.summary}", markup=True)
        queries = len({one.slug for one in checked})
        console.print(
            f"{queries} queries, {len(checked)} statements, {len(broken)} broken, {len(shared)} wordings shared"
        )
        if broken or not checked:
            raise CommandError("some verified queries do not run" if broken else "there is no verified query")


async def _check(slugs: set[str], *, now: datetime) -> tuple[list[StatementCheck], list[StatementCheck]]:
    index, library = await load_name_index(reader=reader), await load_library(reader=reader)
    today = (await data_as_of(reader=reader) or now).date()
    wanted = [query for query in library.statements if not slugs or query.slug in slugs]
    checked = [one for query in wanted for one in await check_statements(query, index=index, today=today)]
    shared = [one for query in wanted for one in find_shared_wordings(query, library=library)]
    return checked, shared


def _table(checked: list[StatementCheck]) -> Table:
    table = Table("query", "form", "result", box=None, show_header=bool(checked))
    for one in checked:
        table.add_row(one.slug, one.form[:60], one.summary)
    return table
