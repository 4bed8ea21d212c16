"""Storing of root causes in batches with their embeddings. Idempotent."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection, transaction

from devassist.entries.root_cause import Entry
from devassist.models import RootCause
from devassist.root_causes.columns import embedding_columns, searchable
from devassist.root_causes.report import RcaReport, RefusedEntry
from toolbox.embedding.embedder import embedder

OnProgress = Callable[[RcaReport], None]
BATCH, EXPORTED_TOGETHER = 64, 500
VALIDATED_CONFIDENCE = 0.8

_COUNT_WORDS = """
WITH counted AS (
  SELECT place, count(*) AS entries FROM devassist_root_causes, unnest(word_places) AS place GROUP BY place
  UNION ALL SELECT 0, count(*) FROM devassist_root_causes
), gone AS (
  DELETE FROM devassist_root_cause_words WHERE place NOT IN (SELECT place FROM counted)
)
INSERT INTO devassist_root_cause_words (place, entries) SELECT place, entries FROM counted ORDER BY place
ON CONFLICT (place) DO UPDATE SET entries = excluded.entries
WHERE devassist_root_cause_words.entries <> excluded.entries
"""
_WORDS_LOCK = 0x7263_6177


def ignore_progress(report: RcaReport) -> None:
    """Ignore the progress."""


def load_entries(
    entries: Iterable[Entry | RefusedEntry], *, source: str, now: datetime, replaces_stored: bool = True,
    on_progress: OnProgress = ignore_progress,
) -> RcaReport:  # fmt: skip
    """
    Store new and changed entries. An entry that cannot be read is named in the report and stops nothing.

    Without `replaces_stored` an entry is only written over where nobody changed it since it was loaded. Raises
    EmbeddingFailed; what was reported till then is stored.
    """
    report = RcaReport()
    coming = iter(entries)
    while batch := list(islice(coming, BATCH)):
        good = [entry for entry in batch if isinstance(entry, Entry)]
        report.refused += [entry for entry in batch if isinstance(entry, RefusedEntry)]
        _store(good, source=source, now=now, replaces_stored=replaces_stored, report=report)
        on_progress(report)
    if report.added or report.changed:
        count_words()
    return report


def embed_waiting(*, most: int | None = None) -> int:
    """Embed entries whose text or model changed. Returns how many. Raises EmbeddingFailed."""
    done = 0
    while rows := list(RootCause.objects.to_embed().order_by("id")[: min(BATCH, (most or BATCH) - done)]):
        entries = [row.entry() for row in rows]
        vectors = embedder.embed([entry.text for entry in entries])
        for row, entry, vector in zip(rows, entries, vectors, strict=True):
            # Only where the text is still the one that was embedded: a person may have changed it meanwhile.
            unchanged = RootCause.objects.filter(pk=row.pk, text_hash=row.text_hash)
            unchanged.update(**searchable(entry) | embedding_columns(entry, vector=vector.tolist()))
        done += len(rows)
        if most and done >= most:
            break
    if done:
        count_words()
    return done


def prepare_saved(row: RootCause, *, now: datetime) -> None:
    """Update the derived columns of an edited row, except its vector, which a worker computes."""
    entry = row.entry()
    for name, value in searchable(entry).items():
        setattr(row, name, value)
    row.changed_at = now


def count_words() -> None:
    """Count how many entries contain each word. If another process is counting, do nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_WORDS_LOCK])
        if cursor.fetchone()[0]:
            cursor.execute(_COUNT_WORDS)


def export_entries() -> Iterator[Entry]:
    """Yield every entry by id, in the form of ingestion."""
    wanted, last = RootCause.objects.order_by("entry_name").defer("embedding", "word_weights", "word_places"), ""
    while rows := list(wanted.filter(entry_name__gt=last)[:EXPORTED_TOGETHER]):
        for row in rows:
            yield row.entry()
        last = rows[-1].entry_name


def set_status(rows: Any, *, status: str, now: datetime) -> int:
    """Set the status of a query set's rows. A validated one gets at least the default minimum confidence of tools."""
    changed: int = rows.update(status=status, changed_at=now)
    if status == RootCause.Status.VALIDATED:
        rows.filter(confidence__lt=VALIDATED_CONFIDENCE).update(confidence=VALIDATED_CONFIDENCE)
    return changed


def _store(
    entries: Sequence[Entry], *, source: str, now: datetime, replaces_stored: bool, report: RcaReport
) -> None:  # fmt: skip
    latest = {entry.id: entry for entry in entries}
    report.repeated += len(entries) - len(latest)
    with transaction.atomic():
        known = {row.entry_name: row for row in RootCause.objects.select_for_update().filter(entry_name__in=latest)}
        dated = [_add_date(entry, known=known.get(entry.id), now=now) for entry in latest.values()]
        due = [entry for entry in dated if _is_due(entry, known=known.get(entry.id), replaces=replaces_stored)]
        report.skipped += len(latest) - len(due)
        if not due:
            return
        vectors = embedder.embed([entry.text for entry in due])
        for entry, vector in zip(due, vectors, strict=True):
            fields = _columns(entry) | searchable(entry) | embedding_columns(entry, vector=vector.tolist())
            fields |= {"source": source, "changed_at": now, "stored_digest": entry.digest}
            RootCause.objects.update_or_create(entry_name=entry.id, defaults=fields)
        report.added += sum(entry.id not in known for entry in due)
        report.changed += sum(entry.id in known for entry in due)


def _add_date(entry: Entry, *, known: RootCause | None, now: datetime) -> Entry:
    return entry if entry.created_at else replace(entry, created_at=known.created_at if known else now)


def _is_due(entry: Entry, *, known: RootCause | None, replaces: bool) -> bool:
    if known is None:
        return True
    stored = known.entry().digest
    return stored != entry.digest and (replaces or stored == known.stored_digest)


def _columns(entry: Entry) -> dict[str, Any]:
    return {name: value for name, value in asdict(entry).items() if name != "id"}
