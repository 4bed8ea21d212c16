"""
Storing of records in batches. A load is idempotent and may be killed at any point.

A batch is one transaction. Its issues are compared by digest with the last load; unchanged ones are left alone, so a
curator's correction lasts until the issue changes at its source. Epics, parents and links may point at issues that come
later; they are set at the end of each load, for all issues that it read.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import DataError, IntegrityError, connection, transaction

from sprints.ingest.record import Batch, Doubt, OrganisationGone, Record, batches, printable
from sprints.ingest.references import write_references
from sprints.ingest.times import check_times
from sprints.ingest.values import clean
from sprints.ingest.write_issues import PendingLinks, Selection, select_issues, write_issues
from sprints.models import Issue, Organisation, QuarantinedRecord

BATCH_ISSUES = 2_000
logger = logging.getLogger(__name__)
_OF_ISSUES = ("sprint_issues", "status_periods", "status_changes", "points_changes", "blocked_periods", "issue_links")
_FORGET = (
    *(
        f"DELETE FROM sprints_{table} AS h USING sprints_issues AS i "  # noqa: S608 - our own words
        "WHERE h.issue_id = i.issue_id AND i.organisation_id = %s"
        for table in _OF_ISSUES
    ),
    *(
        f"DELETE FROM sprints_{table} WHERE organisation_id = %s"  # noqa: S608 - our own words
        for table in ("issues", "sprints", "statuses", "users", "teams", "quarantine", "organisations")
    ),
)


@dataclass(slots=True)
class LoadReport:
    """
    The counts of issues by result, and of what came with them.

    `skipped` are stored already, and the same, or newer than what was read (`older`). Sprints, users and teams
    count what was added or changed.
    """

    expected: int = 0
    added: int = 0
    changed: int = 0
    skipped: int = 0
    older: int = 0
    sprints: int = 0
    users: int = 0
    teams: int = 0
    latest: datetime | None = None
    doubts: list[Doubt] = field(default_factory=list)
    unreadable: list[Doubt] = field(default_factory=list)

    def add(self, selection: Selection, *, changed_at: list[datetime]) -> None:
        """Add the counts of a batch."""
        self.added += selection.added
        self.changed += len(selection.written) - selection.added
        self.skipped += selection.skipped
        self.older += selection.older
        self.doubts += selection.doubts
        self.latest = max([*changed_at, *([self.latest] if self.latest else [])], default=None)

    @property
    def total(self) -> int:
        """Count every issue that was read: stored or refused."""
        return self.added + self.changed + self.skipped + self.refused_count

    @property
    def refused_count(self) -> int:
        """Count issues that could not be stored."""
        return sum(doubt.kind == "issue" and not doubt.is_warning for doubt in self.doubts)

    @property
    def warnings(self) -> int:
        """Count issues that were stored in part."""
        return sum(doubt.is_warning for doubt in self.doubts)

    def summary(self) -> str:
        """Return the counts in one line."""
        left_out = len(self.doubts) - self.warnings
        return (
            f"issues: {self.added:,} added, {self.changed:,} changed, {self.skipped:,} unchanged, "
            f"{self.refused_count:,} refused; "
            + (f"{self.older:,} older than what is stored; " if self.older else "")
            + f"{self.sprints:,} sprints, {self.users:,} people, {self.teams:,} teams added or changed; "
            f"{left_out:,} records in quarantine, {self.warnings:,} warnings"
            + (f"; {len(self.unreadable):,} files or answers not readable" if self.unreadable else "")
        )

    def reasons(self) -> Iterator[str]:
        """Yield the name and reason of every file and record that was not stored in full."""
        for doubt in self.unreadable:
            yield f"not readable: {printable(doubt.name)}: {printable(doubt.reason, most=300)}"
        for doubt in self.doubts:
            word = "warning" if doubt.is_warning else "refused"
            yield f"{word}: {doubt.kind} {printable(doubt.name)}: {printable(doubt.reason, most=300)}"


OnProgress = Callable[[LoadReport], None]


def ignore_progress(report: LoadReport) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRules:
    """
    How to load: without `replaces_stored` a stored issue stays as it is.

    With `replaces_stored`, `forgets_corrections` also writes issues again that have not changed at their source. What
    is dated after `now` is not believed; without it, as for a made-up organisation, times are not checked.
    """

    replaces_stored: bool = True
    forgets_corrections: bool = False
    batch_issues: int = BATCH_ISSUES
    now: datetime | None = None


def organisations_with_site() -> list[Organisation]:
    """Return the organisations with a Jira of their own, at most a hundred."""
    return list(Organisation.objects.exclude(site_url="").order_by("slug")[:100])


def ensure_organisation(slug: str, *, name: str = "", site_url: str = "") -> Organisation:
    """Return the organisation, creating it if needed, with an id derived from its name."""
    organisation, _ = Organisation.objects.get_or_create(
        slug=slug,
        defaults={
            "organisation_id": uuid5(NAMESPACE_URL, f"toolroom:sprints:{slug}"),
            "organisation_name": name or slug,
            "site_url": site_url,
        },
    )
    return organisation


def configure(organisation: Organisation, *, points_fields: list[str]) -> None:
    """Store which fields hold story points."""
    organisation.points_fields = points_fields
    organisation.save(update_fields=["points_fields"])


def note_synced(organisation: Organisation, *, report: LoadReport) -> None:
    """Store up to when a site's changes are loaded. Issues come in the order in which they changed."""
    if report.latest and (organisation.synced_until is None or report.latest > organisation.synced_until):
        organisation.synced_until = report.latest
        organisation.save(update_fields=["synced_until"])


