"""Shipped documentation pages (samples/docs)."""

from datetime import UTC, datetime
from pathlib import Path

import devassist
from devassist.documents.folder import FolderReport, pages_below
from devassist.documents.load import DocsReport, store_pages

COLLECTION = "toolroom"
FOLDER = Path(devassist.__file__).parent / "samples" / "docs"
WRITTEN_AT = datetime(2026, 11, 22, tzinfo=UTC)


def load_shipped_pages() -> DocsReport:
    """Store the current shipped pages. Returns what changed."""
    pages = pages_below(FOLDER, report=FolderReport())
    return store_pages(pages, collection=COLLECTION, base_url="", now=WRITTEN_AT)
