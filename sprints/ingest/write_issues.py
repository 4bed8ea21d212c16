"""
Storing of issues: selection, rows, history, and links between them.

An issue is identified by its source's id, else by its key. A key belongs to one issue: of two with the same key, to the
one changed last. An issue older than the stored one is not written.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

import orjson
from django.db import connection

from sprints.ingest.record import Doubt, IssueRecord
from sprints.ingest.references import References

_STORED = """
SELECT external_id, issue_key, source_digest, created_at, updated_at FROM sprints_issues
WHERE organisation_id = %(organisation)s AND (external_id = ANY (%(ids)s) OR issue_key = ANY (%(keys)s))
"""
_ADOPT = """
UPDATE sprints_issues AS i SET external_id = given.external_id
FROM unnest(%(keys)s::text[], %(ids)s::text[]) AS given (issue_key, external_id)
WHERE i.organisation_id = %(organisation)s AND i.issue_key = given.issue_key
"""
# Two issues may exchange their keys in one statement only if neither still holds the other's.
_FREE_KEYS = """
UPDATE sprints_issues SET issue_key = 'moving ' || issue_id
WHERE organisation_id = %(organisation)s AND external_id = ANY (%(ids)s)
"""
_COLUMNS = (
    "external_id text, issue_id uuid, team_id uuid, issue_key text, title text, description text, issue_type text, "
    "status_id bigint, priority text, resolution text, story_points numeric, original_estimate_seconds bigint, "
    "remaining_estimate_seconds bigint, time_spent_seconds bigint, assignee_id uuid, reporter_id uuid, labels text[], "
    "due_date date, created_at timestamptz, updated_at timestamptz, source_resolved_at timestamptz, source_digest text"
)
_NAMES = [column.split()[0] for column in _COLUMNS.split(", ")]
_WRITE = f"""
INSERT INTO sprints_issues (organisation_id, {", ".join(_NAMES)})
SELECT %(organisation)s, {", ".join(_NAMES)} FROM json_to_recordset(%(rows)s::json) AS given ({_COLUMNS})
ON CONFLICT (organisation_id, external_id) DO UPDATE
SET {", ".join(f"{name} = EXCLUDED.{name}" for name in _NAMES[2:])}
RETURNING external_id, issue_id
"""  # noqa: S608 - our own words
_COPY = {
    "sprints_sprint_issues": "issue_id, sprint_id, added_at, removed_at",
    "sprints_status_changes": "issue_id, changed_at, from_status_id, to_status_id, changed_by_id, external_id",
    "sprints_points_changes": "issue_id, changed_at, from_points, to_points, changed_by_id",
    "sprints_blocked_periods": "issue_id, blocked_at, unblocked_at, reason",
}
_RELATE = """
UPDATE sprints_issues AS i
SET epic_id = epic.issue_id, parent_id = parent.issue_id, source_digest = given.digest
FROM unnest(%(ids)s::text[], %(epics)s::text[], %(parents)s::text[], %(digests)s::text[])
  AS given (external_id, epic_key, parent_key, digest)
