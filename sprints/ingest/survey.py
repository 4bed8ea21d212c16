"""
The content of a source before issues are parsed: fields, statuses, sprints, people, changelogs.

Jira's answers are recognised by content, not by file name: pages and bare lists of issues, sprints, statuses, users,
projects, fields, boards and changelog entries.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sprints.ingest.record import Doubt, SprintRecord, StatusRecord, TeamRecord, UserRecord
from sprints.ingest.values import (
    CATEGORIES,
    Notes,
    category,
    clean,
    find_category,
    greenhopper,
    person,
    sprint,
    write_record,
)

POINTS_TYPES = {"com.pyxis.greenhopper.jira:jsw-story-points"}
POINTS_NAMES = {
    "story points", "story point estimate", "story point", "storypoints", "故事点", "故事点数", "story-points",
    "puntos de historia", "points de story", "story-punkte", "ストーリーポイント", "ストーリー ポイント",
}  # fmt: skip
SPRINT_TYPES = {"com.pyxis.greenhopper.jira:gh-sprint"}
SPRINT_NAMES = {"sprint", "sprints", "スプリント", "冲刺"}
EPIC_TYPES = {"com.pyxis.greenhopper.jira:gh-epic-link"}
EPIC_NAMES = {"epic link"}
FLAG_NAMES = {"flagged", "impediment", "标记", "markiert"}
HOW_TO_STATE = (
    "give the export a column 'Status Category', load the site's /rest/api/2/status beside it, or set it in the admin, "
    "under Statuses"
)


@dataclass(slots=True)
class FieldNames:
    """
    The known names of a site's fields, from every place that has them.

    `configured` are names or ids of fields for story points; where given, no other is looked for.
    """

    configured: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def learn(self, name_by_id: Any, *, type_by_id: Any = None) -> None:
        """Add `names` and `schema` of a search, as `expand=names,schema` returns them."""
        for key, name in name_by_id.items() if isinstance(name_by_id, dict) else ():
            if isinstance(key, str) and isinstance(name, str):
                self.names.setdefault(key, name)
        for key, given in type_by_id.items() if isinstance(type_by_id, dict) else ():
            if isinstance(given, dict) and isinstance(given.get("custom"), str):
                self.types.setdefault(key, given["custom"])

    def learn_fields(self, given: Iterable[Any]) -> None:
        """Add the answer of /rest/api/2/field."""
        for one in given:
            if isinstance(one, dict) and isinstance(one.get("id"), str):
                name = one.get("untranslatedName") or one.get("name")
                self.learn({one["id"]: name}, type_by_id={one["id"]: one.get("schema")})

    def learn_change(self, item: dict[str, Any]) -> None:
        """Add a field's name and id from an item of a changelog."""
        if item.get("fieldtype") == "custom" and isinstance(item.get("fieldId"), str):
            self.learn({item["fieldId"]: item.get("field")})

    def points(self) -> tuple[str, ...]:
        """Return the fields for story points, the most likely first."""
        if self.configured:
            wanted = {name.casefold() for name in self.configured}
            return tuple(dict.fromkeys([*self._find_by_name(wanted), *self.configured]))
        return self._find_fields(POINTS_TYPES, names=POINTS_NAMES)

    def sprints(self) -> tuple[str, ...]:
        """Return the fields that hold sprints."""
        return self._find_fields(SPRINT_TYPES, names=SPRINT_NAMES)

    def epics(self) -> tuple[str, ...]:
        """Return the fields that hold an epic's key."""
        return self._find_fields(EPIC_TYPES, names=EPIC_NAMES)

    def flags(self) -> tuple[str, ...]:
        """Return the fields that flag an issue as blocked."""
        return self._find_by_name(FLAG_NAMES)

    def is_points(self, item: dict[str, Any]) -> bool:
        """Return whether an item of a changelog is about story points."""
        return item.get("fieldId") in self.points() or (
            not self.configured and str(item.get("field")).casefold() in POINTS_NAMES
        )

    def _find_fields(self, types: set[str], *, names: set[str]) -> tuple[str, ...]:
        typed = [key for key, given in self.types.items() if given in types]
        return tuple(dict.fromkeys([*typed, *self._find_by_name(names)]))

    def _find_by_name(self, names: set[str]) -> tuple[str, ...]:
        return tuple(key for key, name in self.names.items() if name.strip().casefold() in names)


