"""Chains of a batch against those that are stored: what to link, what to link anew, which sequences change shape."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any
from uuid import UUID

from backtests.ingest import statements
from backtests.ingest.chains import Link, Node, resolve, shape
from backtests.ingest.record import EventRow, Problem

Cursor = Any
CIRCLE = Problem("ParentEventId", "The chain of parents runs in a circle")


@dataclass(slots=True)
class Linked:
    """
    Where each event of a batch hangs, and what that changes in lists.

    Events without parent or child have no link; `lone` names the list of such roots by type. `added` and `removed` are
    (list, number, moment) of roots of sequences; `marked` the same of stored events that turned out to be part of a
    circle, with the lists of events with errors.
    """

    links: dict[str, Link]
    added: list[tuple[str, int, int]] = field(default_factory=list)
    removed: list[tuple[str, int, int]] = field(default_factory=list)
    marked: list[tuple[str, int, int]] = field(default_factory=list)
    lone: dict[int, str] = field(default_factory=dict)
    signatures: list[tuple[UUID, str, str]] = field(default_factory=list)
    newly_malformed: int = 0


def array_text(ids: Iterable[str]) -> str:
    """Write ids as PostgreSQL writes an array."""
    return "{" + ",".join(ids) + "}"


def link_unlocked(cursor: Cursor, *, run_id: UUID, rows: list[EventRow]) -> Linked | None:
    """
    Link new events by reading alone; None where stored ones must be linked anew.

    What it says holds as long as nobody stores anything of the run.
    """
    return None if _orphans(cursor, run_id, rows=rows) else _link(cursor, run_id, rows=rows, orphans={})


def link(cursor: Cursor, *, run_id: UUID, rows: list[EventRow]) -> Linked:
    """Link the new events, and stored ones whose parent has come; problems of circles are added to new events."""
    return _link(cursor, run_id, rows=rows, orphans=_orphans(cursor, run_id, rows=rows))


def _link(cursor: Cursor, run_id: UUID, *, rows: list[EventRow], orphans: dict[int, str]) -> Linked:
    parents = {row.parent_event_id for row in rows if row.parent_event_id is not None}
    parents.update(orphans.values())
    nodes = {
        row.event_id: Node(row.event_id, row.parent_event_id, row.number, row.event_type, row.moment)
        for row in rows
        if row.parent_event_id is not None or row.event_id in parents
    }
    stored = _components(cursor, run_id, roots=list(orphans))
    nodes |= stored
    known = _known_parents(cursor, run_id, nodes=nodes)
    links = resolve(nodes, known=known)
    linked = Linked(links)
    for row in rows:
        if row.event_id in links and links[row.event_id].in_circle:
            row.problems += (CIRCLE,)
    kinds = {row.event_type for row in rows if row.event_id not in nodes}
    _reshape(
        cursor, run_id, nodes=nodes, stored=stored, kinds=kinds, linked=linked
    )  # while stored links are as they were
    for node in stored.values():
        _link_anew(cursor, run_id, node=node, link=links[node.event_id], linked=linked)
    return linked


def _orphans(cursor: Cursor, run_id: UUID, *, rows: list[EventRow]) -> dict[int, str]:
    """Fetch the stored orphans whose parent is among the new events: their numbers and that parent."""
    cursor.execute(statements.HAS_ORPHANS, [run_id])
    if cursor.fetchone() is None:
        return {}
    cursor.execute(statements.ORPHANS, [run_id, array_text(row.event_id for row in rows)])
    return dict(cursor.fetchall())


def _components(cursor: Cursor, run_id: UUID, *, roots: list[int]) -> dict[str, Node]:
    """Fetch all that hangs below these roots, themselves included."""
    if not roots:
        return {}
    cursor.execute(statements.COMPONENTS, {"run": run_id, "roots": roots})
    return {found[0]: Node(*found) for found in cursor.fetchall()}


def _known_parents(cursor: Cursor, run_id: UUID, *, nodes: dict[str, Node]) -> dict[str, Link]:
    wanted = {node.parent for node in nodes.values() if node.parent is not None and node.parent not in nodes}
    if not wanted:
        return {}
    cursor.execute(statements.PARENTS, [run_id, array_text(wanted)])
    return {event_id: Link(root, trail) for event_id, root, trail in cursor.fetchall()}


def _link_anew(cursor: Cursor, run_id: UUID, *, node: Node, link: Link, linked: Linked) -> None:
    if (node.root, node.trail) != (link.root, link.trail):
        cursor.execute(statements.RELINK, [link.root, link.trail, run_id, node.number])
    if link.in_circle:
        error = [{"Field": CIRCLE.field, "Error": CIRCLE.error, "Severity": CIRCLE.severity}]
        cursor.execute(statements.CIRCLE, [json.dumps(error), run_id, node.number])
        errors = json.loads(cursor.fetchone()[0])
        before = {error["Severity"] for error in errors[:-1]}
        linked.newly_malformed += not before
        linked.marked += [(name, node.number, node.moment) for name in _newly({"Error"} | before, before)]


def _newly(now: set[str], before: set[str]) -> list[str]:
    lists = [] if before else ["v"]
    return lists + [f"v:{severity}" for severity in sorted(now - before)]


def _reshape(
    cursor: Cursor, run_id: UUID, *, nodes: dict[str, Node], stored: dict[str, Node], kinds: set[int], linked: Linked
) -> None:
    """Find the sequences that are new, gone or of another shape, and move their roots between lists."""
    moments = {node.number: node.moment for node in nodes.values()}
    old, trails = _trails(nodes, stored=stored, links=linked.links)
    others = [root for root in trails if root not in moments]
    if others:
        _fetch_trails(cursor, run_id, roots=others, trails=old, moments=moments)
        for root in others:
            trails[root] |= old[root]
    shapes: dict[tuple[str, ...], str] = {}
    for root in trails.keys() | old.keys():
        now, before = shape(trails.get(root, ())), shape(old.get(root, ()))
        if now != before and before:
            linked.removed.append((_list(before, shapes), root, moments[root]))
        if now != before and now:
            linked.added.append((_list(now, shapes), root, moments[root]))
    linked.lone = {kind: _list((str(kind),), shapes) for kind in kinds}
    linked.signatures = [(run_id, name.removeprefix("q:"), json.dumps(found)) for found, name in shapes.items()]


def _trails(
    nodes: dict[str, Node], *, stored: dict[str, Node], links: dict[str, Link]
) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """Gather the trails of the nodes by root: as they were stored, and as they are now."""
    old: dict[int, set[str]] = defaultdict(set)
    now: dict[int, set[str]] = defaultdict(set)
    for event_id, node in nodes.items():
        now[links[event_id].root].add(links[event_id].trail)
        if event_id in stored:
            old[node.root].add(node.trail)
    return old, now


def _fetch_trails(
    cursor: Cursor, run_id: UUID, *, roots: list[int], trails: dict[int, set[str]], moments: dict[int, int]
) -> None:
    cursor.execute(statements.ROOTS, {"run": run_id, "roots": roots})
    for root, trail, moment in cursor.fetchall():
        trails[root].add(trail)
        moments[root] = moment
    cursor.execute(statements.TRAILS, {"run": run_id, "roots": roots})
    for root, found in cursor.fetchall():
        trails[root].update(found)


def _list(trails: tuple[str, ...], shapes: dict[tuple[str, ...], str]) -> str:
    name = shapes.get(trails)
    if name is None:
        name = shapes[trails] = "q:" + md5(".".join(trails).encode(), usedforsecurity=False).hexdigest()
    return name
