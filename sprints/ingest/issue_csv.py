"""
Jira's CSV export into records. It has no history: sprint memberships follow from dates, where those are known.

Columns repeat (Sprint, Labels, links), people are names, and accounts beside them where the export has them. Times are
as the site's language writes them; sprints are names only, so a file of the Agile API's sprints beside it helps.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from sprints.ingest.changelog import PresentState, read_memberships
from sprints.ingest.csv_table import Table, decimal_text, languages
from sprints.ingest.record import (
    Doubt,
    IssueRecord,
    Link,
    NotReadable,
    Record,
    SprintRecord,
    StatusRecord,
    TeamRecord,
    UserRecord,
)
from sprints.ingest.survey import EPIC_NAMES, FLAG_NAMES, POINTS_NAMES, Survey
from sprints.ingest.values import Notes, clean, day, find_category, moment, optional_moment, points, read_key, seconds

Row = dict[str, list[str]]
_KEY = re.compile(r"[^\W\d_]\w*-[0-9]+")
_SINGLE = {
    "issue key", "issue id", "project key", "project name", "summary", "issue type", "status", "status category",
    "priority", "resolution", "created", "updated", "resolved", "due date", "assignee", "assignee id", "reporter",
    "reporter id", "parent", "parent key", "original estimate", "remaining estimate", "time spent", "description",
    "story points",
}  # fmt: skip
"""Headings of which an issue has one value. Others, as Sprint and Labels, repeat."""
_LINK = re.compile(r"(outward|inward) issue link \((.+)\)")


def read_csv(table: Table, *, survey: Survey, source: str) -> Iterator[Record]:
    """Parse an export. A row that is not an issue becomes a doubt."""
    for reason in table.warnings:
        yield Doubt(kind="file", name=source, reason=reason, is_warning=True, source=source)
    parents = _Parents.from_table(table)
    for number, values in enumerate(table.rows, table.first_row):
        if any(values):
            yield from _read_row(table.names, values, survey=survey, parents=parents, at=f"{source} row {number}")
    if table.cut:
        at = f"{source} row {table.first_row + len(table.rows)}"
        name = clean(dict(zip(table.names, table.cut, strict=False)).get("issue key"), most=100) or at
        yield _refuse(table.cut, reason="the file ends in the middle of this row", name=name, at=at)


@dataclass(frozen=True, slots=True)
class _Parents:
    """Keys of issues by their ids, by which a Server names parents. A key is its own."""

    keys: dict[str, str]

    @classmethod
    def from_table(cls, table: Table) -> "_Parents":
        """Read the ids of a table."""
        at = {name: place for place, name in enumerate(table.names) if name in ("issue id", "issue key")}
        if len(at) < 2:  # noqa: PLR2004 - both
            return cls({})
        rows = [row for row in table.rows if len(row) > max(at.values())]
        return cls({row[at["issue id"]].strip(): row[at["issue key"]].strip() for row in rows})

    def find(self, row: Row, *, notes: Notes) -> str:
        """Return the key of a row's parent. Note an id that the table does not hold."""
        given = read_key(_one(row, "parent key") or _one(row, "parent"))
        if not given or _KEY.fullmatch(given):
            return given
        key = self.keys.get(given, "")
        if not key:
            notes.add(f"parent: no issue of the file has the id {given!r}; left out")
        return read_key(key)


def _read_row(names: list[str], values: list[str], *, survey: Survey, parents: _Parents, at: str) -> Iterator[Record]:
    row: Row = defaultdict(list)
    for name, value in zip(names, values, strict=False):
        if value.strip():
            row[name].append(value)
    notes = Notes(kind="issue", name=clean(_one(row, "issue key"), most=100) or at, source=at)
    if len(values) != len(names):
        notes.add(f"{len(values)} values under {len(names)} headings")
    for name in sorted(_SINGLE & row.keys()):
        first, *others = dict.fromkeys(row[name])
        if others:
            notes.add(f"{name}: {first[:60]!r} and {others[0][:60]!r} stand under one heading; the first is taken")
    try:
        yield from _issue(row, survey=survey, parents=parents, notes=notes)
    except (NotReadable, ValueError) as error:
        yield _refuse(values, reason=clean(error, most=500), name=notes.name, at=at)
        return
    yield from notes.doubts


def _refuse(values: list[str], *, reason: str, name: str, at: str) -> Doubt:
    return Doubt(kind="issue", name=name, reason=reason, source=at, record=clean(",".join(values), most=2_000))


