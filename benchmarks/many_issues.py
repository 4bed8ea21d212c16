"""
Copy years of work of twenty teams into a database: issues with sprints, moves, estimates, blocked times, links.

Sizes and distributions are plausible, texts are not; the same seed gives the same rows. What is derived from history is
derived by the product's own functions.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

ISSUES, TEAMS, PEOPLE, DAYS_A_SPRINT = 200_000, 20, 400, 14
AS_OF = datetime(2026, 11, 18, 12, tzinfo=UTC)
STATUSES = (("To Do", "To Do"), ("In Progress", "In Progress"), ("Code Review", "In Progress"), ("QA", "In Progress"),
            ("Done", "Done"))  # fmt: skip
ISSUES_A_SPRINT = 38
DERIVED_AT_ONCE = COPIED_AT_ONCE = 5_000
NULL = "\\N"
DONE = len(STATUSES) - 1
UNESTIMATED, ADDED_LATE, REOPENED, RE_ESTIMATED, BLOCKED = 0.1, 0.12, 0.04, 0.08, 0.05
SCALE = (1, 2, 3, 5, 8, 13)
PRIORITIES = ("p0", "p1", "p2", "p2", "p3", "p4")
KINDS = ("Story", "Story", "Bug", "Task")
NAMES = ("Avery", "Sofía", "Levi", "Zoë", "Chidi", "Hannah", "Mateus", "Grace", "Priya", "Søren")
SURNAMES = ("Hernández", "Smith", "Walker", "Müller", "Okafor", "Kowalczyk", "Lindqvist", "Raman", "Ødegård", "Costa")
COLUMNS = {
    "sprints_organisations": "organisation_id, slug, organisation_name, site_url, points_fields, data_as_of",
    "sprints_teams": "team_id, organisation_id, team_key, team_name, external_id",
    "sprints_users": "user_id, organisation_id, external_id, full_name, email, team_id, is_active",
    "sprints_sprints": "sprint_id, organisation_id, team_id, external_id, sprint_name, state, goal, started_at,"
    " ends_at, completed_at",
    "sprints_issues": "issue_id, organisation_id, team_id, external_id, issue_key, title, description, issue_type,"
    " status_id, priority, resolution, story_points, original_estimate_seconds, remaining_estimate_seconds,"
    " time_spent_seconds, assignee_id, reporter_id, labels, created_at, updated_at, source_resolved_at, source_digest",
    "sprints_sprint_issues": "issue_id, sprint_id, added_at, removed_at",
    "sprints_status_changes": "issue_id, changed_at, from_status_id, to_status_id, changed_by_id, external_id",
    "sprints_points_changes": "issue_id, changed_at, from_points, to_points, changed_by_id",
    "sprints_blocked_periods": "issue_id, blocked_at, unblocked_at, reason",
    "sprints_issue_links": "issue_id, link_type, linked_issue_id",
}


def fill(connection: Any, *, issues: int = ISSUES, seed: int = 7) -> int:
    """
    Copy so many issues with their history into the tables, derive and analyse; returns how many rows were copied.

    `connection` is psycopg's, as the owner of a migrated database. Uses one transaction; in autocommit mode, the tables
    are vacuumed afterwards.
    """
    made = _Made(dice=random.Random(seed), issues=issues)
    copied = 0
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sprints.deriving', 'later', true)")
        keys = _without_keys(cursor)
        _copy(cursor, "sprints_organisations", [_organisation(made)])
        cursor.execute(
            "INSERT INTO sprints_statuses (organisation_id, status_name, status_category) SELECT %s, name, category "
            "FROM unnest(%s::text[], %s::text[]) AS given (name, category) RETURNING status_id",
            [made.organisation, [name for name, _ in STATUSES], [category for _, category in STATUSES]],
        )
        made.statuses = [row[0] for row in cursor.fetchall()]
        for table, rows in made.rows():
            copied += _copy(cursor, table, rows)
        for statement in keys:
            cursor.execute(statement)
        cursor.execute(f"ANALYZE {', '.join(COLUMNS)}")
        for start in range(0, len(made.issue_ids), DERIVED_AT_ONCE):
            cursor.execute("SELECT sprints_derive(%s::uuid[])", [made.issue_ids[start : start + DERIVED_AT_ONCE]])
    if connection.autocommit:
        connection.execute(f"VACUUM (FULL, ANALYZE) sprints_statuses, {', '.join(COLUMNS)}")
        connection.execute(f"VACUUM {', '.join(COLUMNS)}")
    return copied


def _without_keys(cursor: Any) -> list[str]:
    """Drop the foreign keys, which cost more than the copying; returns the statements that recreate them."""
    cursor.execute(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE contype = 'f' AND conrelid::regclass::text = ANY (%s)",
        [list(COLUMNS)],
    )
    found = cursor.fetchall()
    for table, name, _ in found:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return [f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}" for table, name, definition in found]


def _organisation(made: "_Made") -> str:
    return f"{made.organisation}\tmany\tMany (benchmark)\t\t[]\t{AS_OF.isoformat()}"


def _copy(cursor: Any, table: str, rows: Iterable[str]) -> int:
    copied = 0
    with cursor.copy(f"COPY {table} ({COLUMNS[table]}) FROM STDIN") as copy:
        piece: list[str] = []
        for row in rows:
            piece.append(row)
            copied += 1
            if len(piece) >= COPIED_AT_ONCE:
                copy.write("\n".join(piece) + "\n")
                piece = []
        if piece:
            copy.write("\n".join(piece) + "\n")
    return copied


@dataclass(slots=True)
class _Made:
    """Generated rows; history is kept until the issues are copied."""

    dice: random.Random
    issues: int
    statuses: list[int] = field(default_factory=list)
    issue_ids: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    estimates: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    organisation: str = ""
    teams: list[str] = field(default_factory=list)
    people: list[list[str]] = field(default_factory=list)
    sprints: list[list[tuple[str, datetime, datetime]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.organisation = self._id()
        self.teams = [self._id() for _ in range(TEAMS)]
        self.people = [[self._id() for _ in range(PEOPLE // TEAMS)] for _ in self.teams]
        count = max(self.issues // TEAMS // ISSUES_A_SPRINT, 2)
        last = AS_OF - timedelta(days=9, hours=3)
        starts = [last - timedelta(days=DAYS_A_SPRINT * back) for back in range(count)][::-1]
        self.sprints = [
            [(self._id(), start, start + timedelta(days=11, hours=8)) for start in starts] for _ in self.teams
        ]

    def rows(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield the tables in the order of their foreign keys."""
        yield (
            "sprints_teams",
            (f"{team}\t{self.organisation}\tTEAM{number}\tTeam {number}\t" for number, team in enumerate(self.teams)),
        )
        yield "sprints_users", self._users()
        yield "sprints_sprints", self._sprint_rows()
        yield "sprints_issues", self._issue_rows()
        yield "sprints_sprint_issues", self.stays
        yield "sprints_status_changes", self.moves
        yield "sprints_points_changes", self.estimates
        yield "sprints_blocked_periods", self.blocks
        yield (
            "sprints_issue_links",
            (
                f"{first}\tblocks\t{second}"
                for first, second in zip(self.issue_ids[::20], self.issue_ids[1::20], strict=False)
            ),
        )

    def _users(self) -> Iterator[str]:
        number = 0
        for team, people in zip(self.teams, self.people, strict=True):
            for person in people:
                name = f"{NAMES[number % 10]} {SURNAMES[number // 10 % 10]} {number // 100 or ''}".strip()
                yield f"{person}\t{self.organisation}\tperson-{number}\t{name}\t\t{team}\tt"
                number += 1

    def _sprint_rows(self) -> Iterator[str]:
        for place, (team, sprints) in enumerate(zip(self.teams, self.sprints, strict=True)):
            for number, (sprint, start, end) in enumerate(sprints, 1):
                state, closed = ("closed", end.isoformat()) if end < AS_OF else ("active", NULL)
                yield (
                    f"{sprint}\t{self.organisation}\t{team}\t{place}-{number}\tTEAM{place} Sprint {number}\t{state}\t\t"
                    f"{start.isoformat()}\t{end.isoformat()}\t{closed}"
                )

    def _issue_rows(self) -> Iterator[str]:
        for number in range(self.issues):
            place, count = number % TEAMS, number // TEAMS
            sprints = self.sprints[place]
            yield self._issue(place, number=count + 1, at=min(count // ISSUES_A_SPRINT, len(sprints) - 1))

    def _issue(self, place: int, *, number: int, at: int) -> str:
        dice, issue = self.dice.random, self._id()
        self.issue_ids.append(issue)
        who = self.people[place][int(dice() * len(self.people[place]))]
        points = SCALE[int(dice() * 6)] if dice() > UNESTIMATED else None
        sprint, start, end = self.sprints[place][at]
        created = start - timedelta(days=1 + dice() * 25)
        added = start - timedelta(hours=dice() * 20) if dice() > ADDED_LATE else start + timedelta(days=dice() * 8)
        self.stays.append(f"{issue}\t{sprint}\t{added}\t{NULL}")
        done, status, updated = self._moves(
            issue, who=who, begins=max(added, start) + timedelta(days=dice() * 6), points=points
        )
        self._carry(issue, place=place, at=at, done=done, end=end)
        self._more(issue, who=who, points=points, start=start)
        spent = round((points or 3) * (2 + dice() * 6)) * 3_600
        return (
            f"{issue}\t{self.organisation}\t{self.teams[place]}\t{place}-{number}\tTEAM{place}-{number}\t"
            f"Improve part {number % 97} of area {number % 13}\t\t{KINDS[number % 4]}\t{self.statuses[status]}\t"
            f"{PRIORITIES[int(dice() * 6)]}\t{'Done' if done else ''}\t{points or NULL}\t{(points or 3) * 14_400}\t0\t"
            f"{spent if done else 0}\t{who}\t{self.people[place][0]}\t{{}}\t{created}\t{updated}\t{done or NULL}\tmade"
        )

    def _moves(
        self, issue: str, *, who: str, begins: datetime, points: int | None
    ) -> tuple[datetime | None, int, datetime]:
        """Move an issue along the board; returns when it was done (if it was), its status, and its last move."""
        at, status, last = begins, 0, begins
        while status < DONE and at < AS_OF:
            self.moves.append(f"{issue}\t{at}\t{self.statuses[status]}\t{self.statuses[status + 1]}\t{who}\t")
            status, last = status + 1, at
            at += timedelta(days=0.2 + self.dice.random() * (0.4 + (points or 3) * 0.25))
        if status == DONE and self.dice.random() < REOPENED and last + timedelta(days=3) < AS_OF:
            back, again = last + timedelta(days=1), last + timedelta(days=2.5)
            self.moves.append(f"{issue}\t{back}\t{self.statuses[DONE]}\t{self.statuses[1]}\t{who}\t")
            self.moves.append(f"{issue}\t{again}\t{self.statuses[1]}\t{self.statuses[DONE]}\t{who}\t")
            last = again
        return (last if status == DONE else None), status, min(last, AS_OF)

    def _carry(self, issue: str, *, place: int, at: int, done: datetime | None, end: datetime) -> None:
        sprints = self.sprints[place]
        while (done is None or done > end) and end < AS_OF and at + 1 < len(sprints):
            self.stays.append(f"{issue}\t{sprints[at + 1][0]}\t{end}\t{NULL}")
            at += 1
            end = sprints[at][2]

    def _more(self, issue: str, *, who: str, points: int | None, start: datetime) -> None:
        dice = self.dice.random
        if points and dice() < RE_ESTIMATED:
            at = start + timedelta(days=dice() * 10 - 3)
            self.estimates.append(f"{issue}\t{at}\t{max(points // 2, 1)}\t{points}\t{who}")
        if dice() < BLOCKED:
            at = start + timedelta(days=dice() * 8)
            until = at + timedelta(days=dice() * 6)
            self.blocks.append(f"{issue}\t{at}\t{until if until < AS_OF else NULL}\tFlagged")

    def _id(self) -> str:
        return str(UUID(int=self.dice.getrandbits(128), version=4))