LEFT JOIN sprints_issues AS epic ON epic.organisation_id = %(organisation)s AND epic.issue_key = given.epic_key
LEFT JOIN sprints_issues AS parent ON parent.organisation_id = %(organisation)s AND parent.issue_key = given.parent_key
WHERE i.organisation_id = %(organisation)s AND i.external_id = given.external_id
"""
_UNLINK = """
DELETE FROM sprints_issue_links AS l USING sprints_issues AS i
WHERE l.issue_id = i.issue_id AND i.organisation_id = %(organisation)s AND i.external_id = ANY (%(ids)s)
"""
_LINK = """
INSERT INTO sprints_issue_links (issue_id, link_type, linked_issue_id)
SELECT a.issue_id, given.link_type, b.issue_id
FROM unnest(%(from)s::text[], %(types)s::text[], %(to)s::text[]) AS given (external_id, link_type, issue_key)
JOIN sprints_issues AS a ON a.organisation_id = %(organisation)s AND a.external_id = given.external_id
JOIN sprints_issues AS b ON b.organisation_id = %(organisation)s AND b.issue_key = given.issue_key
ON CONFLICT DO NOTHING
"""
_ABSENT = """
SELECT key FROM unnest(%(keys)s::text[]) AS key
WHERE NOT EXISTS (SELECT FROM sprints_issues WHERE organisation_id = %(organisation)s AND issue_key = key)
"""
_HOMES = """
UPDATE sprints_users AS u SET team_id = home.team_id
FROM (
  SELECT DISTINCT ON (assignee_id) assignee_id, team_id
  FROM sprints_issues WHERE organisation_id = %(organisation)s AND assignee_id IS NOT NULL
  GROUP BY assignee_id, team_id ORDER BY assignee_id, count(*) DESC, team_id
) AS home
WHERE u.user_id = home.assignee_id AND u.team_id IS NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIssue:
    """The fields that decide whether a stored issue is written again."""

    external_id: str
    issue_key: str
    source_digest: str
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class Selection:
    """The selected issues of a batch with their digests, and counts and doubts of the others."""

    written: dict[str, tuple[IssueRecord, str]] = field(default_factory=dict)
    adopted: dict[str, str] = field(default_factory=dict)
    """Ids by key of stored issues that are the same under a new id."""
    moved: list[str] = field(default_factory=list)
    added: int = 0
    skipped: int = 0
    older: int = 0
    doubts: list[Doubt] = field(default_factory=list)


