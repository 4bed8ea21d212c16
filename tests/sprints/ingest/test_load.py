"""Records into tables: once, whole, again, after a kill, beside corrections."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sprints.ingest.files import ingest_files
from sprints.ingest.load import LoadReport, LoadRules, ensure_organisation, forget, load_records
from sprints.ingest.record import Record
from sprints.ingest.sources import read_sources
from sprints.models import (
    Issue,
    IssueLink,
    Organisation,
    QuarantinedRecord,
    Sprint,
    SprintIssue,
    StatusChange,
    Team,
    User,
)

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")
NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def organisation() -> Organisation:
    return ensure_organisation("load-under-test")


def issue(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": str(number), "key": f"T-{number}",
        "fields": {
            "summary": f"Issue {number}", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-02T00:00:00Z",
            "project": {"key": "T"},
        } | fields,
    }  # fmt: skip


def records(*issues: dict[str, Any]) -> Iterator[Record]:
    return read_sources([("t.json", json.dumps(list(issues)).encode())])[0]


def load(organisation: Organisation, *issues: dict[str, Any], rules: LoadRules | None = None) -> LoadReport:
    return load_records(records(*issues), organisation=organisation, report=LoadReport(), rules=rules)


def counts(organisation: Organisation) -> dict[str, int]:
    of_it = {"issue__organisation": organisation}
    return {
        "issues": Issue.objects.filter(organisation=organisation).count(),
        "stays": SprintIssue.objects.filter(**of_it).count(),
        "moves": StatusChange.objects.filter(**of_it).count(),
        "links": IssueLink.objects.filter(**of_it).count(),
        "people": User.objects.filter(organisation=organisation).count(),
        "sprints": Sprint.objects.filter(organisation=organisation).count(),
        "quarantined": QuarantinedRecord.objects.filter(organisation=organisation).count(),
    }


def test_forms_of_all_kinds_load_together_and_again(organisation: Organisation) -> None:
    first = ingest_files(GOLDEN, organisation=organisation, now=NOW)
    stored = counts(organisation)
    second = ingest_files(GOLDEN, organisation=organisation, now=NOW)

    assert first.added == 5
    assert (second.added, second.changed, second.skipped) == (0, 0, 5)
    assert (second.sprints, second.users, second.teams) == (0, 0, 0)
    assert counts(organisation) == stored
    assert stored["moves"] == 5
    story = Issue.objects.get(organisation=organisation, issue_key="OPS-7")
    assert (story.reopened_count, story.sprint and story.sprint.sprint_name) == (1, "OPS 2")
    part = Issue.objects.get(organisation=organisation, issue_key="SHOP-4")
    assert part.parent is not None
    assert part.parent.issue_key == "SHOP-3"
    assert IssueLink.objects.get(issue__issue_key="SHOP-3").linked_issue == part


def test_a_correction_lasts_until_the_issue_changes_at_its_source(organisation: Organisation) -> None:
    load(organisation, issue(1), issue(2))
    Issue.objects.filter(organisation=organisation).update(title="Corrected")

    load(organisation, issue(1), issue(2, summary="Changed at the source"))

    titles = Issue.objects.filter(organisation=organisation).order_by("issue_key").values_list("title", flat=True)
    assert list(titles) == ["Corrected", "Changed at the source"]


def test_corrections_can_be_forgotten(organisation: Organisation) -> None:
    load(organisation, issue(1))
    Issue.objects.filter(organisation=organisation).update(title="Corrected")

    load(organisation, issue(1), rules=LoadRules(forgets_corrections=True))

    assert Issue.objects.get(organisation=organisation).title == "Issue 1"


def test_killed_between_batches_it_goes_on_where_it_was(
    organisation: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    issues = [issue(n, parent={"key": f"T-{n + 1}"}, issuetype={"name": "Sub-task", "subtask": True}) for n in range(6)]

    def kill(report: LoadReport) -> None:
        if report.total >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_records(
            records(*issues), organisation=organisation, report=LoadReport(), rules=LoadRules(batch_issues=2),
            on_progress=kill,
        )  # fmt: skip
    assert Issue.objects.filter(organisation=organisation).count() == 4
    load(organisation, *issues)

    linked = Issue.objects.filter(organisation=organisation, parent__isnull=False).count()
    assert (Issue.objects.filter(organisation=organisation).count(), linked) == (6, 5)
    assert load(organisation, *issues).skipped == 6


def test_an_issue_read_from_a_csv_and_then_from_the_api_is_one(organisation: Organisation) -> None:
    table = b"Summary,Issue key,Created\nFrom a table,T-1,2026-01-01\n"
    found, _, _ = read_sources([("t.csv", table)])
    load_records(found, organisation=organisation, report=LoadReport())

    load(organisation, issue(1))

    stored = Issue.objects.get(organisation=organisation)
    assert (stored.issue_key, stored.external_id, stored.title) == ("T-1", "1", "Issue 1")


def test_an_issue_that_moved_to_another_project_keeps_its_row(organisation: Organisation) -> None:
    load(organisation, issue(1))
    row = Issue.objects.get(organisation=organisation)

    there = issue(1, project={"key": "U"}, updated="2026-01-03T00:00:00Z")  # a Jira counts a move as a change
    load(organisation, there | {"key": "U-8"})

    moved = Issue.objects.get(organisation=organisation)
    assert (moved.pk, moved.issue_key, moved.team.team_key) == (row.pk, "U-8", "U")


def test_two_organisations_may_have_the_same_keys(organisation: Organisation) -> None:
    other = ensure_organisation("another")
    load(organisation, issue(1))

    load(other, issue(1, summary="Of the other"))

    assert Issue.objects.get(organisation=organisation).title == "Issue 1"
    assert Issue.objects.get(organisation=other).title == "Of the other"


def test_a_source_without_changelogs_leaves_stored_moves(organisation: Organisation) -> None:
    ingest_files(GOLDEN / "server_v2.json", organisation=organisation, now=NOW)
    raw = json.loads((GOLDEN / "server_v2.json").read_bytes())["issues"][0]
    raw.pop("changelog")
    raw["fields"]["summary"] = "Another"

    load(organisation, raw)

    assert Issue.objects.get(organisation=organisation).title == "Another"
    assert counts(organisation)["moves"] == 1


def test_people_work_where_most_of_their_issues_are(organisation: Organisation) -> None:
    ana = {"accountId": "a", "displayName": "Ana"}
    other = {"project": {"key": "U"}, "assignee": ana}
    moved = issue(3, **other) | {"key": "U-3"}

    load(organisation, issue(1, assignee=ana), issue(2, assignee=ana), moved)

    assert User.objects.get(organisation=organisation).team == Team.objects.get(organisation=organisation, team_key="T")


def test_an_organisation_is_forgotten_whole(organisation: Organisation) -> None:
    ingest_files(GOLDEN, organisation=organisation, now=NOW)
    before = Issue.objects.exclude(organisation=organisation).count()

    forget(organisation)

    assert set(counts(organisation).values()) == {0}
    assert Issue.objects.count() == before


def test_the_command_loads_a_folder_and_says_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ingest_jira", str(GOLDEN), "--organisation", "By command")

    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("issues: 5 added, 0 changed, 0 unchanged, 1 refused; ")
    assert any("SHOP-5" in line for line in said)
    assert Organisation.objects.get(slug="by-command").organisation_name == "By command"


def test_the_command_remembers_the_field_of_points(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([issue(1, customfield_5=13)]))

    call_command("ingest_jira", str(tmp_path), "--organisation", "fields", "--points-field", "customfield_5")
    call_command("ingest_jira", str(tmp_path), "--organisation", "fields")

    assert Issue.objects.get(organisation__slug="fields").story_points == 13


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing.json"], "neither a file, nor a folder, nor a site"),
        (["http://jira.example.com", "--minutes", "0"], "no issue could be read"),
    ],
)
def test_the_command_refuses_with_a_sentence(arguments: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("ingest_jira", *arguments)


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_s_tables_by_tabs_are_read(organisation: Organisation, tmp_path: Path, *, packed: bool) -> None:
    table = b"Summary\tIssue key\tIssue id\tIssue Type\tStatus\tCreated\nA\tT-1\t71\tBug\tOpen\t2026-03-05 15:04\n"
    (tmp_path / f"export.tsv{'.gz' * packed}").write_bytes(gzip.compress(table) if packed else table)

    ingest_files(tmp_path, organisation=organisation, now=NOW)

    assert Issue.objects.get(organisation=organisation).issue_key == "T-1"


def test_the_command_names_a_folder_without_anything_to_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")

    with pytest.raises(CommandError, match="no file in"):
        call_command("ingest_jira", str(tmp_path))


@pytest.mark.parametrize("name", ["cloud_v3.json", "server_v2.json", "agile.json"])
def test_letters_that_no_database_stores_are_left_out_wherever_they_stand(
    organisation: Organisation, name: str
) -> None:
    strange = _make_dirty(json.loads((GOLDEN / name).read_bytes()))
    found, _, unreadable = read_sources([(name, json.dumps(strange).encode())])

    report = load_records(found, organisation=organisation, report=LoadReport())

    assert unreadable == []
    assert report.added == 1


def _make_dirty(node: Any, *, under: str = "") -> Any:
    """Append a NUL and a lone surrogate to every text except times and the words that identify forms."""
    if isinstance(node, dict):
        return {key: _make_dirty(value, under=key) for key, value in node.items()}
    if isinstance(node, list):
        return [_make_dirty(value, under=under) for value in node]
    is_kept = not isinstance(node, str) or node[4:5] == "-" or "Sprint@" in node or under in KEPT
    return node if is_kept else f"{node}\x00\ud83d"


KEPT = {"field", "fieldId", "fieldtype", "key", "state", "custom", "type", "projectKey", "customfield_10002"}
