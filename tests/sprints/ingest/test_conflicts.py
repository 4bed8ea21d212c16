"""Records that contradict each other or what is stored: the sound ones are loaded, the others are named."""

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection

from sprints.ingest.load import LoadReport, LoadRules, ensure_organisation, load_records
from sprints.ingest.record import IssueRecord
from sprints.ingest.sources import read_sources
from sprints.models import Issue, Organisation, QuarantinedRecord
from tests.sprints.ingest.test_load import issue, load, records

pytestmark = pytest.mark.django_db


@pytest.fixture
def organisation() -> Organisation:
    return ensure_organisation("conflicts")


def read_stored(organisation: Organisation) -> dict[str, tuple[str, str]]:
    found = Issue.objects.filter(organisation=organisation)
    return {one.issue_key: (one.external_id, one.title) for one in found}


def on(day: int, number: int, **fields: Any) -> dict[str, Any]:
    return issue(number, updated=f"2026-02-{day:02}T00:00:00Z", **fields)


@pytest.mark.parametrize("batch_issues", [1, 2, 500])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_of_two_issues_with_one_key_the_one_changed_last_is_loaded(
    organisation: Organisation, *, batch_issues: int, is_reversed: bool
) -> None:
    older, newer = on(1, 1, summary="Older"), on(2, 9, summary="Newer") | {"key": "T-1"}
    both = [newer, older] if is_reversed else [older, newer]

    report = load_records(
        records(on(1, 5), *both, on(1, 6)), organisation=organisation, report=LoadReport(),
        rules=LoadRules(batch_issues=batch_issues),
    )  # fmt: skip

    assert read_stored(organisation) == {"T-1": ("9", "Newer"), "T-5": ("5", "Issue 5"), "T-6": ("6", "Issue 6")}
    named = [doubt.reason for doubt in report.doubts]
    assert len(named) == 1
    assert "id 1" in named[0]
    assert "id 9" in named[0]
    assert QuarantinedRecord.objects.get(organisation=organisation).name == "T-1"


def test_an_issue_does_not_take_the_key_of_another_stored_one(organisation: Organisation) -> None:
    load(organisation, on(1, 1), on(1, 2))

    report = load(organisation, on(2, 1) | {"key": "T-2"}, on(2, 3))

    assert read_stored(organisation).keys() == {"T-1", "T-2", "T-3"}
    assert [doubt.kind for doubt in report.doubts] == ["issue"]


def test_two_issues_may_exchange_their_keys(organisation: Organisation) -> None:
    load(organisation, on(1, 1), on(1, 2))

    report = load(organisation, on(2, 1) | {"key": "T-2"}, on(2, 2) | {"key": "T-1"})

    assert {key: found[0] for key, found in read_stored(organisation).items()} == {"T-2": "1", "T-1": "2"}
    assert report.doubts == []


@pytest.mark.parametrize("batch_issues", [1, 500])
@pytest.mark.parametrize("together", [False, True])
def test_older_data_does_not_replace_newer(organisation: Organisation, *, batch_issues: int, together: bool) -> None:
    rules = LoadRules(batch_issues=batch_issues)
    newer, older = on(9, 1, summary="Newer"), on(3, 1, summary="Older")
    if together:
        report = load(organisation, newer, older, rules=rules)
    else:
        load(organisation, newer, rules=rules)
        report = load(organisation, older, rules=rules)

    assert read_stored(organisation) == {"T-1": ("1", "Newer")}
    assert report.changed == 0
    if not together:
        assert (report.skipped, report.older) == (1, 1)
        assert "1 older than what is stored" in report.summary()


def test_a_table_without_ids_leaves_the_stored_id(organisation: Organisation) -> None:
    load(organisation, on(1, 7) | {"key": "T-1"})
    table = b"Summary,Issue key,Created,Updated\nFrom a table,T-1,2026-01-01,2026-03-01\n"

    found, _, _ = read_sources([("t.csv", table)])
    load_records(found, organisation=organisation, report=LoadReport())

    assert read_stored(organisation) == {"T-1": ("7", "From a table")}


def test_a_record_that_the_database_refuses_is_named_and_the_others_are_loaded(organisation: Organisation) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE sprints_issues ADD CONSTRAINT no_poison CHECK (title <> 'poison')")

    report = load(organisation, *(on(1, number, summary="poison" if number == 4 else "fine") for number in range(9)))

    assert len(read_stored(organisation)) == 8
    assert [(doubt.kind, doubt.name) for doubt in report.doubts] == [("issue", "T-4")]
    assert "no_poison" in report.doubts[0].reason
    assert (report.added, report.refused_count) == (8, 1)


def test_the_digest_keeps_the_form_that_stored_ones_have() -> None:
    found = next(one for one in records(on(1, 1, labels=["a"], duedate="2026-03-01")) if isinstance(one, IssueRecord))
    form = asdict(found)
    form["stays"] = form.pop("memberships")

    assert found.digest == sha256(json.dumps(form, default=str, sort_keys=True).encode()).hexdigest()


@pytest.mark.parametrize("batch_issues", [1, 500])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("other", [{}, {"created": "2025-06-01T00:00:00Z", "updated": "2026-02-05T00:00:00Z"}])
def test_two_issues_with_one_id_are_not_taken_for_one(
    organisation: Organisation, *, batch_issues: int, together: bool, other: dict[str, str]
) -> None:
    rules = LoadRules(batch_issues=batch_issues)
    both = on(1, 7) | {"key": "QQ-1"}, on(1, 7) | {"key": "QQ-2"}
    both[1]["fields"] |= other

    if together:
        report = load(organisation, *both, rules=rules)
        assert (report.added, report.refused_count, report.total) == (1, 1, 2)
    else:
        load(organisation, both[0], rules=rules)
        report = load(organisation, both[1], rules=rules)
        assert (report.added, report.changed, report.refused_count) == (0, 0, 1)

    assert read_stored(organisation).keys() == {"QQ-1"}
    assert [(doubt.name, "QQ-1" in doubt.reason) for doubt in report.doubts if not doubt.is_warning] == [("QQ-2", True)]


@pytest.mark.parametrize("batch_issues", [1, 500])
@pytest.mark.parametrize("together", [True, False])
def test_an_issue_that_was_moved_has_its_new_key(
    organisation: Organisation, *, batch_issues: int, together: bool
) -> None:
    rules = LoadRules(batch_issues=batch_issues)
    before, after = on(1, 7), on(3, 7) | {"key": "NEW-1"}

    reports = (
        [load(organisation, before, after, rules=rules)] if together
        else [load(organisation, one, rules=rules) for one in (before, after)]
    )  # fmt: skip

    assert read_stored(organisation).keys() == {"NEW-1"}
    assert [doubt for report in reports for doubt in report.doubts] == []


def test_parents_in_a_circle_are_named(organisation: Organisation) -> None:
    def below(number: int, parent: int) -> dict[str, Any]:
        return on(1, number, parent={"key": f"T-{parent}"})

    report = load(organisation, below(1, 2), below(2, 3), below(3, 1), below(4, 4), below(5, 1), on(1, 6), below(7, 6))

    assert [(one.name, one.is_warning) for one in report.doubts if "circle" in one.reason] == [
        ("T-1 in T-2 in T-3 in T-1", True), ("T-4 in T-4", True),
    ]  # fmt: skip
