"""
Root and trail of each event, found along its chain of parents. Pure.

A trail has the type codes from the root to the event, prefixed with `?` if the root's parent is not in the run and with
`@` if the parents form a cycle. A cycle is cut at its earliest member.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

DEEPEST = 52
"""Maximum number of codes of a trail: one more than the maximum depth of a query."""
ORPHAN, CIRCLE = "?", "@"


class Node(msgspec.Struct, gc=False):
    """An event in a chain; `root` and `trail` are the stored ones, if any."""

    event_id: str
    parent: str | None
    number: int
    event_type: int
    moment: int
    root: int = -1
    trail: str = ""


class Link(NamedTuple):
    """Root and trail of an event."""

    root: int
    trail: str
    in_circle: bool = False


def resolve(nodes: Mapping[str, Node], *, known: Mapping[str, Link]) -> dict[str, Link]:
    """Link each node; `known` has the stored parents that are not among `nodes`."""
    links: dict[str, Link] = {}
    for event_id, node in nodes.items():
        if node.parent is None:
            links[event_id] = Link(node.number, str(node.event_type))
        elif event_id not in links:
            above = links.get(node.parent)
            if above is None:
                _climb(event_id, nodes=nodes, known=known, links=links)
            else:  # the usual case: parents come first
                links[event_id] = Link(above.root, longer(above.trail, event_type=node.event_type))
    return links


def _climb(start: str, *, nodes: Mapping[str, Node], known: Mapping[str, Link], links: dict[str, Link]) -> None:
    """Walk up to a linked event, then link all events passed on the way."""
    path: list[Node] = []
    places: dict[str, int] = {}
    above: Link | None = None
    at = start
    while True:
        if at in places:
            above = _cut(path[places[at] :], links=links)
            path = path[: places[at]]
            above = links[at]
            break
        node = nodes[at]
        places[at] = len(path)
        path.append(node)
        if node.parent is None:
            break
        above = links.get(node.parent) or (known.get(node.parent) if node.parent not in nodes else None)
        if above is not None:
            break
        if node.parent not in nodes:
            path.pop()
            above = links[at] = Link(node.number, f"{ORPHAN}{node.event_type}")
            break
        at = node.parent
    _descend(path, above=above, links=links)


def _descend(path: list[Node], *, above: Link | None, links: dict[str, Link]) -> None:
    for node in reversed(path):
        if above is None:
            above = Link(node.number, str(node.event_type))
        else:
            above = Link(above.root, longer(above.trail, event_type=node.event_type))
        links[node.event_id] = above


def _cut(circle: list[Node], *, links: dict[str, Link]) -> Link:
    """Make the earliest member of a cycle the root, with the others below it; `circle` goes from child to parent."""
    first = min(range(len(circle)), key=lambda place: (circle[place].moment, circle[place].number))
    root = circle[first]
    link = links[root.event_id] = Link(root.number, f"{CIRCLE}{root.event_type}", in_circle=True)
    for node in reversed(circle[first + 1 :] + circle[:first]):
        link = links[node.event_id] = Link(root.number, longer(link.trail, event_type=node.event_type), in_circle=True)
    return links[root.event_id]


@lru_cache(maxsize=4096)
def longer(trail: str, *, event_type: int) -> str:
    """Append a code to a trail, unless it has the maximum length."""
    flags = 1 if trail[0] in (ORPHAN, CIRCLE) else 0
    return trail if len(trail) - flags >= DEEPEST else f"{trail}{event_type}"


def shape(trails: Iterable[str]) -> tuple[str, ...]:
    """Return the trails that are not a prefix of another: the shape of a sequence."""
    ordered = sorted(set(trails))
    return tuple(
        trail
        for place, trail in enumerate(ordered)
        if place + 1 == len(ordered) or not ordered[place + 1].startswith(trail)
    )