def count_rows(organisation: Organisation) -> int:
    """Count an organisation's issues."""
    return Issue.objects.filter(organisation=organisation).count()


def hold(organisation_id: UUID) -> None:
    """
    Be the only one who changes an organisation's rows, until the transaction ends.

    A change of many rows, as a load, a deletion or a status that means something else, takes this first, so that two
    wait for one another and never both at once.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"sprints {organisation_id}"])


def forget(organisation: Organisation) -> None:
    """Delete an organisation with everything loaded of it, with one statement for each table. A load of it ends."""
    with transaction.atomic(), _derivation_deferred(), connection.cursor() as cursor:
        hold(organisation.pk)
        for statement in _FORGET:
            cursor.execute(statement, [organisation.pk])


def load_records(
    records: Iterable[Record],
    *,
    organisation: Organisation,
    report: LoadReport,
    rules: LoadRules | None = None,
    on_progress: OnProgress = ignore_progress,
) -> LoadReport:
    """Store records. Earlier records may be referenced by later ones. Raises OrganisationGone."""
    rules, pending = rules or LoadRules(), PendingLinks()
    believed = check_times(records, now=rules.now) if rules.now else iter(records)
    for batch in batches(believed, most_issues=rules.batch_issues):
        _load_what_is_sound(batch, organisation=organisation, report=report, rules=rules, pending=pending)
        on_progress(report)
    with transaction.atomic(), _derivation_deferred():
        _hold_stored(organisation)
        found = pending.write(organisation_id=organisation.pk)
        report.doubts += _quarantine(found, organisation=organisation)
        if rules.now and report.latest:
            report.latest = min(report.latest, rules.now)
        _advance_data_as_of(organisation, latest=report.latest, now=rules.now)
    return report


@contextmanager
def _derivation_deferred() -> Iterator[None]:
    """Disable the triggers of migration 0002. The caller runs sprints_derive. Requires a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sprints.deriving', 'later', true)")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sprints.deriving', '', true)")


def _load_what_is_sound(
    batch: Batch, *, organisation: Organisation, report: LoadReport, rules: LoadRules, pending: PendingLinks
) -> None:
    """Load a batch. If the database refuses it, bisect it until one record is left to quarantine."""
    try:
        with transaction.atomic(), _derivation_deferred():
            selection = _load_batch(batch, organisation=organisation, report=report, rules=rules)
    except (DataError, IntegrityError, KeyError) as error:
        if batch.size > 1:
            for half in batch.halves():
                _load_what_is_sound(half, organisation=organisation, report=report, rules=rules, pending=pending)
            return
        logger.warning("A record was refused while it was stored", exc_info=error)
        with transaction.atomic():
            report.doubts += _quarantine([batch.as_doubt(reason=_reason(error))], organisation=organisation)
        return
    report.add(selection, changed_at=[issue.updated_at for issue in batch.issues.values()])
    pending.add(selection)


def _reason(error: Exception) -> str:
    """Return the first line of the database's message. The rest names internals."""
    words = f"it names {error}, which is not there" if isinstance(error, KeyError) else str(error).partition("\n")[0]
    return f"not stored: {words}"


def _hold_stored(organisation: Organisation) -> None:
    """Hold an organisation. Raises OrganisationGone if it was deleted."""
    hold(organisation.pk)
    if not Organisation.objects.filter(pk=organisation.pk).exists():
        raise OrganisationGone(f"{organisation} was deleted while its issues were being stored")


def _load_batch(batch: Batch, *, organisation: Organisation, report: LoadReport, rules: LoadRules) -> Selection:
    _hold_stored(organisation)
    references = write_references(batch, organisation=organisation, replaces_stored=rules.replaces_stored)
    selection = select_issues(
        batch.issues.values(), organisation_id=organisation.pk, replaces_stored=rules.replaces_stored,
        forgets_corrections=rules.forgets_corrections,
    )  # fmt: skip
    written = write_issues(selection, organisation_id=organisation.pk, references=references)
    with connection.cursor() as cursor:
        cursor.execute("SELECT sprints_derive(%s::uuid[])", [[*written, *references.changed_sprint_issues]])
    selection.doubts = _quarantine([*batch.doubts, *selection.doubts], organisation=organisation)
    report.sprints, report.users, report.teams = (
        report.sprints + references.written_sprints, report.users + references.written_users,
        report.teams + references.written_teams,
    )  # fmt: skip
    return selection


def _quarantine(doubts: list[Doubt], *, organisation: Organisation) -> list[Doubt]:
    """Quarantine what was not understood. Repeated records are stored once."""
    once = {(doubt.kind, clean(doubt.name, most=200), clean(doubt.reason, most=500)): doubt for doubt in doubts}
    QuarantinedRecord.objects.bulk_create(
        [
            QuarantinedRecord(
                organisation=organisation, source=clean(doubt.source, most=300), kind=kind, name=name, reason=reason,
                is_warning=doubt.is_warning, record=doubt.record,
            )
            for (kind, name, reason), doubt in once.items()
        ],
        update_conflicts=True, unique_fields=["organisation", "kind", "name", "reason"],
        update_fields=["source", "is_warning", "record", "stored_at"],
    )  # fmt: skip
    return list(once.values())


def _advance_data_as_of(organisation: Organisation, *, latest: datetime | None, now: datetime | None) -> None:
    """Store up to when the data is known. A stored moment that is still to come is replaced."""
    stored = organisation.data_as_of
    if latest and (stored is None or latest > stored or (now and stored > now)):
        Organisation.objects.filter(pk=organisation.pk).update(data_as_of=latest)
        organisation.data_as_of = latest
