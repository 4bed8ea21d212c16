"""SVG drawings of the pages, without styles; each page also has a table of the same numbers. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

CELL, HIGH, LEFT, TOP = 30, 24, 30, 22
BEHIND, LEVEL, AHEAD = (190, 60, 50), (128, 128, 128), (30, 110, 190)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    """A row of the heat map: a name, its link, and the numbers."""

    name: str
    values: Sequence[int]


def heat_map(rows: Sequence[HeatRow], *, columns: Sequence[str], title: str) -> SafeString | str:
    """Colour each number by its distance from zero; the cell also shows the number, so nobody depends on colour."""
    if not columns:
        return ""
    most = max(1, *(abs(value) for row in rows for value in row.values))
    heads = format_html_join(
        "", '<text x="{}" y="15" text-anchor="middle">{}</text>',
        ((LEFT + CELL * place + 14, name) for place, name in enumerate(columns)),
    )  # fmt: skip
    names = format_html_join(
        "", '<text x="0" y="{}">{}</text>', ((TOP + HIGH * place + 15, row.name) for place, row in enumerate(rows))
    )
    cells = format_html_join(
        "",
        '<g><title>{}, {}: {}</title><rect x="{}" y="{}" width="28" height="22" fill="rgb{}" fill-opacity="{}"/>'
        '<text x="{}" y="{}" text-anchor="middle">{}</text></g>',
        (
            (
                row.name, columns[number], f"{value:+d}", LEFT + CELL * number, TOP + HIGH * place, _color(value),
                round(0.08 + 0.5 * abs(value) / most, 2), LEFT + CELL * number + 14, TOP + HIGH * place + 15,
                f"{value:+d}",
            )
            for place, row in enumerate(rows) for number, value in enumerate(row.values)
        ),
    )  # fmt: skip
    width, height = LEFT + CELL * len(columns), TOP + HIGH * len(rows)
    return format_html(
        '<svg class="plot heat" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>',
        width, height, title, heads, names, cells,
    )  # fmt: skip


def _color(value: int) -> str:
    return str(AHEAD if value > 0 else BEHIND if value < 0 else LEVEL)


def form(games: Sequence[Sequence[str]], *, names: Sequence[str], title: str) -> SafeString | str:
    """Draw each game as a column of its periods: a block up for a win, down for a loss, a line for a tie."""
    if not games:
        return ""
    step = max(6, 900 // max(len(games), 1))
    shapes = {"WIN": (0, 12, AHEAD), "LOSS": (14, 12, BEHIND), "TIE": (12, 2, LEVEL)}
    marks = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}" fill="rgb{}"><title>{}, period {}: {}</title></rect>',
        (
            (
                30 + step * place, 34 * period + shapes[outcome][0] + 4, step - 2, shapes[outcome][1],
                str(shapes[outcome][2]), names[place], period + 1, outcome.lower(),
            )
            for place, outcomes in enumerate(games) for period, outcome in enumerate(outcomes)
        ),
    )  # fmt: skip
    labels = format_html_join("", '<text x="0" y="{}">P{}</text>', ((34 * place + 20, place + 1) for place in range(3)))
    return format_html(
        '<svg class="plot form" viewBox="0 0 {} 106" role="img" aria-label="{}">{}{}</svg>',
        30 + step * len(games), title, labels, marks,
    )  # fmt: skip
