"""Install language servers: `manage.py install_language_servers [typescript] [kotlin]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from devassist.language_servers import NAMES, NotInstalled, install


class Command(BaseCommand):
    """Install the servers that pip does not install with the requirements. Python's is among those."""

    help = "Install language servers from npm and PyPI: typescript (also JavaScript), kotlin (also Java)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the names of servers."""
        parser.add_argument("names", nargs="*", metavar="name", help=f"Any of: {', '.join(NAMES)}; all if not given.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Install each server. Exits with 1 if one failed."""
        names = options["names"] or NAMES
        if unknown := sorted(set(names) - set(NAMES)):
            raise CommandError(f"there is no {', '.join(unknown)}; choose from: {', '.join(NAMES)}")
        failed = [name for name in names if not self._install(name)]
        if failed:
            raise CommandError(f"not installed: {', '.join(failed)}")

    def _install(self, name: str) -> bool:
        try:
            folder = install(name, into=Path(settings.DEVASSIST_SERVERS_DIR))
        except NotInstalled as why:
            self.stderr.write(f"{name}: {why}")
            return False
        self.stdout.write(f"{name}: in {folder}")
        return True