def _issue(row: Row, *, survey: Survey, parents: _Parents, notes: Notes) -> Iterator[Record]:
    key = read_key(_one(row, "issue key"))
    if not _KEY.fullmatch(key):
        raise NotReadable("a row without an issue key")
    created_at = moment(_one(row, "created"))
    if created_at is None:
        raise NotReadable("a row without 'Created'")
    team = TeamRecord(
        team_key=clean(_one(row, "project key") or key.rpartition("-")[0], most=50),
        team_name=clean(_one(row, "project name") or key.rpartition("-")[0], most=200),
    )
    people = [_person(row, role) for role in ("assignee", "reporter")]
    present = PresentState(
        created_at=created_at,
        sprints=tuple(_sprint(name, team=team, survey=survey) for name in row.get("sprint", [])),
        status=clean(_one(row, "status"), most=200),
        is_flagged=any(_field(row, name) for name in FLAG_NAMES),
    )
    yield team
    yield from filter(None, people)
    yield from present.sprints
    if present.status:
        yield _status(row, name=present.status, survey=survey, notes=notes)
    assignee, reporter = (one.external_id if one else "" for one in people)
    above = parents.find(row, notes=notes)
    record = _record(row, key=key, above=above, present=present, survey=survey, notes=notes)
    yield replace(record, team_key=team.team_key, assignee=assignee, reporter=reporter)


def _record(row: Row, *, key: str, above: str, present: PresentState, survey: Survey, notes: Notes) -> IssueRecord:
    is_subtask = _one(row, "issue type").casefold().startswith(languages().subtask)
    return IssueRecord(
        external_id=clean(_one(row, "issue id") or key, most=100), issue_key=key, team_key="",
        title=" ".join(clean(_one(row, "summary"), notes=notes, what="summary").split()) or key,
        issue_type=clean(_one(row, "issue type"), most=100),
        description=clean(_one(row, "description"), notes=notes, what="description"), created_at=present.created_at,
        updated_at=optional_moment(_one(row, "updated"), what="updated", notes=notes) or present.created_at,
        status=present.status, priority=clean(_one(row, "priority"), most=100),
        resolution=clean(_one(row, "resolution"), most=100),
        story_points=_points(row, survey=survey, notes=notes),
        original_estimate_seconds=seconds(_one(row, "original estimate"), notes=notes, what="original estimate"),
        remaining_estimate_seconds=seconds(_one(row, "remaining estimate"), notes=notes, what="remaining estimate"),
        time_spent_seconds=seconds(_one(row, "time spent"), notes=notes, what="time spent"),
        epic_key=read_key(_epic(row)) or ("" if is_subtask else above),
        parent_key=above if is_subtask else "",
        labels=tuple(clean(label, most=255) for cell in row.get("labels", []) for label in cell.split()),
        due_date=day(_one(row, "due date"), notes=notes),
        resolved_at=optional_moment(_one(row, "resolved"), what="resolved", notes=notes),
        memberships=tuple(read_memberships([], present=present, survey=survey, notes=notes)),
        links=tuple(_links(row)), has_history=False,
    )  # fmt: skip


def _status(row: Row, *, name: str, survey: Survey, notes: Notes) -> StatusRecord:
    given = clean(_one(row, "status category"), most=100)
    if meant := find_category(given):
        return StatusRecord(status_name=name, status_category=meant)
    if given:
        notes.add(f"status category: {given!r} is none that is known: To Do, In Progress or Done")
    return survey.status(name)


def _one(row: Row, name: str) -> str:
    found = row.get(name)
    return found[0] if found else ""


def _person(row: Row, role: str) -> UserRecord | None:
    name = clean(_one(row, role), most=200)
    account = clean(_one(row, f"{role} id") or name, most=200)
    return UserRecord(external_id=account, full_name=name or account) if account else None


def _sprint(name: str, *, team: TeamRecord, survey: Survey) -> SprintRecord:
    """Return the sprint of a name. An unknown one is created as closed and without dates."""
    wanted = clean(name, most=255)
    known = next((one for one in survey.sprints.values() if one.sprint_name == wanted), None)
    if known:
        return survey.sprint(known)
    made = SprintRecord(external_id=f"name:{wanted}"[:100], sprint_name=wanted, state="closed", team_key=team.team_key)
    survey.doubts.append(
        Doubt(kind="sprint", name=wanted, is_warning=True,
              reason="a CSV export has no dates of sprints: load the Agile API's sprints beside it")
    )  # fmt: skip
    return survey.sprint(made)


def _points(row: Row, *, survey: Survey, notes: Notes) -> Decimal | None:
    configured = [name.casefold() for name in survey.fields.configured]
    for name in configured or sorted(POINTS_NAMES):
        if given := _field(row, name):
            return points(decimal_text(given), notes=notes)
    return None


def _epic(row: Row) -> str:
    return next(filter(None, (_field(row, name) for name in sorted(EPIC_NAMES))), "")


def _field(row: Row, name: str) -> str:
    """Return a custom field. Some exports write its heading without brackets."""
    return _one(row, f"custom field ({name})") or _one(row, name)


def _links(row: Row) -> Iterator[Link]:
    for name, values in row.items():
        found = _LINK.fullmatch(name)
        for key in values if found else []:
            kind = found[2] if found else ""
            word = kind if found and found[1] == "outward" else f"inward {kind}"
            yield Link(link_type=_WORDS.get(word, word)[:100], issue_key=read_key(key))


_WORDS = {
    "blocks": "blocks", "inward blocks": "is blocked by", "relates": "relates to", "inward relates": "relates to",
    "duplicate": "duplicates", "inward duplicate": "is duplicated by", "cloners": "clones",
    "inward cloners": "is cloned by",
}  # fmt: skip
"""The REST API's descriptions of the standard links, by their names in the export."""
