"""
Records into tables: in batches, safe to run twice and to be killed at any point.

A batch is one transaction. Its issues are compared by digest with what was read the last time: the same is left alone,
so that a curator's correction lasts until the issue changes at its source. Epics, parents and links may point at
issues that come later; they are set at the end of each load, for all issues that it read.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import connection, transaction

from sprints.ingest import history, linking
from sprints.ingest.deriving import derived_later
from sprints.ingest.people import Places, load_places
from sprints.ingest.record import Batch, Doubt, IssueRecord, Record, batches
from sprints.ingest.report import LoadReport
from sprints.ingest.values import clean
from sprints.models import Issue, Organisation, QuarantinedRecord

OnProgress = Callable[[LoadReport], None]
BATCH_ISSUES = 500
ISSUE_COLUMNS = [
    "team", "issue_key", "title", "description", "issue_type", "status", "priority", "resolution", "story_points",
    "original_estimate_seconds", "remaining_estimate_seconds", "time_spent_seconds", "assignee", "reporter", "labels",
    "due_date", "created_at", "updated_at", "source_resolved_at", "source_digest",
]  # fmt: skip


_OF_ISSUES = ("sprint_issues", "status_changes", "points_changes", "blocked_periods", "issue_links")
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


def unseen(report: LoadReport) -> None:
    """Show progress to nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRules:
    """
    How to load: without `replaces_stored` a stored issue stays as it is.

    With `replaces_stored`, `forgets_corrections` also writes issues again that have not changed at their source.
    """

    replaces_stored: bool = True
    forgets_corrections: bool = False
    batch_issues: int = BATCH_ISSUES


@dataclass(slots=True)
class _Pending:
    """What is set once every issue is there."""

    issues: list[IssueRecord] = field(default_factory=list)


def organisations_with_site() -> list[Organisation]:
    """Give the organisations that have a Jira of their own, a hundred at most."""
    return list(Organisation.objects.exclude(site_url="").order_by("slug")[:100])


def ensure_organisation(slug: str, *, name: str = "", site_url: str = "") -> Organisation:
    """Give the organisation, made where it is missing, by an id that follows from its name."""
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
    """Remember which fields hold story points."""
    organisation.points_fields = points_fields
    organisation.save(update_fields=["points_fields"])


def note_synced(organisation: Organisation, *, report: LoadReport) -> None:
    """Remember up to when a site's changes are stored: issues come in the order in which they changed."""
    if report.latest and (organisation.synced_until is None or report.latest > organisation.synced_until):
        organisation.synced_until = report.latest
        organisation.save(update_fields=["synced_until"])


def count_rows(organisation: Organisation) -> int:
    """Count an organisation's issues."""
    return Issue.objects.filter(organisation=organisation).count()


def forget(organisation: Organisation) -> None:
    """Delete an organisation with all that was loaded of it; a statement a table, nothing is read."""
    with transaction.atomic(), derived_later(), connection.cursor() as cursor:
        for statement in _FORGET:
            cursor.execute(statement, [organisation.pk])


def load_records(
    records: Iterable[Record],
    *,
    organisation: Organisation,
    report: LoadReport,
    rules: LoadRules | None = None,
    on_progress: OnProgress = unseen,
) -> LoadReport:
    """Store records; those that come first may be named by those that follow."""
    rules, pending = rules or LoadRules(), _Pending()
    for batch in batches(iter(records), most_issues=rules.batch_issues):
        with transaction.atomic(), derived_later():
            _load_batch(batch, organisation=organisation, report=report, rules=rules, pending=pending)
        on_progress(report)
    with transaction.atomic(), derived_later():
        report.doubts += _quarantine(linking.link(pending.issues, organisation=organisation), organisation=organisation)
        _tell_moment(organisation, latest=report.latest)
    return report


