"""Linking of a batch to the stored chains: new links, changed links, and sequences that change shape."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from backtests.ingest import statements
from backtests.ingest.chains import Link, Node, resolve, shape
from backtests.ingest.record import EventRow, Problem
from backtests.ingest.signatures import LONE_SHAPES, Shape, digest_shape, find_lone_shape, has_many_shapes

Cursor = Any
CIRCLE = Problem("ParentEventId", "The chain of parents runs in a circle")


@dataclass(slots=True)
class BatchLinks:
    """
    The links of a batch's events, and the resulting changes of lists.

    Events without parent or child have no link; their shape is their type's code. `added` and `removed` are (shape,
    number, moment) of roots of sequences; `marked` are (list, number, moment) of stored events that turn out to be in a
    cycle, for the lists of events with errors. `new_shapes` are numbered from `first_new_shape` on.
    """

    links: dict[str, Link]
    added: list[tuple[int, int, int]] = field(default_factory=list)
    removed: list[tuple[int, int, int]] = field(default_factory=list)
    marked: list[tuple[str, int, int]] = field(default_factory=list)
    first_new_shape: int = LONE_SHAPES
    new_shapes: list[Shape] = field(default_factory=list)
    newly_malformed: int = 0

    @property
    def has_many_shapes(self) -> bool:
        """Return whether the run has many shapes once these events are stored."""
        return has_many_shapes(self.first_new_shape + len(self.new_shapes))

    @property
    def joins_roots(self) -> bool:
        """Return whether the run has many shapes from now on, so that its lists of roots must be joined."""
        return self.has_many_shapes and not has_many_shapes(self.first_new_shape)


def array_text(ids: Iterable[str]) -> str:
    """Format ids as a PostgreSQL array."""
    return "{" + ",".join(ids) + "}"


def link_unlocked(cursor: Cursor, *, run_id: UUID, rows: list[EventRow]) -> BatchLinks | None:
    """
    Link new events without writing; return None if stored events must be relinked.

    The result is valid until anything else of the run is stored.
    """
    return None if _orphans(cursor, run_id, rows=rows) else _link(cursor, run_id, rows=rows, orphans={})


def link(cursor: Cursor, *, run_id: UUID, rows: list[EventRow]) -> BatchLinks:
    """Link the new events and stored ones whose parent has arrived; add the problem of a cycle to new events."""
    return _link(cursor, run_id, rows=rows, orphans=_orphans(cursor, run_id, rows=rows))


def _link(cursor: Cursor, run_id: UUID, *, rows: list[EventRow], orphans: dict[int, str]) -> BatchLinks:
    parents = {row.parent_event_id for row in rows if row.parent_event_id is not None}
    parents.update(orphans.values())
    nodes = {
        row.event_id: Node(row.event_id, row.parent_event_id, row.number, row.event_type, row.moment)
        for row in rows
        if row.parent_event_id is not None or row.event_id in parents
    }
    stored = _components(cursor, run_id, roots=list(orphans))
    nodes |= stored
    known = {} if _is_first(rows) else _known_parents(cursor, run_id, nodes=nodes)
    links = resolve(nodes, known=known)
    linked = BatchLinks(links)
    for row in rows:
        if row.event_id in links and links[row.event_id].in_circle:
            row.problems += (CIRCLE,)
    _reshape(
        cursor, run_id, nodes=nodes, stored=stored, linked=linked, is_first=_is_first(rows)
    )  # before the stored links change
    _link_anew(cursor, run_id, stored=stored, linked=linked)
    return linked


def _is_first(rows: list[EventRow]) -> bool:
    """Return whether the run has no events yet, so that no query is needed."""
    return rows[0].number == 0


def _orphans(cursor: Cursor, run_id: UUID, *, rows: list[EventRow]) -> dict[int, str]:
    """Fetch the stored orphans whose parent is among the new events: parents by the orphans' numbers."""
    if _is_first(rows):
        return {}
    cursor.execute(statements.HAS_ORPHANS, [run_id])
    if cursor.fetchone() is None:
        return {}
    cursor.execute(statements.ORPHANS, [run_id, array_text(row.event_id for row in rows)])
    return dict(cursor.fetchall())


