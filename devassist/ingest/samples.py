"""The sample workspace: a small Android app with a bug (samples/README.md)."""

import re
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

import devassist
from devassist.documents.samples import load_shipped_pages
from devassist.ingest.load import ensure_workspace, give_workspace, set_root
from devassist.root_causes.samples import load_root_causes
from devassist.roots import problem_of_root
from toolbox.contract.caller import hash_api_key
from toolbox.contract.samples import SampleReport, ignore_progress

SAMPLE = "trailnotes"
SAMPLE_ROOT = Path(devassist.__file__).parent / "samples" / SAMPLE


class UnusableWorkspace(Exception):
    """DEVASSIST_WORKSPACE names a folder that cannot be a workspace."""


def load_samples(*, on_progress: Callable[[SampleReport], None] = ignore_progress) -> SampleReport:
    """Store what is missing. Existing rows stay as a curator left them, except for the root of the sample."""
    report = SampleReport()
    if settings.DEVASSIST_WORKSPACE:
        root = _sample_root()
        report.count(is_new=ensure_workspace(name_of(root), root=str(root), is_default=True))
    report.count(is_new=ensure_workspace(SAMPLE, root=str(SAMPLE_ROOT), is_open=True))
    set_root(SAMPLE, root=str(SAMPLE_ROOT))
    remembered = load_root_causes()
    report.added += remembered.added + remembered.changed
    report.skipped += remembered.skipped
    pages = load_shipped_pages()
    report.added += pages.added + pages.changed
    report.skipped += pages.unchanged
    on_progress(report)
    return report


def give_configured(key: str) -> None:
    """Open the workspace that DEVASSIST_WORKSPACE names to a key. Other keys are chosen in the admin."""
    if settings.DEVASSIST_WORKSPACE:
        give_workspace(name_of(_sample_root()), key_digest=hash_api_key(key))


def _sample_root() -> Path:
    root = Path(settings.DEVASSIST_WORKSPACE).expanduser().absolute()
    if problem := problem_of_root(str(root)):
        raise UnusableWorkspace(f"DEVASSIST_WORKSPACE is {root}. {problem}")
    return root


def name_of(root: Path) -> str:
    """Return the workspace name of a folder."""
    return re.sub(r"[^a-z0-9._-]+", "-", root.name.lower()).strip("-._")[:60] or "configured"
