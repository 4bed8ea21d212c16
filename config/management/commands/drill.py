"""Kill parts of a staging system and check what became of its runs: `manage.py drill --staging`."""

import signal
import subprocess
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections
from rich.console import Console
from rich.table import Table

from config.drill.drill import Drill, Row
from config.drill.fake_model import NAME, FakeModel
from config.drill.journal import Journal
from config.drill.processes import QUEUE, DrillFailed, run_fleet
from config.drill.queries import USERNAME, own_key, refuse_others
from config.embedded import broker
from config.embedded.components import start_embedded
from config.postgres import cluster
from config.postgres.location import find_place
from toolbox.database.command import DatabaseCommand
from toolbox.database.pools import owner_pool


class Command(DatabaseCommand):
    """Web processes and workers of the system are stopped before; the drill starts its own."""

    help = "Kill workers, web processes, broker and database under runs in every phase; exit 1 on a broken promise."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what may be done, and how to restart parts that are not embedded."""
        parser.add_argument("--staging", action="store_true", help="Say that this database may be drilled.")
        parser.add_argument("--each", type=int, default=3, help="Runs in each of the six phases.")
        parser.add_argument("--runs", type=int, default=100, help="Runs that are queued on two workers; 0: none.")
        other = "Another installation, with its var/ inside: parts are started in each in turn."
        parser.add_argument("--other-folder", type=Path, action="append", default=[], metavar="DIR", help=other)
        parser.add_argument("--restart-broker", default="", help="The shell command that restarts a broker of yours.")
        parser.add_argument("--restart-database", default="", help="The same for a PostgreSQL of yours.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Drill; prints a table."""
        if not options["staging"]:
            raise CommandError("A drill kills and restarts parts: say --staging where nobody depends on this system.")
        _refuse_folders(options["other_folder"])
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that started parts are stopped
        start_embedded()
        self.stdout.write(
            f"Drilling the configured database and broker, with web process and workers of the drill's own, queue "
            f"{QUEUE}, user {USERNAME}."
        )
        try:
            refuse_others()
            with own_key() as key:
                rows = list(_drill(key, options=options))
        except DrillFailed as failed:
            raise CommandError(f"The drill could not be carried out: {failed}") from failed
        _show(rows)
        violations = [violation for row in rows for violation in row.violations]
        for violation in violations:
            self.stdout.write(f"VIOLATION {violation}")
        if violations:
            raise CommandError(f"{len(violations)} promises were broken.")


def _refuse_folders(folders: list[Path]) -> None:
    """Raise CommandError if another installation would have its own database or broker."""
    if missing := [str(one) for one in folders if not (one / "manage.py").exists()]:
        raise CommandError(f"No installation is in {', '.join(missing)}.")
    if folders and (settings.TOOLROOM_DATABASE_IS_EMBEDDED or settings.TOOLROOM_BROKER_IS_EMBEDDED):
        raise CommandError(
            "Embedded parts serve one folder: set DATABASE_URL and CELERY_BROKER_URL for --other-folder."
        )


def _drill(key: str, *, options: dict[str, Any]) -> Iterator[Row]:
    folder = settings.TOOLROOM_VAR / "drill"
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    model = FakeModel()
    model.start()
    try:
        with run_fleet(
            folder, model_address=model.address, model_name=NAME, other_folders=options["other_folder"]
        ) as fleet:
            drill = Drill(fleet, model=model, journal=Journal(folder), database_url=owner_pool.conninfo(), key=key)
            drill.each = options["each"]
            yield drill.kill_worker()
            yield drill.pause_worker()
            yield drill.kill_web()
            for name, restart in _list_restarts(options):
                row = drill.restart(f"{name} restarted", restart=restart) if restart else None
                yield row or Row(disaster=f"{name} restarted", skipped=f"not embedded: say --restart-{name} COMMAND")
            if options["runs"]:
                yield drill.queue(options["runs"])
    finally:
        model.stop()


def _list_restarts(options: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object] | None]]:
    for name, is_embedded, own in (
        ("broker", settings.TOOLROOM_BROKER_IS_EMBEDDED, _restart_broker),
        ("database", settings.TOOLROOM_DATABASE_IS_EMBEDDED, _restart_database),
    ):
        command = options[f"restart_{name}"]
        yield name, own if is_embedded else partial(_run_shell, command) if command else None


def _restart_broker() -> None:
    broker.stop(settings.TOOLROOM_VAR)
    broker.revive(settings.TOOLROOM_VAR)


def _restart_database() -> None:
    connections.close_all()
    place = find_place(settings.TOOLROOM_VAR)
    cluster.crash(place)
    cluster.revive(place)


def _run_shell(command: str) -> None:
    done = subprocess.run(command, shell=True, check=False, capture_output=True, text=True)  # noqa: S602 - the operator's
    if done.returncode:
        raise DrillFailed(f"{command!r} ended with {done.returncode}: {done.stderr[-500:]}")


def _show(rows: list[Row]) -> None:
    table = Table("disaster", "runs", "seconds", "of", "violations")
    for row in rows:
        seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
        table.add_row(row.disaster, str(row.runs), seconds, row.seconds_of, row.skipped or str(len(row.violations)))
    Console(width=100, highlight=False).print(table)
