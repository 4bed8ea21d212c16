"""Build the results of stored runs: `manage.py build_backtest_performance`."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from backtests.performance.build import FAILURES, build_performance, list_unbuilt
from toolbox.database.command import DatabaseCommand

RUNS_A_STEP = 1_000


class Command(DatabaseCommand):
    """Build missing and outdated results; loading a run builds its results too."""

    help = "Build round trips, profit by day and decisions of runs that do not have them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add no arguments."""

    def handle(self, *_: Any, **__: Any) -> None:
        """Build each run in a transaction of its own; exit with 1 if a run cannot be built."""
        built = 0
        failed: dict[UUID, str] = {}
        while runs := [run_id for run_id in list_unbuilt(most=RUNS_A_STEP + len(failed)) if run_id not in failed]:
            for run_id in runs:
                try:
                    built += build_performance(run_id)
                except FAILURES as error:
                    failed[run_id] = f"{run_id}: {error}"
        self.stdout.write(f"{built:,} runs built")
        if failed:
            raise CommandError("Not built:\n" + "\n".join(failed.values()))
