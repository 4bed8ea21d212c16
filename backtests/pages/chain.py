"""Layout and drawing of an event's causes and effects, from left to right. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from backtests.pages.event_words import describe_event
from backtests.pages.timeline import COLORS
from backtests.runs.queries import Row
from backtests.vocabulary import EVENT_TYPES
from toolbox.admin_pages.charts import GRAY
from toolbox.admin_pages.panels import Figures, Panel

MAX_NODES, DEEPEST = 60, 50
WIDE, HIGH, ACROSS, DOWN, LETTERS = 196, 76, 222, 88, 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An event in the drawing: its depth below the root, its row, and its parent node."""

    event_id: UUID
    type_name: str
    words: str
    when: str
    depth: int
    row: int
    parent: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """An event with its causes and effects; `is_cut` if the drawing lacks some of them."""

    nodes: list[Node]
    is_cut: bool


def lay_out_chain(rows: Sequence[Row], *, event_id: UUID) -> Chain:
    """Lay out the path from the root to an event, and its effects; a cycle of parents ends the path."""
    by_id = {row["event_id"]: row for row in rows}
    above = _find_causes(by_id, event_id=event_id)
    children: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        if row["parent_event_id"]:
            children[row["parent_event_id"]].append(row)
    kept = _find_effects(children, event_id=event_id, taken=set(above))
    nodes = list(_place_nodes([*above, *kept], by_id=by_id, chosen=event_id))
    first = by_id[above[0]]
    is_rootless = first["parent_event_id"] is not None and first["parent_event_id"] not in by_id
    return Chain(nodes=nodes, is_cut=len(nodes) >= MAX_NODES or (is_rootless and len(above) > DEEPEST))


def draw_chain_panel(chain: Chain, *, address: Callable[[UUID], str]) -> Panel:
    """Draw a chain with a link from each event to its page, and build a table of it."""
    note = "From left to right: each event with what it led to. Choose one to see it."
    return Panel(
        title="What it came of, and what it led to", drawing=_draw_nodes(chain.nodes, address=address),
        note=note + (f" The {len(chain.nodes)} nearest events are shown." if chain.is_cut else ""),
        tables=[Figures(
            title="The same as a table", head=["Event", "What", "When (UTC)", "Step"],
            rows=[
                [format_html('<a href="{}">{}</a>', address(node.event_id), node.type_name), node.words, node.when,
                 node.depth]
                for node in chain.nodes
            ],
        )],
    )  # fmt: skip


def _find_causes(by_id: dict[UUID, Row], *, event_id: UUID) -> list[UUID]:
    """Return the path from the furthest known cause to the event."""
    way = [event_id]
    while (parent := by_id[way[-1]]["parent_event_id"]) in by_id and parent not in way and len(way) <= DEEPEST:
        way.append(parent)
    return way[::-1]


def _find_effects(children: dict[UUID, list[Row]], *, event_id: UUID, taken: set[UUID]) -> list[UUID]:
    """Return the effects of the event, level by level, as many as fit."""
    kept: list[UUID] = []
    level = [event_id]
    while level and len(kept) + len(taken) < MAX_NODES:
        found = [row["event_id"] for parent in level for row in children[parent] if row["event_id"] not in taken]
        level = found[: MAX_NODES - len(kept) - len(taken)]
        kept += level
        taken = taken | set(level)
    return kept


def _place_nodes(kept: Sequence[UUID], *, by_id: dict[UUID, Row], chosen: UUID) -> Iterator[Node]:
    """Yield the nodes depth first; a first child is in its parent's row, each other child in a new row."""
    inside = set(kept)
    below: dict[UUID | None, list[UUID]] = defaultdict(list)
    for one in kept:
        parent = by_id[one]["parent_event_id"]
        below[parent if parent in inside and one != kept[0] else None].append(one)
    waiting: list[tuple[UUID, int, int | None]] = [(one, 0, None) for one in reversed(below[None])]
    places, row = 0, -1
    while waiting:
        one, depth, parent_place = waiting.pop()
        row += parent_place is None or parent_place != places - 1
        yield _make_node(by_id[one], depth=depth, row=row, parent=parent_place, is_chosen=one == chosen)
        waiting += [(child, depth + 1, places) for child in reversed(below[one])]
        places += 1


def _make_node(event: Row, *, depth: int, row: int, parent: int | None, is_chosen: bool) -> Node:
    name = EVENT_TYPES[event["event_type"]]
    return Node(
        event_id=event["event_id"], type_name=name, words=describe_event(name, properties=event["properties"]),
        when=f"{event['occurred_at']:%Y-%m-%d %H:%M:%S}", depth=depth, row=row, parent=parent, is_chosen=is_chosen,
    )  # fmt: skip


def _draw_nodes(nodes: Sequence[Node], *, address: Callable[[UUID], str]) -> SafeString:
    width = ACROSS * max(node.depth for node in nodes) + WIDE + 4
    height = DOWN * max(node.row for node in nodes) + HIGH + 4
    ways = format_html_join(
        "", '<path d="M{} {} h14 V{} H{}"/>',
        (
            (
                nodes[node.parent].depth * ACROSS + WIDE + 2, nodes[node.parent].row * DOWN + HIGH // 2,
                node.row * DOWN + HIGH // 2, node.depth * ACROSS + 2,
            )
            for node in nodes if node.parent is not None
        ),
    )  # fmt: skip
    boxes = SafeString("".join(_draw_box(node, address=address(node.event_id)) for node in nodes))
    return format_html(
        '<svg class="chain" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="group" '
        'aria-label="Events that caused each other; a table of them is below">{2}{3}</svg>',
        width, height, ways, boxes,
    )  # fmt: skip


def _draw_box(node: Node, *, address: str) -> SafeString:
    x, y = node.depth * ACROSS + 2, node.row * DOWN + 2
    said = wrap(node.words, LETTERS, max_lines=2, placeholder="…")
    lines = format_html_join(
        "", '<text x="{}" y="{}">{}</text>', ((x + 14, y + 33 + 15 * place, line) for place, line in enumerate(said))
    )
    return format_html(
        '<a href="{}" class="{}"{} aria-label="{}, {}, {}"><title>{}</title>'
        '<rect class="box" x="{}" y="{}" width="{}" height="{}" rx="5"/>'
        '<rect x="{}" y="{}" width="5" height="{}" fill="{}"/>'
        '<text x="{}" y="{}" font-weight="600">{}</text>{}<text class="soft" x="{}" y="{}">{}</text></a>',
        address, "chosen" if node.is_chosen else "node",
        SafeString(' aria-current="true"') if node.is_chosen else "", node.type_name, node.words, node.when, node.words,
        x, y, WIDE, HIGH - 4, x + 3, y + 6, HIGH - 16, COLORS.get(node.type_name, GRAY),
        x + 14, y + 18, node.type_name, lines, x + 14, y + 64, node.when,
    )  # fmt: skip
