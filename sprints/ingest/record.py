"""Records that every source is parsed into. Times are in UTC; people and issues have the source's ids."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

MAX_RECORD_LETTERS = 2_000
MAX_OFFSET = timedelta(days=1)
"""A time without an offset counts as UTC, and may be most of a day ahead of it or behind."""


class NotReadable(ValueError):
    """A file or an answer is not readable; the message says why, for a person."""


class OrganisationGone(NotReadable):
    """The organisation was deleted while its issues were being stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRecord:
    """A team, by the key that its issues begin with."""

    team_key: str
    team_name: str
    external_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecord:
    """A person's account. The e-mail address is stored for curators and never shown to agents."""

    external_id: str
    full_name: str
    email: str = ""
    is_active: bool = True
    team_key: str = ""

    def known_as(self, known: "UserRecord | None") -> "UserRecord":
        """Merge in another mention: authors of changes often lack their e-mail and whether they are active."""
        if known is None:
            return self
        return replace(self, email=self.email or known.email, is_active=self.is_active and known.is_active)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRecord:
    """A status and its category: To Do, In Progress or Done."""

    status_name: str
    status_category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SprintRecord:
    """A sprint. Its team may be known only from its board or its issues."""

    external_id: str
    sprint_name: str
    state: str
    goal: str = ""
    started_at: datetime | None = None
    ends_at: datetime | None = None
    completed_at: datetime | None = None
    team_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """The time in which an issue is in a sprint, until it is removed, if it was."""

    sprint: str
    added_at: datetime
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A change of status, by name, since ids of deleted statuses are meaningless."""

    changed_at: datetime
    from_status: str
    to_status: str
    author: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A change of story points."""

    changed_at: datetime
    from_points: Decimal | None
    to_points: Decimal | None
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A time in which the issue was blocked."""

    blocked_at: datetime
    unblocked_at: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link to another issue by key, in the direction of this issue."""

    link_type: str
    issue_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRecord:
    """
    An issue with the known part of its history.

    Without `has_history` the source gave no changelog: stored moves and estimates are then left as they are.
    """

    external_id: str
    issue_key: str
    team_key: str
    title: str
    issue_type: str
    created_at: datetime
    updated_at: datetime
    description: str = ""
    status: str = ""
    priority: str = ""
    resolution: str = ""
    story_points: Decimal | None = None
    original_estimate_seconds: int | None = None
    remaining_estimate_seconds: int | None = None
    time_spent_seconds: int | None = None
    assignee: str = ""
    reporter: str = ""
    epic_key: str = ""
    parent_key: str = ""
    labels: tuple[str, ...] = ()
    due_date: date | None = None
    resolved_at: datetime | None = None
    memberships: tuple[Membership, ...] = ()
    moves: tuple[Transition, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    has_history: bool = True

    @property
    def digest(self) -> str:
        """
        Give the SHA-256 of everything that the source says, to tell whether it has changed.

        Stored digests are compared with it: the JSON may not change its form. Memberships are called `stays` in it.
        """
        content = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        content["stays"] = _as_dicts(self.memberships)
        content |= {name: _as_dicts(getattr(self, name)) for name in ("moves", "estimates", "blocks", "links")}
        return sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()

    def is_later_form_of(self, *, key: str, created_at: datetime, updated_at: datetime) -> bool:
        """Return whether an issue with its id is this one: it has its key, or had another before it was moved."""
        is_moved = abs(self.created_at - created_at) < MAX_OFFSET and self.updated_at != updated_at
        return key == self.issue_key or is_moved

    def refuse_id(self, *, key: str) -> "Doubt":
        """Return the doubt in its place where another issue has its id."""
        reason = (
            f"id {self.external_id} is that of {key} too, which is taken: they are two issues, as of two sites. Load "
            "each site into an organisation of its own"
        )
        return Doubt(kind="issue", name=self.issue_key, reason=reason, record=repr(self)[:MAX_RECORD_LETTERS])


_NESTED_FIELDS = {"memberships", "moves", "estimates", "blocks", "links"}
_PLAIN_FIELDS = tuple(one.name for one in fields(IssueRecord) if one.name not in _NESTED_FIELDS)


def _as_dicts(records: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{name: getattr(one, name) for name in one.__slots__} for one in records]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What could not be understood, of a record that was skipped or, as a warning, of one that was stored."""

    kind: str
    name: str
    reason: str
    is_warning: bool = False
    record: str = ""
    source: str = ""


Record = TeamRecord | UserRecord | StatusRecord | SprintRecord | IssueRecord | Doubt


@dataclass(slots=True)
class Batch:
    """Records of one part of a source, by kind."""

    teams: dict[str, TeamRecord] = field(default_factory=dict)
    users: dict[str, UserRecord] = field(default_factory=dict)
    statuses: dict[str, StatusRecord] = field(default_factory=dict)
    sprints: dict[str, SprintRecord] = field(default_factory=dict)
    issues: dict[str, IssueRecord] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Add a record. A repeated one replaces the earlier one, unless it is an older issue, or another one."""
        match record:
            case TeamRecord():
                self.teams[record.team_key] = record
            case UserRecord():
                self.users[record.external_id] = record.known_as(self.users.get(record.external_id))
            case StatusRecord():
                self.statuses.setdefault(record.status_name, record)
            case SprintRecord():
                self.sprints[record.external_id] = record
            case IssueRecord():
                self._add_issue(record)
            case Doubt():
                self.doubts.append(record)

    def _add_issue(self, issue: IssueRecord) -> None:
        known = self.issues.get(issue.external_id)
        rank = (issue.updated_at, issue.has_history)
        if known and not issue.is_later_form_of(
            key=known.issue_key, created_at=known.created_at, updated_at=known.updated_at
        ):
            self.doubts.append(issue.refuse_id(key=known.issue_key))
        elif known is None or rank >= (known.updated_at, known.has_history):
            self.issues[issue.external_id] = issue

    @property
    def size(self) -> int:
        """Count the records."""
        kinds = (self.teams, self.users, self.statuses, self.sprints, self.issues, self.doubts)
        return sum(len(records) for records in kinds)

    def halves(self) -> tuple["Batch", "Batch"]:
        """Split the batch: references and issues; issues alone in the middle, with their references."""
        named: list[Record] = [
            *self.teams.values(),
            *self.users.values(),
            *self.statuses.values(),
            *self.sprints.values(),
        ]
        issues: list[Record] = list(self.issues.values())
        records: list[Record] = [*named, *self.doubts]
        if issues and records:
            return _batch_of(records), _batch_of(issues)
        records = issues or records
        middle = len(records) // 2
        return _batch_of(records[:middle]), _batch_of(records[middle:])

    def as_doubt(self, *, reason: str) -> Doubt:
        """Convert its only record to a doubt that it was skipped."""
        for kind, records in (("team", self.teams), ("user", self.users), ("status", self.statuses),
                              ("sprint", self.sprints), ("issue", self.issues)):  # fmt: skip
            for name, record in records.items():
                shown = record.issue_key if isinstance(record, IssueRecord) else name
                return Doubt(kind=kind, name=shown, reason=reason, record=repr(record)[:MAX_RECORD_LETTERS])
        return Doubt(kind="record", name="", reason=reason)

    def teams_of_sprints(self) -> dict[str, str]:
        """Return the team of each sprint: its board's, else the team of its issues if there is only one."""
        keys: dict[str, set[str]] = defaultdict(set)
        for issue in self.issues.values():
            for one in issue.memberships:
                keys[one.sprint].add(issue.team_key)
        return {name: sprint.team_key or next(iter(keys[name])) for name, sprint in self.sprints.items()
                if sprint.team_key or len(keys[name]) == 1}  # fmt: skip


def _batch_of(records: list[Record]) -> Batch:
    batch = Batch()
    for record in records:
        batch.add(record)
    return batch


def printable(text: str, *, most: int = 200) -> str:
    """Make untrusted text safe to show on one line: no control characters, limited length."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:most])
    return f"{shown}..." if len(text) > most else shown


def batches(records: Iterator[Record], *, most_issues: int) -> Iterator[Batch]:
    """Split a stream of records into batches by number of issues."""
    batch = Batch()
    for record in records:
        batch.add(record)
        if len(batch.issues) >= most_issues:
            yield batch
            batch = Batch()
    yield batch