@dataclass(slots=True)
class Survey:
    """The content of a source besides its issues. `issues` are unparsed, each with the name of its place."""

    fields: FieldNames = field(default_factory=FieldNames)
    teams: dict[str, TeamRecord] = field(default_factory=dict)
    users: dict[str, UserRecord] = field(default_factory=dict)
    sprints: dict[str, SprintRecord] = field(default_factory=dict)
    status_by_id: dict[str, StatusRecord] = field(default_factory=dict)
    seen_categories: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    boards: dict[str, str] = field(default_factory=dict)
    boards_of_sprints: dict[str, str] = field(default_factory=dict)
    changes: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    numbers: Counter[str] = field(default_factory=Counter)
    issues: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)

    def take(self, document: Any, *, source: str) -> None:
        """Add one answer of a Jira. An unknown kind becomes a doubt."""
        for one in _items(document):
            if isinstance(document, dict):
                self.fields.learn(document.get("names"), type_by_id=document.get("schema"))
            self._take_one(one, source=source)

    def status(self, name: str, *, status_id: str = "") -> StatusRecord:
        """Return a status with its category: from the site's list, else from most issues, else by Jira's own names."""
        listed = self.status_by_id.get(status_id)
        known = listed if listed and listed.status_name == name else self._find_listed_status(name)
        if known:
            return known
        seen = self.seen_categories.get(name)
        if seen:
            return StatusRecord(status_name=name, status_category=seen.most_common(1)[0][0])
        taken = find_category(name)
        reason = f"no category is given for it; taken as {taken}"
        if not taken:
            taken = CATEGORIES["indeterminate"]
            reason = f"no category is given for it, and by its name it is not known; taken as {taken}: {HOW_TO_STATE}"
        self.doubts.append(Doubt(kind="status", name=name, reason=reason, is_warning=True))
        self.seen_categories[name][taken] += 1
        return StatusRecord(status_name=name, status_category=taken)

    def sprint(self, read: SprintRecord, *, given: Any = None) -> SprintRecord:
        """Return a sprint from the site's list, else from the first issue, with its board's team if known."""
        board = self.boards_of_sprints.setdefault(read.external_id, _board(given))
        known = self.sprints.setdefault(read.external_id, read)
        team = self.boards.get(board, "")
        if team and not known.team_key:
            known = self.sprints[read.external_id] = replace(known, team_key=team)
        return known

    def _find_listed_status(self, name: str) -> StatusRecord | None:
        found = [status for status in self.status_by_id.values() if status.status_name == name]
        if len({status.status_category for status in found}) > 1:
            counted = Counter(status.status_category for status in found)
            return StatusRecord(status_name=name, status_category=counted.most_common(1)[0][0])
        return found[0] if found else None

    def _take_one(self, one: Any, *, source: str) -> None:
        if not isinstance(one, dict):
            self._doubt("record", str(one)[:60], "not an object", source=source, record=write_record(one))
            return
        for recognised, take in _KINDS:
            if recognised(one):
                take(self, one, source)
                return
        self._doubt("record", clean(one.get("id") or one.get("key"), most=100), "not a kind of answer that is known",
                    source=source, record=write_record(one))  # fmt: skip

    def _doubt(self, kind: str, name: str, reason: str, *, source: str, record: str = "") -> None:
        self.doubts.append(Doubt(kind=kind, name=name, reason=reason, source=source, record=record))

    def take_issue(self, one: dict[str, Any], *, source: str) -> None:
        """Store an issue for parsing, and learn statuses, fields and sprints from it."""
        fields = one["fields"]
        status = fields.get("status")
        if isinstance(status, dict):
            meant = category(status.get("statusCategory"), notes=Notes(kind="", name=""))
            if meant:
                self.seen_categories[clean(status.get("name"), most=200)][meant] += 1
        self.fields.learn(one.get("names"), type_by_id=one.get("schema"))
        self.numbers.update(
            name for name, value in fields.items() if name.startswith("customfield_") and type(value) in (int, float)
        )
        for entry in _histories(one.get("changelog")):
            self._learn_changes(entry)
        self.issues.append((source, one))

    def take_change(self, one: dict[str, Any], *, source: str) -> None:
        """Add an entry of a changelog that is separate from its issue."""
        self._learn_changes(one)
        self.changes[str(one.get("issue") or one.get("issueId") or one.get("issueKey"))].append(one)

    def take_sprint(self, one: dict[str, Any], *, source: str) -> None:
        """Add a sprint."""
        notes = Notes(kind="sprint", name=str(one.get("id")), source=source)
        read = sprint(one, notes=notes)
        if read:
            self.boards_of_sprints[read.external_id] = _board(one)
            self.sprints[read.external_id] = read
        self.doubts += notes.doubts

    def take_user(self, one: dict[str, Any], *, source: str) -> None:
        """Add a person."""
        if read := person(one):
            self.users[read.external_id] = read
        else:
            self._doubt("user", str(one.get("displayName"))[:60], "an account without an id", source=source)

    def take_status(self, one: dict[str, Any], *, source: str) -> None:
        """Add a status with its category."""
        notes = Notes(kind="status", name=clean(one.get("name"), most=200), source=source)
        meant = category(one.get("statusCategory"), notes=notes)
        if meant and notes.name:
            self.status_by_id[str(one.get("id"))] = StatusRecord(status_name=notes.name, status_category=meant)
        else:
            notes.add("a status without a name or a category")
        self.doubts += notes.doubts

    def take_project(self, one: dict[str, Any], *, source: str) -> None:
        """Add a project as a team."""
        key = clean(one["key"], most=50)
        name = clean(one.get("name"), most=200) or key
        self.teams[key] = TeamRecord(team_key=key, team_name=name, external_id=clean(one.get("id"), most=100))

    def take_board(self, one: dict[str, Any], *, source: str) -> None:
        """Record the team of a board."""
        place = one.get("location")
        if isinstance(place, dict) and isinstance(place.get("projectKey"), str):
            self.boards[str(one["id"])] = place["projectKey"]

    def take_field(self, one: dict[str, Any], *, source: str) -> None:
        """Record a field's name and type."""
        self.fields.learn_fields([one])

    def _learn_changes(self, entry: dict[str, Any]) -> None:
        items = entry.get("items")
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                self.fields.learn_change(item)


