"""Whatever a source holds, the rest of it is stored, and what was not understood is named."""

import gzip
import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sprints.ingest.record import Doubt, IssueRecord, StatusRecord
from sprints.ingest.sources import read_sources
from sprints.ingest.values import Notes, adf_text, clean, greenhopper, moment, points, seconds

GOLDEN = Path(__file__).with_name("golden")
ENDPOINTS = Path(__file__).with_name("endpoints")
STRANGE: tuple[Any, ...] = (None, True, -1, 1e308, "", "x", [], {}, [None], {"a": []}, [[]])
GOOD = {
    "id": "1", "key": "A-1",
    "fields": {"summary": "s", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-02T00:00:00Z"},
}  # fmt: skip


def read(*documents: Any, points_fields: tuple[str, ...] = ()) -> tuple[list[IssueRecord], list[Doubt]]:
    sources = [(f"{place}.json", json.dumps(one).encode()) for place, one in enumerate(documents)]
    records, _, unreadable = read_sources(sources, points_fields=points_fields)
    found = list(records)
    return (
        [one for one in found if isinstance(one, IssueRecord)],
        [*unreadable, *(one for one in found if isinstance(one, Doubt))],
    )


def with_fields(**fields: Any) -> dict[str, Any]:
    return GOOD | {"fields": GOOD["fields"] | fields}  # type: ignore[operator]


@pytest.mark.parametrize(
    ("issue", "reason"),
    [
        ({"id": "9", "fields": {}}, "without a key"),
        ({"key": "A-9", "fields": {}}, "without 'created'"),
        ({"key": "A-9", "fields": {"created": "soon"}}, "'soon' is no time"),
        ({"key": "A-9", "fields": {"created": 10**30}}, "no time that can be kept"),
        ({"key": "A-9", "fields": {"created": {"a": 1}}}, "is no time"),
    ],
)
def test_an_issue_that_cannot_be_read_leaves_the_others(issue: dict[str, Any], reason: str) -> None:
    issues, doubts = read([GOOD, issue])

    assert [one.issue_key for one in issues] == ["A-1"]
    assert reason in doubts[0].reason
    assert not doubts[0].is_warning
    assert doubts[0].record


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"updated": "x"}, "updated: 'x' is no time"),
        ({"duedate": "never"}, "due date"),
        ({"timespent": "abc"}, "timespent"),
        ({"timespent": -5}, "timespent"),
        ({"summary": "a\x00b"}, "letters that cannot be stored"),
        ({"summary": "half \ud800"}, "letters that cannot be stored"),
        ({"sprint": {"id": 4, "name": "S", "state": "odd"}}, "state 'odd'"),
        ({"sprint": "neither"}, "is not understood"),
        ({"status": {"name": "Huh"}}, "no category"),
        ({"assignee": "bob"}, "assignee: 'bob'"),
    ],
)
def test_what_is_odd_in_an_issue_is_noted_and_the_issue_is_kept(fields: dict[str, Any], reason: str) -> None:
    issues, doubts = read([with_fields(**fields)])

    assert len(issues) == 1
    assert any(reason in doubt.reason for doubt in doubts), doubts
    assert all(doubt.is_warning for doubt in doubts)


@pytest.mark.parametrize("given", [True, -1, "many", [3], float("1e9"), "NaN", "Infinity"])
def test_points_that_are_none_are_noted(given: Any) -> None:
    notes = Notes(kind="issue", name="A-1")

    assert points(given, notes=notes) is None
    assert len(notes.doubts) == 1


@pytest.mark.parametrize(("given", "read_as"), [(3.0, "3"), ("0.5", "0.5"), (100, "100"), (1.23456, "1.235"), (0, "0")])
def test_points_are_kept_as_they_are_written(given: Any, read_as: str) -> None:
    read_points = points(given, notes=Notes(kind="", name=""))

    assert str(read_points) == read_as
    assert isinstance(read_points, Decimal)


def test_seconds_and_times_beyond_reason_are_refused() -> None:
    notes = Notes(kind="", name="")

    assert seconds(10**12, notes=notes, what="x") is None
    assert seconds("1e400", notes=notes, what="x") is None
    with pytest.raises(ValueError, match="no time"):
        moment("0000-00-00")


def test_a_field_that_may_hold_points_is_pointed_out() -> None:
    _, doubts = read([with_fields(customfield_10024=2.0)])

    assert "--points-field customfield_10024" in doubts[0].reason


def test_a_configured_field_is_read() -> None:
    issues, doubts = read([with_fields(customfield_10024=2.0)], points_fields=("customfield_10024",))

    assert issues[0].story_points == 2
    assert doubts == []


def test_a_field_is_configured_by_name_too() -> None:
    fields = [{"id": "customfield_7", "name": "Größe", "schema": {"type": "number"}}]

    issues, _ = read(fields, [with_fields(customfield_7=8)], points_fields=("größe",))

    assert issues[0].story_points == 8


