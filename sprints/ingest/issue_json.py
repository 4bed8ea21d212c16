"""Parsing of one issue of Jira's REST API, any version, to a record. Problems are noted. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sprints.ingest.changelog import Past, PresentState, read_past
from sprints.ingest.record import Doubt, IssueRecord, Link, NotReadable, Record, SprintRecord, TeamRecord
from sprints.ingest.survey import Survey
from sprints.ingest.values import (
    Notes,
    category,
    clean,
    day,
    moment,
    optional_moment,
    person,
    points,
    read_key,
    seconds,
    sprint,
    write_record,
)


def read_issue(one: dict[str, Any], *, survey: Survey, source: str) -> Iterator[Record]:
    """Parse an issue: its people, sprints, team and statuses, then itself, or a doubt in its place."""
    name = clean(one.get("key") or one.get("id"), most=100)
    notes = Notes(kind="issue", name=name, source=source)
    try:
        records = list(_Reader(one=one, survey=survey, notes=notes).records())
    except NotReadable as error:
        yield Doubt(kind="issue", name=name, reason=str(error), source=source, record=write_record(one))
        return
    yield from records
    yield from notes.doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    one: dict[str, Any]
    survey: Survey
    notes: Notes

    @property
    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = self.one["fields"]
        return fields

    def records(self) -> Iterator[Record]:
        """Yield everything that the issue names, and the issue."""
        key = read_key(self.one.get("key"))
        if not key or "-" not in key:
            raise NotReadable("an issue without a key")
        present = PresentState(
            created_at=self._moment("created"),
            sprints=tuple(self._sprints()),
            status=self._status(),
            is_flagged=self._is_flagged(),
        )
        entries, has_history = self._entries()
        past = read_past(entries, present=present, survey=self.survey, notes=self.notes)
        yield self._team(key)
        yield from filter(None, map(person, self._people(entries)))
        yield from (self.survey.sprints[one.sprint] for one in past.memberships)
        for move in past.moves:
            yield from (self.survey.status(name) for name in (move.from_status, move.to_status) if name)
        if present.status:
            yield self.survey.status(present.status, status_id=clean(self.fields["status"].get("id")))
        yield self._issue(key, present=present, past=past, has_history=has_history)

    def _issue(self, key: str, *, present: PresentState, past: Past, has_history: bool) -> IssueRecord:
        return IssueRecord(
            external_id=clean(self.one.get("id") or key, most=100), issue_key=key, team_key=self._team(key).team_key,
            title=" ".join(self._text("summary").split()) or key,
            issue_type=self._text("issuetype", most=100), description=self._text("description"),
            created_at=present.created_at, updated_at=self._read_updated_at(present.created_at), status=present.status,
            priority=self._text("priority", most=100), resolution=self._text("resolution", most=100),
            story_points=self._points(), original_estimate_seconds=self._seconds("timeoriginalestimate"),
            remaining_estimate_seconds=self._seconds("timeestimate"), time_spent_seconds=self._seconds("timespent"),
            assignee=self._account("assignee"), reporter=self._account("reporter"),
            epic_key=self._epic(), parent_key=self._parent(), labels=self._labels(),
            due_date=day(self.fields.get("duedate"), notes=self.notes),
            resolved_at=optional_moment(self.fields.get("resolutiondate"), what="resolutiondate", notes=self.notes),
            memberships=tuple(past.memberships), moves=tuple(past.moves), estimates=tuple(past.estimates),
            blocks=tuple(past.blocks), links=tuple(self._links()), has_history=has_history,
        )  # fmt: skip

    def _moment(self, name: str) -> Any:
        try:
            read = moment(self.fields.get(name))
        except ValueError as error:
            raise NotReadable(f"{name}: {error}") from error
        if read is None:
            raise NotReadable(f"an issue without {name!r}")
        return read

    def _read_updated_at(self, created_at: Any) -> Any:
        read = optional_moment(self.fields.get("updated"), what="updated", notes=self.notes)
        return read or created_at

    def _text(self, name: str, *, most: int = 0) -> str:
        return clean(self.fields.get(name), most=most, notes=self.notes, what=name)

    def _seconds(self, name: str) -> int | None:
        return seconds(self.fields.get(name), notes=self.notes, what=name)

    def _account(self, name: str) -> str:
        read = person(self.fields.get(name))
        if read is None and self.fields.get(name):
            self.notes.add(f"{name}: {str(self.fields[name])[:60]!r} is no account; left out")
        return read.external_id if read else ""

    def _people(self, entries: list[Any]) -> Iterator[Any]:
        yield from (self.fields.get(name) for name in ("assignee", "reporter"))
        yield from (entry.get("author") for entry in entries if isinstance(entry, dict))

    def _team(self, key: str) -> TeamRecord:
        given = self.fields.get("project")
        project = given if isinstance(given, dict) else {}
        team = clean(project.get("key"), most=50) or key.rpartition("-")[0][:50]
        known = self.survey.teams.get(team)
        name = clean(project.get("name"), most=200) or (known.team_name if known else team)
        return TeamRecord(team_key=team, team_name=name, external_id=clean(project.get("id"), most=100))

    def _status(self) -> str:
        given = self.fields.get("status")
        if not isinstance(given, dict):
            return ""
        name = clean(given.get("name"), most=200)
        if name:
            meant = category(given.get("statusCategory"), notes=self.notes)
            known = self.survey.status(name, status_id=clean(given.get("id")))
            if meant and meant != known.status_category:
                self.notes.add(f"status {name}: here {meant}, elsewhere {known.status_category}, which is taken")
        return name

    def _points(self) -> Any:
        given = [(name, self.fields.get(name)) for name in self.survey.fields.points()]
        read = [points(value, notes=self.notes, what=name) for name, value in given]
        found = [value for value in read if value is not None]
        if len(set(found)) > 1:
            self.notes.add(f"story points: fields disagree, {', '.join(map(str, found))}; the first is taken")
        return found[0] if found else None

    def _sprints(self) -> Iterator[SprintRecord]:
        given: list[Any] = []
        for name in ("sprint", "closedSprints", *self.survey.fields.sprints(), *self._sprint_like()):
            value = self.fields.get(name)
            given += value if isinstance(value, list) else [value]
        seen: set[str] = set()
        for one in given:
            read = sprint(one, notes=self.notes) if one else None
            if one and read is None:
                self.notes.add(f"sprint: {str(one)[:80]!r} is not understood")
            if read and read.external_id not in seen:
                seen.add(read.external_id)
                yield self.survey.sprint(read, given=one)

    def _sprint_like(self) -> Iterator[str]:
        """Return fields whose content looks like sprints, if the fields' names are unknown."""
        if self.survey.fields.sprints():
            return
        for name, value in self.fields.items():
            first = value[0] if isinstance(value, list) and value else None
            is_text = isinstance(first, str) and "greenhopper" in first and "Sprint@" in first
            is_object = isinstance(first, dict) and {"id", "name", "state", "boardId"} <= first.keys()
            if name.startswith("customfield_") and (is_text or is_object):
                yield name

    def _entries(self) -> tuple[list[Any], bool]:
        given = self.one.get("changelog")
        entries = (given.get("histories") or given.get("values")) if isinstance(given, dict) else given
        if entries is not None and not isinstance(entries, list):
            self.notes.add("changelog: not a list of entries")
        entries = entries if isinstance(entries, list) else []
        total = given.get("total") if isinstance(given, dict) else None
        if isinstance(total, int) and total > len(entries):
            self.notes.add(f"changelog: only {len(entries)} of {total} entries are given")
        apart = [
            entry
            for name in {str(self.one.get("id")), str(self.one.get("key"))}
            for entry in self.survey.changes.pop(name, [])
        ]
        return [*entries, *apart], given is not None or bool(apart)

    def _is_flagged(self) -> bool:
        return self.fields.get("flagged") is True or any(self.fields.get(name) for name in self.survey.fields.flags())

    def _labels(self) -> tuple[str, ...]:
        given = self.fields.get("labels")
        labels = [clean(label, most=255) for label in given] if isinstance(given, list) else []
        return tuple(label for label in labels if label)

    def _epic(self) -> str:
        for name in self.survey.fields.epics():
            if isinstance(self.fields.get(name), str):
                return read_key(self.fields[name])
        given = self.fields.get("epic")
        if isinstance(given, dict) and given.get("key"):
            return read_key(given["key"])
        return self._above() if self._above_is_epic() else ""

    def _parent(self) -> str:
        return "" if self._above_is_epic() else self._above()

    def _above(self) -> str:
        given = self.fields.get("parent")
        return read_key(given.get("key")) if isinstance(given, dict) else ""

    def _above_is_epic(self) -> bool:
        given = self.fields.get("parent")
        fields = given.get("fields") if isinstance(given, dict) else None
        kind = fields.get("issuetype") if isinstance(fields, dict) else None
        mine = self.fields.get("issuetype")
        if isinstance(kind, dict):
            return kind.get("hierarchyLevel") == 1 or str(kind.get("name")).casefold() == "epic"
        return isinstance(mine, dict) and mine.get("subtask") is False

    def _links(self) -> Iterator[Link]:
        given = self.fields.get("issuelinks")
        for one in given if isinstance(given, list) else ():
            kind = one.get("type") if isinstance(one, dict) else None
            if not isinstance(kind, dict):
                continue
            for end, word in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
                other = one.get(end)
                key = read_key(other.get("key")) if isinstance(other, dict) else ""
                if key:
                    yield Link(link_type=clean(kind.get(word) or kind.get("name"), most=100), issue_key=key)
