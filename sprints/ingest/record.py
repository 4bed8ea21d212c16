"""What every source is read into, before it is stored. Moments are in UTC; people and issues go by the source's ids."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256

MAX_RECORD_LETTERS = 2_000


class NotReadable(ValueError):
    """A file or an answer is not what we read; the message says why, for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRecord:
    """A team, by the key that its issues begin with."""

    team_key: str
    team_name: str
    external_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecord:
    """A person's account. The e-mail address is stored for curators and shown to no agent."""

    external_id: str
    full_name: str
    email: str = ""
    is_active: bool = True
    team_key: str = ""

    def known_as(self, known: "UserRecord | None") -> "UserRecord":
        """Keep what another mention said: authors of changes often come without their e-mail and whether they left."""
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
    """A sprint; its team may be known only from its board or its issues."""

    external_id: str
    sprint_name: str
    state: str
    goal: str = ""
    started_at: datetime | None = None
    ends_at: datetime | None = None
    completed_at: datetime | None = None
    team_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """An issue's stay in a sprint, until it was taken out, if it was."""

    sprint: str
    added_at: datetime
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A change of status; names, not ids, because ids of statuses that are gone say nothing."""

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
    """A link to another issue, by its key, as it reads from this one."""

    link_type: str
    issue_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRecord:
    """
    An issue with what is known of its past.

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
    stays: tuple[Stay, ...] = ()
    moves: tuple[Move, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    has_history: bool = True

    @property
    def digest(self) -> str:
        """Give the SHA-256 of everything said, to tell whether the source has changed."""
        return sha256(json.dumps(asdict(self), default=str, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What could not be understood: of a record that was left out, or, as a warning, of one that was stored."""

    kind: str
    name: str
    reason: str
    is_warning: bool = False
    record: str = ""
    source: str = ""


Record = TeamRecord | UserRecord | StatusRecord | SprintRecord | IssueRecord | Doubt


@dataclass(slots=True)
class Batch:
    """Records of one piece of a source, by kind."""

    teams: dict[str, TeamRecord] = field(default_factory=dict)
    users: dict[str, UserRecord] = field(default_factory=dict)
    statuses: dict[str, StatusRecord] = field(default_factory=dict)
    sprints: dict[str, SprintRecord] = field(default_factory=dict)
    issues: dict[str, IssueRecord] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Put a record where it belongs; what comes again replaces what came before."""
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
                self.issues[record.external_id] = record
            case Doubt():
                self.doubts.append(record)

    def team_of_sprint(self, sprint: SprintRecord) -> str:
        """Say whose sprint it is: its board's team, else the team of the issues in it, where that is one."""
        if sprint.team_key:
            return sprint.team_key
        keys = {
            issue.team_key
            for issue in self.issues.values()
            if any(stay.sprint == sprint.external_id for stay in issue.stays)
        }
        return keys.pop() if len(keys) == 1 else ""


def printable(text: str, *, most: int = 200) -> str:
    """Make a stranger's text safe to show on one line: no control characters, not endless."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:most])
    return f"{shown}..." if len(text) > most else shown


def batches(records: Iterator[Record], *, most_issues: int) -> Iterator[Batch]:
    """Cut a stream of records after so many issues."""
    batch = Batch()
    for record in records:
        batch.add(record)
        if len(batch.issues) >= most_issues:
            yield batch
            batch = Batch()
    yield batch