def test_a_document_without_end_in_depth_is_named_and_not_a_crash() -> None:
    deep = b"[" * 200_000

    records, _, unreadable = read_sources([("deep.json", deep), ("good.json", json.dumps([GOOD]).encode())])

    assert len([one for one in records if isinstance(one, IssueRecord)]) == 1
    assert [one.name for one in unreadable] == ["deep.json"]


def test_adf_of_any_depth_and_shape_gives_text() -> None:
    node: dict[str, Any] = {"type": "text", "text": "bottom"}
    for _ in range(500):
        node = {"type": "panel", "content": [node, None, 3, "x"]}

    assert adf_text(node) == ""
    assert adf_text({"type": "doc", "content": [{"type": "date", "attrs": {"timestamp": "x"}}]}) == "x"


def test_bidirectional_and_combining_letters_stay() -> None:
    assert clean("محمد\u0301 \u202e") == "محمد\u0301 \u202e".strip()


@pytest.mark.parametrize("text", ["", "com.x.Sprint@zz[", "Sprint@1[", "x" * 10_000, "com.Sprint@1a[id=1,name=]]]"])
def test_a_server_s_sprint_is_read_or_left(text: str) -> None:
    read_sprint = greenhopper(text)

    assert read_sprint is None or read_sprint["id"] == "1"


@pytest.mark.parametrize("name", ["cloud_v3.json", "server_v2.json", "agile.json", "export.csv"])
def test_a_damaged_source_never_crashes(name: str) -> None:
    whole = (GOLDEN / name).read_bytes()
    dice = random.Random(name)

    for _ in range(60):
        cut = bytearray(whole[: dice.randrange(len(whole))] if dice.random() < 0.5 else whole)
        for _ in range(dice.randrange(6)):
            if cut:
                cut[dice.randrange(len(cut))] = dice.randrange(256)
        records, _, unreadable = read_sources([(name, bytes(cut))])
        assert isinstance([*records, *unreadable], list)


@pytest.mark.parametrize("name", ["cloud_v3.json", "server_v2.json", "agile.json"])
def test_any_value_of_another_type_never_crashes(name: str) -> None:
    """Every value of the document, one by one, is replaced by values of other types."""
    document = json.loads((GOLDEN / name).read_bytes())
    for path in _paths(document):
        for strange in STRANGE:
            records, _, _ = read_sources([(name, json.dumps(_put(document, path, strange)).encode())])
            list(records)


def _paths(node: Any, *before: Any) -> list[tuple[Any, ...]]:
    here = [before] if before else []
    if isinstance(node, dict):
        return here + [path for key, value in node.items() for path in _paths(value, *before, key)]
    if isinstance(node, list):
        return here + [path for place, value in enumerate(node) for path in _paths(value, *before, place)]
    return here


def _put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(document))
    node = copy
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return copy


def test_gzip_and_a_byte_order_mark_change_nothing() -> None:
    text = (GOLDEN / "export.csv").read_bytes()

    plain, _, _ = read_sources([("export.csv", text)])
    dressed, _, _ = read_sources([("export.csv", gzip.compress(b"\xef\xbb\xbf" + text))])

    assert list(plain) == list(dressed)


def test_broken_gzip_is_named() -> None:
    _, _, unreadable = read_sources([("a.json.gz", b"\x1f\x8bnot")])

    assert "broken gzip" in unreadable[0].reason


def test_answers_saved_one_endpoint_to_a_file_are_read_together() -> None:
    """Sprints, statuses, people and changelogs stand apart from issues, and the site speaks Japanese."""
    records, _, unreadable = read_sources([(path.name, path.read_bytes()) for path in sorted(ENDPOINTS.glob("*.json"))])
    found = list(records)

    issues = {one.issue_key: one for one in found if isinstance(one, IssueRecord)}
    statuses = {one.status_name: one.status_category for one in found if isinstance(one, StatusRecord)}
    doubts = [(one.kind, one.name, one.is_warning) for one in found if isinstance(one, Doubt)]
    assert unreadable == []
    assert [(one.status, one.has_history) for one in issues.values()] == [
        ("完了", False), ("進行中", True), ("未着手", False)
    ]  # fmt: skip
    assert statuses == {"未着手": "To Do", "進行中": "In Progress", "完了": "Done"}
    assert [(one.sprint, f"{one.added_at:%d.%m. %H:%M}") for one in issues["NORD-2"].memberships] == [
        ("71", "02.02. 00:30"), ("72", "16.02. 00:30")
    ]  # fmt: skip
    assert [(one.from_status, one.to_status) for one in issues["NORD-2"].moves] == [("未着手", "進行中")]
    assert [one.sprint for one in issues["NORD-1"].memberships] == ["71"]
    assert doubts == [("issue", "NORD-1", True)] * 2 + [("change", "39999", False)]  # its category; no such issue


def test_a_label_that_is_no_text_is_left_out() -> None:
    issues, _ = read([with_fields(labels=[{"a": 1}, "ux", ""])])

    assert issues[0].labels == ("ux",)