def _board(given: Any) -> str:
    if isinstance(given, str):
        given = greenhopper(given)
    if not isinstance(given, dict):
        return ""
    return str(given.get("originBoardId") or given.get("boardId") or given.get("rapidViewId") or "")


def _items(document: Any) -> Iterator[Any]:
    if isinstance(document, dict):
        for name in ("issues", "values", "histories"):
            if isinstance(document.get(name), list):
                yield from document[name]
                return
    yield from document if isinstance(document, list) else [document]


def _histories(changelog: Any) -> list[dict[str, Any]]:
    found = changelog.get("histories") or changelog.get("values") if isinstance(changelog, dict) else changelog
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


Take = Callable[[Survey, dict[str, Any], str], None]
_KINDS: tuple[tuple[Callable[[dict[str, Any]], bool], Take], ...] = (
    (lambda one: isinstance(one.get("fields"), dict), lambda survey, one, at: survey.take_issue(one, source=at)),
    (lambda one: isinstance(one.get("items"), list), lambda survey, one, at: survey.take_change(one, source=at)),
    (
        lambda one: isinstance(one.get("state"), str) and "name" in one,
        lambda survey, one, at: survey.take_sprint(one, source=at),
    ),
    (lambda one: "statusCategory" in one, lambda survey, one, at: survey.take_status(one, source=at)),
    (
        lambda one: "displayName" in one and ("accountId" in one or "emailAddress" in one or "active" in one),
        lambda survey, one, at: survey.take_user(one, source=at),
    ),
    (
        lambda one: one.get("type") in ("scrum", "kanban", "simple") and "id" in one,
        lambda survey, one, at: survey.take_board(one, source=at),
    ),
    (
        lambda one: isinstance(one.get("id"), str) and ("schema" in one or "clauseNames" in one or "custom" in one),
        lambda survey, one, at: survey.take_field(one, source=at),
    ),
    (
        lambda one: isinstance(one.get("key"), str) and "name" in one,
        lambda survey, one, at: survey.take_project(one, source=at),
    ),
)
"""How to recognise the kind of an object, in this order, and which method takes it."""