def _load_batch(
    batch: Batch, *, organisation: Organisation, report: LoadReport, rules: LoadRules, pending: _Pending
) -> None:
    with connection.cursor() as cursor:  # one load of an organisation at a time; the other waits for this batch
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"sprints {organisation.pk}"])
    places = load_places(batch, organisation=organisation, report=report, replaces_stored=rules.replaces_stored)
    stored = dict(
        Issue.objects.filter(organisation=organisation, external_id__in=list(batch.issues)).values_list(
            "external_id", "source_digest"
        )
    )
    written = [issue for issue in batch.issues.values() if _is_written(issue, stored=stored, rules=rules)]
    ids = _write_issues(written, organisation=organisation, places=places)
    history.replace(written, ids=ids, places=places)
    with connection.cursor() as cursor:
        cursor.execute("SELECT sprints_derive(%s::uuid[])", [[*ids.values(), *places.shaken]])
    report.doubts += _quarantine(batch.doubts, organisation=organisation)
    _count(batch, stored=stored, written=written, report=report)
    pending.issues += [issue for issue in written if _points_elsewhere(issue)]
    moments = [issue.updated_at for issue in batch.issues.values()]
    report.latest = max([*moments, *([report.latest] if report.latest else [])], default=None)


def _is_written(issue: IssueRecord, *, stored: dict[str, str], rules: LoadRules) -> bool:
    digest = stored.get(issue.external_id)
    if not digest:
        return True
    return rules.replaces_stored and (rules.forgets_corrections or digest != issue.digest)


def _points_elsewhere(issue: IssueRecord) -> bool:
    """Tell whether it names other issues: it is then whole, and has its digest, when those are linked."""
    return bool(issue.epic_key or issue.parent_key or issue.links)


def _write_issues(issues: list[IssueRecord], *, organisation: Organisation, places: Places) -> dict[str, UUID]:
    """Write the issues as they stand; gives their ids by the source's."""
    mine = Issue.objects.filter(organisation=organisation)
    known_keys = dict(mine.filter(issue_key__in=[issue.issue_key for issue in issues]).values_list("issue_key", "pk"))
    for issue in issues:  # a key that another source's id holds: the same issue, read from a CSV before
        if held := known_keys.get(issue.issue_key):
            mine.filter(pk=held).exclude(external_id=issue.external_id).update(external_id=issue.external_id)
    Issue.objects.bulk_create(
        [_row(issue, organisation=organisation, places=places) for issue in issues],
        update_conflicts=True, unique_fields=["organisation", "external_id"], update_fields=ISSUE_COLUMNS,
    )  # fmt: skip
    wanted = [issue.external_id for issue in issues]
    return dict(mine.filter(external_id__in=wanted).values_list("external_id", "pk"))


def _row(issue: IssueRecord, *, organisation: Organisation, places: Places) -> Issue:
    return Issue(
        issue_id=uuid5(organisation.pk, f"issue:{issue.external_id}"), organisation=organisation,
        team_id=places.teams[issue.team_key], external_id=issue.external_id, issue_key=issue.issue_key,
        title=issue.title, description=issue.description, issue_type=issue.issue_type,
        status_id=places.statuses.get(issue.status), priority=issue.priority, resolution=issue.resolution,
        story_points=issue.story_points, original_estimate_seconds=issue.original_estimate_seconds,
        remaining_estimate_seconds=issue.remaining_estimate_seconds, time_spent_seconds=issue.time_spent_seconds,
        assignee_id=places.users.get(issue.assignee), reporter_id=places.users.get(issue.reporter),
        labels=list(issue.labels), due_date=issue.due_date, created_at=issue.created_at, updated_at=issue.updated_at,
        source_resolved_at=issue.resolved_at, source_digest="" if _points_elsewhere(issue) else issue.digest,
    )  # fmt: skip


def _count(batch: Batch, *, stored: dict[str, str], written: list[IssueRecord], report: LoadReport) -> None:
    new = sum(issue.external_id not in stored for issue in written)
    report.added += new
    report.changed += len(written) - new
    report.skipped += len(batch.issues) - len(written)


def _quarantine(doubts: list[Doubt], *, organisation: Organisation) -> list[Doubt]:
    """Keep what was not understood; what was kept before is kept once."""
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


def _tell_moment(organisation: Organisation, *, latest: datetime | None) -> None:
    if latest and (organisation.data_as_of is None or latest > organisation.data_as_of):
        Organisation.objects.filter(pk=organisation.pk).update(data_as_of=latest)
        organisation.data_as_of = latest
