"""Let tools read a folder of code: `manage.py add_workspace ~/projects/shop --key alice`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from devassist.ingest.load import NoSuchKey, add_workspace
from devassist.ingest.samples import name_of
from devassist.roots import problem_of_root
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Add a workspace, or say anew where one lies and who sees it."""

    help = "Let tools read a folder of code; a key sees only the workspaces that it was given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder, and who sees it."""
        parser.add_argument("root", help="The folder; tools read what lies below it, and nothing else.")
        parser.add_argument("--name", default="", help="What callers name it by; else the folder's name.")
        parser.add_argument(
            "--key", action="append", default=[], help="Whose: a key's name or first characters; may be repeated."
        )
        parser.add_argument("--open", action="store_true", help="Every key that may read devassist sees it.")
        parser.add_argument("--default", action="store_true", help="It is meant where a call names none.")
        parser.add_argument("--shows-secrets", action="store_true", help="Files that look like secrets may be read.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the folder, then write the row."""
        root = Path(options["root"]).expanduser().absolute()
        if problem := problem_of_root(str(root)):
            raise CommandError(f"{root}: {problem}")
        try:
            row, is_new = add_workspace(
                options["name"] or name_of(root),
                columns={
                    "root": str(root),
                    "is_open": options["open"],
                    "is_default": options["default"],
                    "shows_secrets": options["shows_secrets"],
                },
                keys=options["key"],
            )
        except NoSuchKey as unknown:
            raise CommandError(f"there is no key {unknown}; see /admin/toolbox/apikey/") from unknown
        except ValidationError as invalid:
            raise CommandError(" ".join(invalid.messages)) from invalid
        who = "every key" if row.is_open else f"{row.keys.count()} keys" if row.keys.exists() else "no key yet"
        self.stdout.write(f"{row.name}: {row.root}, {'added' if is_new else 'changed'}; seen by {who}.")
