"""Write docs/tools from the code, or check that it is up to date: `manage.py tooldocs [--check]`."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from toolbox.catalogue.documentation import render_domain_page
from toolbox.catalogue.registry import registry
from toolbox.catalogue.schema_snapshot import Snapshot, breaking_changes, snapshot


class Command(BaseCommand):
    """Pages for people, schemas for comparison."""

    help = "Write docs/tools from the code; with --check, fail where it is stale or a tool's promise is broken."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder, and whether only to check."""
        parser.add_argument("--check", action="store_true", help="Change nothing; exit 1 where something is off.")
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "docs" / "tools")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check for breaking changes, then write or compare the pages."""
        folder: Path = options["folder"]
        before = _load_snapshot(folder)
        after = snapshot(registry.tools(), before=before)
        if broken := list(breaking_changes(before, after)):
            raise CommandError("a promise is broken:\n  " + "\n  ".join(broken))
        pages = _pages(after)
        stale = [name for name, text in pages.items() if _text(folder / name) != text]
        stale += [path.name for path in sorted(folder.glob("*.md")) if path.name not in pages]
        if options["check"]:
            _refuse(stale)
        else:
            _write(folder, pages=pages, stale=stale)
        self.stdout.write(f"{len(pages)} files in docs/tools are up to date.")


def _load_snapshot(folder: Path) -> Snapshot:
    path = folder / "schemas.json"
    promised: Snapshot = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return promised


def _pages(after: Snapshot) -> dict[str, str]:
    pages = {f"{toolkit.domain}.md": render_domain_page(toolkit) for toolkit in registry.toolkits()}
    return pages | {"schemas.json": json.dumps(after, indent=1, ensure_ascii=False) + "\n"}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _refuse(stale: list[str]) -> None:
    if stale:
        raise CommandError(f"stale: {', '.join(stale)}; run manage.py tooldocs")


def _write(folder: Path, *, pages: dict[str, str], stale: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in pages:
            (folder / name).write_text(pages[name], encoding="utf-8")
        else:
            (folder / name).unlink()
