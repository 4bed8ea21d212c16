"""Check the parts that are really there, and the processes of all hosts: `manage.py check_topology`."""

from typing import Any

from django.core.management.base import CommandError

from config.embedded.components import start_embedded
from config.topology.checks import Report, check_all, load_topology
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Prints a line for each check, and how to fix each finding; exits with 1 if there are findings."""

    help = "Check live what lies between processes: NOTIFY, SECRET_KEY, roles, clocks, broker, replicas, poolers, disk."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the checks and print them; exits with 1 if there are findings."""
        start_embedded()
        topology = event_loop.run(load_topology())
        reports = event_loop.run(check_all(topology))
        others = len(topology.processes)
        hosts = len({one.host for one in topology.processes})
        self.stdout.write(f"{others} processes on {hosts} hosts were seen within the last minute.")
        for name, report in reports.items():
            self._write(name, report=report)
        findings = sum(len(report.findings) for report in reports.values())
        if findings:
            raise CommandError(f"{findings} finding{'s' * (findings > 1)}.")
        self.stdout.write("Nothing is wrong.")

    def _write(self, name: str, *, report: Report) -> None:
        self.stdout.write(f"{'FAULT' if report.findings else 'ok':<6}{name}: {report.says}")
        for what, fix in report.findings:
            self.stdout.write(f"      {what}\n      Fix: {fix}")
