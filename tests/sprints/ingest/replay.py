"""
A second, slow reading of the sample: replays Jira's changelogs moment by moment, sharing no code with the product.

It knows the state of an issue at any time, and reads it at the start, the end and each day of every sprint.
"""

import gzip
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

DONE = {"Done", "Shipped"}
POINTS = "customfield_10016"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("+0000", "+00:00"))


@dataclass
class Replay:
    """An issue whose state can be read at every past moment."""

    raw: dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.raw["key"])

    def changes(self, field: str) -> list[tuple[datetime, Any, Any]]:
        entries = sorted(self.raw["changelog"]["histories"], key=lambda entry: at(entry["created"]))
        ends = ("from", "to") if field == "Sprint" else ("fromString", "toString")
        return [
            (at(entry["created"]), item[ends[0]], item[ends[1]])
            for entry in entries for item in entry["items"] if item["field"] == field
        ]  # fmt: skip

    def was(self, field: str, *, now: Any, moment: datetime) -> Any:
        known = self.changes(field)
        past = [after for when, _, after in known if when <= moment]
        if past:
            return past[-1]
        return known[0][1] if known else now

    def sprints(self, moment: datetime) -> set[int]:
        fields = self.raw["fields"]
        now = ", ".join(str(one["id"]) for one in fields["customfield_10020"])
        text = self.was("Sprint", now=now, moment=moment) if moment >= at(fields["created"]) else ""
        return {int(part) for part in text.split(",") if part.strip()}

    def points(self, moment: datetime) -> float | None:
        given = self.was("Story point estimate", now=self.raw["fields"][POINTS], moment=moment)
        return float(given) if given not in (None, "") else None

    def done_since(self, moment: datetime) -> datetime | None:
        """Return since when it was done at a moment, or None."""
        moves = [move for move in self.changes("status") if move[0] <= moment]
        if not moves or moves[-1][2] not in DONE:
            return None
        return max(when for when, before, after in moves if after in DONE and before not in DONE)


@dataclass
class Board:
    """The sample, read from its file."""

    sprints: list[dict[str, Any]]
    issues: list[Replay]

    def count_points(self, sprint: dict[str, Any]) -> dict[str, float]:
        """Count a sprint's issues and points by outcome."""
        start, end = at(sprint["startDate"]), _end(sprint)
        sums = {f"{part}_{what}": 0.0 for part in PARTS for what in ("issues", "points")}
        for issue in self.issues:
            for part, moment in self._parts(
                issue, sprint["id"], start=start, end=end, is_closed="completeDate" in sprint
            ):
                sums[f"{part}_issues"] += 1
                sums[f"{part}_points"] += issue.points(moment) or 0
        return sums

    def list_remaining(self, sprint: dict[str, Any], day: datetime) -> tuple[float, float]:
        """Return scope and remaining points at the end of a day."""
        until = min(day + timedelta(days=1), _end(sprint))
        inside = [issue for issue in self.issues if sprint["id"] in issue.sprints(until)]
        scope = sum(issue.points(until) or 0 for issue in inside)
        done = sum(
            issue.points(until) or 0 for issue in inside if self._stays_done(issue, until=until, end=_end(sprint))
        )
        return scope, scope - done

    def _stays_done(self, issue: Replay, *, until: datetime, end: datetime) -> bool:
        """Return whether it was done by then for good: if reopened later in the sprint, its last completion counts."""
        since = issue.done_since(end)
        return since is not None and since <= until

    def _parts(
        self, issue: Replay, sprint: int, *, start: datetime, end: datetime, is_closed: bool
    ) -> list[tuple[str, datetime]]:
        before, after = sprint in issue.sprints(start), sprint in issue.sprints(end)
        joined = [when for when, old, new in issue.changes("Sprint") if _is(sprint, new) and not _is(sprint, old)]
        left = [when for when, old, new in issue.changes("Sprint") if _is(sprint, old) and not _is(sprint, new)]
        parts = [("committed", start)] if before else []
        if not before and any(start < when <= end for when in joined):
            parts.append(("added", joined[0]))
        if left and start < left[-1] < end and not after:
            parts.append(("removed", left[-1]))
        if after and (before or joined):
            since = issue.done_since(end)
            if since is None and is_closed:
                parts.append(("carried_over", end))
            if since is not None and since >= max(start, datetime(1970, 1, 1, tzinfo=UTC)):
                parts.append(("completed", end))
        return parts


PARTS = ("committed", "added", "removed", "completed", "carried_over")


def _is(sprint: int, ids: str) -> bool:
    return str(sprint) in [part.strip() for part in ids.split(",")]


def _end(sprint: dict[str, Any]) -> datetime:
    return at(sprint["completeDate"]) if "completeDate" in sprint else datetime(2100, 1, 1, tzinfo=UTC)


def read_board() -> Board:
    """Read the shipped file."""
    packed = (files("sprints") / "samples" / "meridian.jsonl.gz").read_bytes()
    answers = [json.loads(line) for line in gzip.decompress(packed).decode().splitlines()]
    pages = [answer for answer in answers if isinstance(answer, dict)]
    sprints = [one for page in pages for one in page.get("values", []) if "state" in one and one["state"] != "future"]
    return Board(sprints=sprints, issues=[Replay(one) for page in pages for one in page.get("issues", [])])
