"""Times that cannot be: what the data tells does not lie ahead, and nothing ends before it began."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from sprints.ingest.files import ingest_files
from sprints.ingest.load import LoadReport, ensure_organisation
from sprints.models import Issue, Organisation, QuarantinedRecord, Sprint
from tests.sprints.ingest.test_load import issue

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
AHEAD = "2062-03-15T00:00:00Z"


@pytest.fixture
def organisation() -> Organisation:
    return ensure_organisation("times")


def load_file(name: str, content: bytes, *, folder: Path, organisation: Organisation) -> LoadReport:
    (folder / name).write_bytes(content)
    return ingest_files(folder / name, organisation=organisation, now=NOW)


def load(organisation: Organisation, folder: Path, *issues: dict[str, Any]) -> LoadReport:
    content = json.dumps(list(issues)).encode()
    return load_file("t.json", content, folder=folder, organisation=organisation)


def read_as_of() -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT data_as_of FROM sprintscope.teams WHERE organisation_name = 'times' LIMIT 1")
        row: tuple[datetime] | None = cursor.fetchone()
    return row[0] if row else None


def test_an_issue_created_after_the_load_is_refused_by_name(organisation: Organisation, tmp_path: Path) -> None:
    table = b"Issue key,Summary,Created\nF-1,Sound,2026-03-01\nF-2,Ahead,9999-12-31 23:59\n"

    report = load_file("t.csv", table, folder=tmp_path, organisation=organisation)

    assert (report.added, report.refused_count) == (1, 1)
    assert QuarantinedRecord.objects.get(organisation=organisation, kind="issue").name == "F-2"
    assert read_as_of() == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("given", [{"updated": AHEAD}, {"resolutiondate": AHEAD}])
def test_another_time_after_the_load_is_left_out_with_a_warning(
    organisation: Organisation, tmp_path: Path, given: dict[str, str]
) -> None:
    report = load(organisation, tmp_path, issue(1, **given))

    stored = Issue.objects.get(organisation=organisation)
    assert stored.updated_at < NOW
    assert stored.source_resolved_at is None
    assert [("2062-03-15" in doubt.reason, doubt.is_warning) for doubt in report.doubts] == [(True, True)]
    as_of = read_as_of()
    assert as_of is not None
    assert as_of <= NOW


def test_history_after_the_load_is_left_out_with_a_warning(organisation: Organisation, tmp_path: Path) -> None:
    moved = [{"field": "status", "fromString": "To Do", "toString": "Done"}]
    flagged = [{"field": "Flagged", "fromString": "", "toString": "Impediment"}]
    entries = [{"id": "1", "created": "2026-02-01T00:00:00Z", "items": flagged}]
    entries += [{"id": "2", "created": AHEAD, "items": moved}]

    report = load(organisation, tmp_path, issue(1) | {"changelog": {"histories": entries}})

    stored = Issue.objects.get(organisation=organisation)
    assert stored.status_changes.count() == 0
    assert stored.blocked_periods.count() == 1
    assert [doubt.reason for doubt in report.doubts if doubt.kind == "issue"] == [
        "changelog: 1 changes are dated after the load; left out"
    ]


def test_the_end_of_a_sprint_after_the_load_is_left_out_with_a_warning(
    organisation: Organisation, tmp_path: Path
) -> None:
    sprint = {"id": 5, "name": "S", "state": "closed", "startDate": "2026-01-05T09:00:00Z", "completeDate": AHEAD}

    report = load(organisation, tmp_path, issue(1, sprint=sprint | {"endDate": AHEAD}))

    stored = Sprint.objects.get(organisation=organisation)
    assert stored.completed_at is None
    assert stored.ends_at is not None
    assert [doubt.kind for doubt in report.doubts] == ["sprint"]


def test_what_is_a_time_zone_ahead_is_stored_and_the_data_ends_now(organisation: Organisation, tmp_path: Path) -> None:
    report = load(organisation, tmp_path, issue(1, updated="2026-05-01T23:30:00"))

    assert (report.added, report.doubts) == (1, [])
    assert read_as_of() == NOW


def test_a_stored_end_of_the_data_that_lies_ahead_is_replaced(organisation: Organisation, tmp_path: Path) -> None:
    organisation.data_as_of = datetime(9999, 12, 31, tzinfo=UTC)
    organisation.save()

    load(organisation, tmp_path, issue(1))

    assert read_as_of() == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_resolution_before_the_creation_is_left_out_with_a_warning(
    organisation: Organisation, tmp_path: Path
) -> None:
    table = b"Issue key,Summary,Status,Status Category,Created,Resolved\nF-1,a,Done,Done,2026-03-01,2020-01-01\n"

    report = load_file("t.csv", table, folder=tmp_path, organisation=organisation)

    with connection.cursor() as cursor:
        cursor.execute("SELECT resolved_at, lead_time_days FROM sprintscope.issues WHERE issue_key = 'F-1' LIMIT 1")
        assert cursor.fetchone() == (None, None)
    assert [doubt.reason for doubt in report.doubts if doubt.kind == "issue"] == [
        "resolved: 2020-01-01 00:00 is before the creation, 2026-03-01 00:00; left out"
    ]
