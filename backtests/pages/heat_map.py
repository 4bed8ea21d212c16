"""Heat map of a measure over two parameters, coloured by the distance from zero. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from toolbox.admin_pages.charts import GREEN, RED, cut

WIDE, HIGH, LEFT, TOP, MAX_LETTERS = 72, 28, 96, 44, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: a pair of parameters, its value and text, the number of runs, and whether it is or adjoins the best."""

    value: float | None
    text: str
    count: int
    is_best: bool
    is_near: bool
    address: str


def draw_heat_map(
    cells: Mapping[tuple[str, str], Cell], *, columns: Sequence[str], rows: Sequence[str], x: str, y: str, title: str
) -> SafeString | str:
    """Draw a cell for each pair of parameters; the cell also shows the number, so nobody depends on colour."""
    if not cells:
        return ""
    most = max((abs(cell.value) for cell in cells.values() if cell.value is not None), default=0) or 1
    places = [(LEFT + WIDE * place, name) for place, name in enumerate(columns)]
    heads = format_html_join(
        "", '<text x="{}" y="{}" text-anchor="middle">{}</text>',
        ((left + WIDE / 2, TOP - 8, cut(name, letters=MAX_LETTERS)) for left, name in places),
    )  # fmt: skip
    names = format_html_join(
        "", '<text x="{}" y="{}" text-anchor="end">{}</text>',
        ((LEFT - 8, TOP + HIGH * place + 18, cut(name, letters=MAX_LETTERS)) for place, name in enumerate(rows)),
    )  # fmt: skip
    drawn = SafeString("".join(
        _draw_cell(cells[row, column], x=left, y=TOP + HIGH * place, words=f"{x} {column}, {y} {row}".rstrip(", "),
                   share=abs(cells[row, column].value or 0) / most)
        for place, row in enumerate(rows) for left, column in places if (row, column) in cells
    ))  # fmt: skip
    axes = format_html(
        '<text x="{}" y="14" text-anchor="middle">{}</text><text x="4" y="{}">{}</text>',
        LEFT + WIDE * len(columns) / 2, cut(x, letters=40), TOP - 8, cut(y, letters=14),
    )  # fmt: skip
    width, height = LEFT + WIDE * len(columns) + 4, TOP + HIGH * len(rows) + 4
    return format_html(
        '<svg class="plot sweep" viewBox="0 0 {} {}" width="{}" role="group" aria-label="{}">{}{}{}{}</svg>',
        width, height, width, f"{title}; the figures are below", axes, heads, names, drawn,
    )  # fmt: skip


def _draw_cell(cell: Cell, *, x: int, y: int, words: str, share: float) -> SafeString:
    frame = " best" if cell.is_best else " near" if cell.is_near else ""
    color = GREEN if (cell.value or 0) >= 0 else RED
    runs = "" if cell.count == 1 else f", mean of {cell.count:,} runs"
    return format_html(
        '<a href="{}" tabindex="-1" aria-label="{}"><title>{}</title>'
        '<rect class="cell{}" x="{}" y="{}" width="{}" height="{}" fill="{}" fill-opacity="{}"/>'
        '<text x="{}" y="{}" text-anchor="middle">{}</text></a>',
        cell.address, f"{words}: {cell.text}", f"{words}: {cell.text}{runs}", frame, x + 1, y + 1, WIDE - 3, HIGH - 3,
        color, round(0.08 + 0.42 * share, 2), x + WIDE / 2, y + 18, cell.text,
    )  # fmt: skip
