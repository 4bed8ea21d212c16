"""The shipped root causes, written for this project."""

from datetime import UTC, datetime
from importlib.resources import files

from devassist.root_causes.load import OnProgress, ignore_progress, load_entries
from devassist.root_causes.parse import read_text
from devassist.root_causes.report import RcaReport

SHIPPED = "root_causes.jsonl"
_UNDATED = datetime(2026, 11, 22, tzinfo=UTC)


def load_root_causes(*, on_progress: OnProgress = ignore_progress) -> RcaReport:
    """Store what is missing or newer. Takes some seconds the first time. A curator's changes stay."""
    text = (files("devassist") / "samples" / SHIPPED).read_text(encoding="utf-8")
    return load_entries(
        read_text(text, name=SHIPPED), source="shipped", now=_UNDATED, replaces_stored=False, on_progress=on_progress
    )