def select_issues(
    issues: Iterable[IssueRecord], *, organisation_id: UUID, replaces_stored: bool, forgets_corrections: bool
) -> Selection:
    """Select the issues to write. Each of the others is counted, or is a doubt that names both."""
    given = list(issues)
    known = {"ids": [issue.external_id for issue in given], "keys": [issue.issue_key for issue in given]}
    with connection.cursor() as cursor:
        cursor.execute(_STORED, {"organisation": organisation_id, **known})
        names = ("external_id", "issue_key", "source_digest", "created_at", "updated_at")
        stored = [StoredIssue(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]
    by_id = {one.external_id: one for one in stored}
    by_key = {one.issue_key: one for one in stored}
    given_by_id = {issue.external_id: issue for issue in given}
    selection = Selection()
    for issue in _one_for_each_key(given, by_key=by_key, selection=selection):
        own, holder = by_id.get(issue.external_id), by_key.get(issue.issue_key)
        if own and not issue.is_later_form_of(key=own.issue_key, created_at=own.created_at, updated_at=own.updated_at):
            selection.doubts.append(issue.refuse_id(key=own.issue_key))
            continue
        is_older = own is not None and issue.updated_at < own.updated_at
        if own and (is_older or (own.source_digest and not replaces_stored)):
            selection.skipped += 1
            selection.older += is_older and replaces_stored
            continue
        if holder and holder.external_id != issue.external_id and not _moves_away(holder, given=given_by_id):
            if own or not _replaces(issue, holder=holder, selection=selection):
                selection.doubts.append(_make_key_conflict(issue, by=holder.external_id))
                continue
            own, selection.adopted[issue.issue_key] = holder, issue.external_id
        digest = issue.digest
        if own and own.source_digest == digest and not forgets_corrections:
            selection.skipped += 1
            continue
        if own and own.issue_key != issue.issue_key:
            selection.moved.append(own.external_id)
        selection.added += own is None
        selection.written[issue.external_id] = issue, digest
    return selection


def _one_for_each_key(
    issues: list[IssueRecord], *, by_key: dict[str, StoredIssue], selection: Selection
) -> Iterable[IssueRecord]:
    """Return the issue changed last of each key. One without an id is the one of its key that has one."""
    ids = {issue.issue_key: issue.external_id for issue in issues if issue.external_id != issue.issue_key}
    chosen: dict[str, IssueRecord] = {}
    for issue in issues:
        if issue.external_id == issue.issue_key:
            holder = by_key.get(issue.issue_key)
            known = ids.get(issue.issue_key) or (holder.external_id if holder else issue.external_id)
            issue = replace(issue, external_id=known)  # noqa: PLW2901 - the same issue, under its id
        other = chosen.get(issue.issue_key)
        if other is None:
            chosen[issue.issue_key] = issue
            continue
        first, last = (issue, other) if issue.updated_at <= other.updated_at else (other, issue)
        chosen[issue.issue_key] = last
        if first.external_id == last.external_id:
            selection.skipped += 1
        else:
            selection.doubts.append(_make_key_conflict(first, by=last.external_id))
    return chosen.values()


def _moves_away(holder: StoredIssue, *, given: dict[str, IssueRecord]) -> bool:
    """Return whether the holder of a key gives it up in the same batch."""
    moved = given.get(holder.external_id)
    return moved is not None and moved.issue_key != holder.issue_key and moved.updated_at >= holder.updated_at


def _replaces(issue: IssueRecord, *, holder: StoredIssue, selection: Selection) -> bool:
    """Return whether a stored issue of the same key is this one: it has no id, or changed earlier, which is noted."""
    if issue.updated_at < holder.updated_at:
        return False
    if holder.external_id != holder.issue_key:
        if issue.updated_at == holder.updated_at:
            return False
        reason = f"it was stored with id {holder.external_id}; id {issue.external_id} was changed later and replaces it"
        selection.doubts.append(Doubt(kind="issue", name=issue.issue_key, reason=reason, is_warning=True))
    return True


def _make_key_conflict(issue: IssueRecord, *, by: str) -> Doubt:
    reason = f"two issues have this key: id {by} is taken, id {issue.external_id} was not changed later and is left out"
    return Doubt(kind="issue", name=issue.issue_key, reason=reason, record=f"{issue.issue_key} {issue.title}"[:2_000])


def write_issues(selection: Selection, *, organisation_id: UUID, references: References) -> list[UUID]:
    """Write the selected issues with their history. Returns their ids."""
    common: dict[str, Any] = {"organisation": organisation_id}
    rows = [_row(issue, digest, organisation_id, references) for issue, digest in selection.written.values()]
    with connection.cursor() as cursor:
        if selection.adopted:
            adopted = {"keys": list(selection.adopted), "ids": list(selection.adopted.values())}
            cursor.execute(_ADOPT, common | adopted)
        if selection.moved:
            cursor.execute(_FREE_KEYS, common | {"ids": selection.moved})
        cursor.execute(_WRITE, common | {"rows": orjson.dumps(rows, default=str).decode()})
        ids = dict(cursor.fetchall())
    _replace_history([issue for issue, _ in selection.written.values()], ids=ids, references=references)
    return list(ids.values())


def _row(issue: IssueRecord, digest: str, organisation_id: UUID, references: References) -> dict[str, Any]:
    return {
        "external_id": issue.external_id, "issue_id": uuid5(organisation_id, f"issue:{issue.external_id}"),
        "team_id": references.teams[issue.team_key], "issue_key": issue.issue_key, "title": issue.title,
        "description": issue.description, "issue_type": issue.issue_type,
        "status_id": references.statuses.get(issue.status), "priority": issue.priority, "resolution": issue.resolution,
        "story_points": issue.story_points, "original_estimate_seconds": issue.original_estimate_seconds,
        "remaining_estimate_seconds": issue.remaining_estimate_seconds, "time_spent_seconds": issue.time_spent_seconds,
        "assignee_id": references.users.get(issue.assignee), "reporter_id": references.users.get(issue.reporter),
        "labels": issue.labels, "due_date": issue.due_date, "created_at": issue.created_at,
        "updated_at": issue.updated_at, "source_resolved_at": issue.resolved_at,
        "source_digest": "" if _names_others(issue) else digest,
    }  # fmt: skip


def _names_others(issue: IssueRecord) -> bool:
    """Return whether it references other issues. It is complete, and has its digest, once those are linked."""
    return bool(issue.epic_key or issue.parent_key or issue.links)


def _replace_history(issues: list[IssueRecord], *, ids: dict[str, UUID], references: References) -> None:
    """Replace the history. Without a changelog only sprint memberships are replaced."""
    with_history = [ids[issue.external_id] for issue in issues if issue.has_history]
    tables = _history_rows(issues, ids=ids, references=references)
    with connection.cursor() as cursor:
        for table, rows in tables.items():
            replaced = list(ids.values()) if table == "sprints_sprint_issues" else with_history
            cursor.execute(f"DELETE FROM {table} WHERE issue_id = ANY (%s)", [replaced])  # noqa: S608 - our own words
            with cursor.copy(f"COPY {table} ({_COPY[table]}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)


def _history_rows(
    issues: list[IssueRecord], *, ids: dict[str, UUID], references: References
) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COPY}
    for issue in issues:
        key = ids[issue.external_id]
        memberships = {one.sprint: one for one in issue.memberships if one.sprint in references.sprints}
        rows["sprints_sprint_issues"] += [
            (key, references.sprints[name], one.added_at, one.removed_at) for name, one in memberships.items()
        ]
        if not issue.has_history:
            continue
        rows["sprints_status_changes"] += [
            (key, move.changed_at, references.statuses.get(move.from_status), references.statuses[move.to_status],
             references.users.get(move.author), move.external_id)
            for move in issue.moves
        ]  # fmt: skip
        rows["sprints_points_changes"] += [
            (key, made.changed_at, made.from_points, made.to_points, references.users.get(made.author))
            for made in issue.estimates
        ]
        blocks = {block.blocked_at: block for block in issue.blocks}
        rows["sprints_blocked_periods"] += [(key, at, block.unblocked_at, block.reason) for at, block in blocks.items()]
    return rows


@dataclass(slots=True)
class PendingLinks:
    """Epics, parents and links of written issues, set once every issue of a load is stored."""

    issues: list[tuple[IssueRecord, str]] = field(default_factory=list)

    def add(self, selection: Selection) -> None:
        """Record the written issues that reference others."""
        self.issues += [found for found in selection.written.values() if _names_others(found[0])]

    def write(self, *, organisation_id: UUID) -> list[Doubt]:
        """Set them, and the team of each person. Returns a warning for each missing issue."""
        given: dict[str, Any] = {
            "organisation": organisation_id,
            "ids": [issue.external_id for issue, _ in self.issues],
            "epics": [issue.epic_key for issue, _ in self.issues],
            "parents": [issue.parent_key for issue, _ in self.issues],
            "digests": [digest for _, digest in self.issues],
        }
        links = [(issue.external_id, one.link_type, one.issue_key) for issue, _ in self.issues for one in issue.links]
        columns: dict[str, Any] = {
            name: list(column) for name, column in zip(("from", "types", "to"), zip(*links, strict=True), strict=False)
        }
        with connection.cursor() as cursor:
            if self.issues:
                cursor.execute(_RELATE, given)
                cursor.execute(_UNLINK, given)
            if links:
                cursor.execute(_LINK, given | columns)
            cursor.execute(_HOMES, given)
        return [*self._absent(organisation_id), *self._list_circles()]

    def _list_circles(self) -> Iterator[Doubt]:
        """Yield a warning for each circle of parents and epics."""
        above = {issue.issue_key: issue.parent_key or issue.epic_key for issue, _ in self.issues}
        seen: set[str] = set()
        for start in list(above):
            path, at = list[str](), start
            while at in above and at not in seen:
                seen.add(at)
                path.append(at)
                at = above[at]
            if at in path:
                circle = " in ".join([*path[path.index(at) :], at])
                yield Doubt(kind="link", name=circle, reason="its parents form a circle", is_warning=True)

    def _absent(self, organisation_id: UUID) -> list[Doubt]:
        named: dict[str, str] = {}
        for issue, _ in self.issues:
            for key in (issue.epic_key, issue.parent_key, *(link.issue_key for link in issue.links)):
                if key:
                    named.setdefault(key, issue.issue_key)
        with connection.cursor() as cursor:
            cursor.execute(_ABSENT, {"organisation": organisation_id, "keys": list(named)})
            absent = [row[0] for row in cursor.fetchall()]
        return [
            Doubt(kind="link", name=f"{named[key]} to {key}", reason="the other issue is not there", is_warning=True)
            for key in absent
        ]
