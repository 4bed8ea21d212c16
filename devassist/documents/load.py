"""Storing of pages. Idempotent."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.db import transaction

from devassist.documents.pages import MAX_TITLE, Page
from devassist.models import DocPage, DocSection


@dataclass(slots=True)
class DocsReport:
    """Counts of the pages by result."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    sections: int = 0

    @property
    def total(self) -> int:
        """Count the pages that exist now."""
        return self.added + self.changed + self.unchanged


def store_pages(
    pages: Iterable[Page],
    *,
    collection: str,
    base_url: str,
    now: datetime,
    keeps_missing: bool = False,
) -> DocsReport:
    """
    Replace a collection by the pages: add new ones, update changed ones, remove missing ones.

    Each page is stored whole or not at all; run again after an interruption, it goes on. No pages at all are taken
    for a mistake, and remove nothing.
    """
    known = {row.path: row for row in DocPage.objects.filter(collection=collection)}
    report, seen = DocsReport(), set()
    for page in pages:
        seen.add(page.path)
        _store(page, row=known.get(page.path), collection=collection, base_url=base_url, now=now, report=report)
    missing = [] if keeps_missing or not seen else [row.pk for path, row in known.items() if path not in seen]
    DocPage.objects.filter(pk__in=missing).delete()
    report.removed = len(missing)
    return report


def remove_collection(collection: str) -> int:
    """Remove a collection. Returns how many pages it had."""
    rows = DocPage.objects.filter(collection=collection)
    count = rows.count()
    rows.delete()
    return count


def _store(
    page: Page, *, row: DocPage | None, collection: str, base_url: str, now: datetime, report: DocsReport
) -> None:
    url = page.url or _address(page.path, collection=collection, base_url=base_url)
    digest = hashlib.sha256(f"{page.digest} {url}".encode()).hexdigest()
    if row and row.digest == digest:
        report.unchanged += 1
        return
    stored = row or DocPage(collection=collection, path=page.path)
    stored.title, stored.url, stored.digest, stored.ingested_at = page.title, url[:1_000], digest, now
    with transaction.atomic():
        stored.save()
        stored.sections.all().delete()
        DocSection.objects.bulk_create(_sections(page, of=stored))
    report.added += row is None
    report.changed += row is not None
    report.sections += len(page.sections)


def _sections(page: Page, *, of: DocPage) -> list[DocSection]:
    return [
        DocSection(page=of, number=number, title=_make_title(page.title, heading=section.heading),
                   anchor=section.anchor, text=section.text)
        for number, section in enumerate(page.sections)
    ]  # fmt: skip


def _make_title(title: str, *, heading: str) -> str:
    whole = f"{title} · {heading}" if heading and heading != title else title
    return whole[:MAX_TITLE]


def _address(path: str, *, collection: str, base_url: str) -> str:
    """Return the address of a page: below the base address, else by its collection's name."""
    return f"{base_url.rstrip('/')}/{quote(path)}" if base_url else f"docs:{collection}/{quote(path)}"