def _components(cursor: Cursor, run_id: UUID, *, roots: list[int]) -> dict[str, Node]:
    """Fetch these roots and all their descendants."""
    if not roots:
        return {}
    cursor.execute(statements.COMPONENTS, {"run": run_id, "roots": roots})
    return {found[0]: Node(*found) for found in cursor.fetchall()}


def _known_parents(cursor: Cursor, run_id: UUID, *, nodes: dict[str, Node]) -> dict[str, Link]:
    missing = {node.parent for node in nodes.values() if node.parent is not None and node.parent not in nodes}
    if not missing:
        return {}
    cursor.execute(statements.PARENTS, [run_id, array_text(missing)])
    return {event_id: Link(root, trail) for event_id, root, trail in cursor.fetchall()}


def _link_anew(cursor: Cursor, run_id: UUID, *, stored: dict[str, Node], linked: BatchLinks) -> None:
    """Write the changed links of stored events, and record those that turn out to be in a cycle."""
    changed = [
        (node.number, link.root, link.trail)
        for event_id, node in stored.items()
        if (link := linked.links[event_id])[:2] != (node.root, node.trail)
    ]
    if changed:
        cursor.execute(statements.RELINK, [*map(list, zip(*changed, strict=True)), run_id])
    for event_id, node in stored.items():
        if linked.links[event_id].in_circle:
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
    cursor: Cursor, run_id: UUID, *, nodes: dict[str, Node], stored: dict[str, Node], linked: BatchLinks, is_first: bool
) -> None:
    """Find sequences that are new, removed or of another shape, and move their roots between lists."""
    moments = {node.number: node.moment for node in nodes.values()}
    old, trails = _trails(nodes, stored=stored, links=linked.links)
    others = [root for root in trails if root not in moments]
    if others:
        _fetch_trails(cursor, run_id, roots=others, trails=old, moments=moments)
        for root in others:
            trails[root] |= old[root]
    moved = [
        (root, now, before)
        for root in sorted(trails.keys() | old.keys())
        if (now := shape(trails.get(root, ()))) != (before := shape(old.get(root, ())))
    ]
    shapes = [one for _, *both in moved for one in both if one]
    numbers = _number_shapes(cursor, run_id, shapes=shapes, linked=linked, is_first=is_first)
    linked.removed = [(numbers[before], root, moments[root]) for root, _, before in moved if before]
    linked.added = [(numbers[now], root, moments[root]) for root, now, _ in moved if now]


def _number_shapes(
    cursor: Cursor, run_id: UUID, *, shapes: list[Shape], linked: BatchLinks, is_first: bool
) -> dict[Shape, int]:
    """Return the number of each shape; record shapes that are new to the run."""
    if not is_first:
        cursor.execute(statements.NEXT_SHAPE, [run_id])
        linked.first_new_shape = cursor.fetchone()[0]
    digests = {one: digest_shape(one) for one in dict.fromkeys(shapes) if find_lone_shape(one) is None}
    known: dict[str, int] = {}
    if digests and not is_first:
        cursor.execute(statements.KNOWN_SHAPES, [run_id, list(digests.values())])
        known = dict(cursor.fetchall())
    linked.new_shapes = [one for one, digest in digests.items() if digest not in known]
    numbers = {one: number for number, one in enumerate(linked.new_shapes, start=linked.first_new_shape)}
    numbers |= {one: known[digest] for one, digest in digests.items() if digest in known}
    return numbers | {one: lone for one in shapes if (lone := find_lone_shape(one)) is not None}


def _trails(
    nodes: dict[str, Node], *, stored: dict[str, Node], links: dict[str, Link]
) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """Collect the trails of the nodes by root: the stored ones and the current ones."""
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
