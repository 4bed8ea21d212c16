"""Parsing of an issue's changelog: sprint memberships, status changes, estimates, blocked times. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sprints.ingest.record import Block, Estimate, Membership, SprintRecord, Transition
from sprints.ingest.survey import FLAG_NAMES, Survey
from sprints.ingest.values import Notes, clean, moment, person, points

_BLOCKED = re.compile("block|阻塞|bloqu|blocca", re.IGNORECASE)


@dataclass(slots=True)
class Past:
    """The history in a changelog."""

    moves: list[Transition] = field(default_factory=list)
    estimates: list[Estimate] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    memberships: list[Membership] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class PresentState:
    """The current state of the issue, which is the end of the changelog."""

    created_at: datetime
    sprints: tuple[SprintRecord, ...]
    status: str
    is_flagged: bool


@dataclass(frozen=True, slots=True)
class _Change:
    """One item of one entry."""

    at: datetime
    author: str
    entry_id: str
    item: dict[str, Any]

    def text(self, end: str) -> str:
        """Return the value before (`from`) or after (`to`) as text."""
        return clean(self.item.get(f"{end}String"), most=2_000)


def read_past(entries: list[Any], *, present: PresentState, survey: Survey, notes: Notes) -> Past:
    """Parse a changelog in any order. Entries that cannot be read are noted."""
    changes = sorted(_changes(entries, notes=notes), key=lambda change: change.at)
    past = Past()
    for change in changes:
        name = str(change.item.get("field"))
        if name == "status":
            past.moves += _read_status_change(change)
        elif survey.fields.is_points(change.item):
            past.estimates.append(
                Estimate(
                    changed_at=change.at, author=change.author,
                    from_points=points(change.item.get("fromString"), notes=notes),
                    to_points=points(change.item.get("toString"), notes=notes),
                )
            )  # fmt: skip
    flags = [change for change in changes if str(change.item.get("field")).casefold() in FLAG_NAMES]
    past.blocks = list(_blocks(flags, moves=past.moves, present=present))
    past.memberships = read_memberships([change for change in changes if _is_sprint(change, survey=survey)],
                       present=present, survey=survey, notes=notes)  # fmt: skip
    return past


def _changes(entries: list[Any], *, notes: Notes) -> Iterator[_Change]:
    seen: set[str] = set()
    for entry in entries:
        items = entry.get("items") if isinstance(entry, dict) else None
        entry_id = clean(entry.get("id"), most=100) if isinstance(entry, dict) else ""
        try:
            at = moment(entry.get("created")) if isinstance(items, list) else None
        except ValueError as error:
            notes.add(f"changelog: {error}")
            continue
        if at is None or not isinstance(items, list):
            notes.add("changelog: an entry without items or a time")
            continue
        if entry_id and entry_id in seen:
            continue
        seen.add(entry_id)
        author = person(entry.get("author"))
        for item in items:
            if isinstance(item, dict):
                yield _Change(at, author.external_id if author else "", entry_id, item)


def _is_sprint(change: _Change, *, survey: Survey) -> bool:
    item = change.item
    return item.get("fieldId") in survey.fields.sprints() or str(item.get("field")).casefold() == "sprint"


def _read_status_change(change: _Change) -> Iterator[Transition]:
    before, after = change.text("from")[:200], change.text("to")[:200]
    if after and before != after:
        yield Transition(
            changed_at=change.at, from_status=before, to_status=after, author=change.author,
            external_id=change.entry_id,
        )  # fmt: skip


def _blocks(flags: list[_Change], *, moves: list[Transition], present: PresentState) -> Iterator[Block]:
    """Return the times under a flag, and those in a status that means blocked."""
    since: datetime | None = None
    for change in flags:
        is_set = bool(change.text("to"))
        if is_set and since is None:
            since = change.at
        elif not is_set and since is not None:
            yield Block(blocked_at=since, unblocked_at=change.at, reason="Flagged")
            since = None
    if since is not None:
        yield Block(blocked_at=since, reason="Flagged")
    elif present.is_flagged and not flags:
        yield Block(blocked_at=present.created_at, reason="Flagged")
    for place, move in enumerate(moves):
        if _BLOCKED.search(move.to_status):
            until = next((later.changed_at for later in moves[place + 1 :]), None)
            yield Block(blocked_at=move.changed_at, unblocked_at=until, reason=move.to_status)


def read_memberships(
    changes: list[_Change], *, present: PresentState, survey: Survey, notes: Notes
) -> list[Membership]:
    """
    Return the sprint memberships of an issue, one for each sprint, from when it was first added.

    Jira lists a sprint that is over as long as the issue was in it at its end, so what leaves the list was taken out.
    Without a changelog an issue is taken to have been in its first sprint from its creation, in later ones from their
    start. The field as it stands now has the last word.
    """
    added: dict[str, datetime] = {}
    removed: dict[str, datetime] = {}
    if changes:
        added = dict.fromkeys(_ids(changes[0].item.get("from")), present.created_at)
    for change in changes:
        before, after = _ids(change.item.get("from")), _ids(change.item.get("to"))
        _name(change, survey=survey, notes=notes)
        for key in after:
            added.setdefault(key, change.at)
            removed.pop(key, None)
        removed |= {key: change.at for key in before if key not in after}
    now = [sprint.external_id for sprint in _in_order(present.sprints)]
    for place, sprint in enumerate(_in_order(present.sprints)):
        begins = sprint.started_at if place and sprint.started_at else present.created_at
        added.setdefault(sprint.external_id, max(begins, present.created_at))
    for key in now:
        removed.pop(key, None)
    return [Membership(sprint=key, added_at=at, removed_at=removed.get(key)) for key, at in added.items()]


def _in_order(sprints: tuple[SprintRecord, ...]) -> list[SprintRecord]:
    return sorted(sprints, key=lambda one: (one.started_at is None, one.started_at or 0, one.external_id))


def _ids(given: Any) -> list[str]:
    return [part.strip()[:100] for part in clean(given).split(",") if part.strip()]


def _name(change: _Change, *, survey: Survey, notes: Notes) -> None:
    """Create a sprint that only the changelog names: it was deleted or is not in the source."""
    for end in ("from", "to"):
        keys = _ids(change.item.get(end))
        names = [part.strip() for part in change.text(end).split(",")] if len(keys) > 1 else [change.text(end)]
        for place, key in enumerate(keys):
            if key not in survey.sprints:
                name = (names[place] if len(names) == len(keys) else "") or f"Sprint {key}"
                survey.sprints[key] = SprintRecord(external_id=key, sprint_name=name[:255], state="closed")
                notes.add(f"sprint {key} ({name}) is only named in changelogs: it has no dates")
