"""Times of records that cannot be: after the load, or a resolution before the creation. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from sprints.ingest.record import MAX_OFFSET, MAX_RECORD_LETTERS, Doubt, IssueRecord, Record, SprintRecord
from sprints.ingest.values import Notes


def check_times(records: Iterable[Record], *, now: datetime) -> Iterator[Record]:
    """
    Yield the records without times after now, with a warning for each such time.

    An issue that was created after now is refused. Plans, as due dates and ends of sprints, may lie ahead.
    """
    latest = now + MAX_OFFSET
    for record in records:
        if isinstance(record, IssueRecord):
            yield from _check_issue(record, latest=latest)
        elif isinstance(record, SprintRecord) and record.completed_at and record.completed_at > latest:
            reason = f"completed: {_write(record.completed_at)} is after the load; left out"
            yield replace(record, completed_at=None)
            yield Doubt(kind="sprint", name=record.sprint_name, reason=reason, is_warning=True)
        else:
            yield record


def _list_times(issue: IssueRecord) -> Iterator[datetime]:
    yield from (issue.created_at, issue.updated_at, issue.resolved_at or issue.created_at)
    yield from (move.changed_at for move in issue.moves)
    yield from (estimate.changed_at for estimate in issue.estimates)
    yield from (at for block in issue.blocks for at in (block.blocked_at, block.unblocked_at) if at)
    yield from (at for one in issue.memberships for at in (one.added_at, one.removed_at) if at)


def _check_issue(issue: IssueRecord, *, latest: datetime) -> Iterator[Record]:
    if max(_list_times(issue)) <= latest and (issue.resolved_at or issue.created_at) >= issue.created_at:
        yield issue
        return
    if issue.created_at > latest:
        reason = f"created: {_write(issue.created_at)} is after the load"
        yield Doubt(kind="issue", name=issue.issue_key, reason=reason, record=repr(issue)[:MAX_RECORD_LETTERS])
        return
    notes = Notes(kind="issue", name=issue.issue_key)
    if issue.updated_at > latest:
        notes.add(f"updated: {_write(issue.updated_at)} is after the load; taken as the creation")
        issue = replace(issue, updated_at=issue.created_at)
    resolved_at = issue.resolved_at
    if resolved_at and not issue.created_at <= resolved_at <= latest:
        which = "after the load" if resolved_at > latest else f"before the creation, {_write(issue.created_at)}"
        notes.add(f"resolved: {_write(resolved_at)} is {which}; left out")
        resolved_at = None
    yield _check_history(replace(issue, resolved_at=resolved_at), latest=latest, notes=notes)
    yield from notes.doubts


def _check_history(issue: IssueRecord, *, latest: datetime, notes: Notes) -> IssueRecord:
    """Leave out changes after the load. What ends after it has not ended."""
    moves = tuple(one for one in issue.moves if one.changed_at <= latest)
    estimates = tuple(one for one in issue.estimates if one.changed_at <= latest)
    left_out = len(issue.moves) - len(moves) + len(issue.estimates) - len(estimates)
    blocks = tuple(one for one in issue.blocks if one.blocked_at <= latest)
    left_out += len(issue.blocks) - len(blocks)
    if left_out:
        notes.add(f"changelog: {left_out} changes are dated after the load; left out")
    return replace(
        issue, moves=moves, estimates=estimates,
        blocks=tuple(
            replace(one, unblocked_at=None) if one.unblocked_at and one.unblocked_at > latest else one for one in blocks
        ),
        memberships=tuple(
            replace(
                one, added_at=one.added_at if one.added_at <= latest else issue.created_at,
                removed_at=None if one.removed_at and one.removed_at > latest else one.removed_at,
            )
            for one in issue.memberships
        ),
    )  # fmt: skip


def _write(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
