"""A bar chart of a table's first numeric column, in SVG without styles or scripts."""

from dataclasses import dataclass

from console.tools.result_table import Table

MAX_BARS = 40
MIN_BARS = 2
WIDTH = 640
LEFT = 150
RIGHT = 70
STEP = 20
_IDS = ("id", "number", "year", "season", "date", "line", "position", "depth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar, in the drawing's own units."""

    label: str
    value: str
    x: float
    y: int
    width: float
    text_y: int
    value_x: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Bars of one column."""

    column: str
    label: str
    bars: list[Bar]
    height: int
    zero: float
    width: int = WIDTH
    label_x: int = LEFT - 6


def draw_chart(table: Table) -> Chart | None:
    """Draw up to 40 rows that have a name and a figure; None where that would say nothing."""
    if not MIN_BARS <= len(table.rows) <= MAX_BARS:
        return None
    named = _place(table, numeric=False)
    figured = _place(table, numeric=True)
    if named is None or figured is None:
        return None
    names = [row[named].text for row in table.rows]
    values = [float(row[figured].text or 0) for row in table.rows]
    if len(set(names)) < len(names) or len(set(values)) == 1:
        return None
    low, high = min(0.0, *values), max(0.0, *values)
    scale = (WIDTH - LEFT - RIGHT) / (high - low)
    zero = LEFT - low * scale
    bars = [
        Bar(
            label=name if len(name) <= 22 else f"{name[:21]}…",  # noqa: PLR2004 - what fits at the left
            value=table.rows[number][figured].text,
            x=round(min(zero, zero + value * scale), 1),
            y=number * STEP + 4,
            width=round(abs(value * scale), 1),
            text_y=number * STEP + 16,
            value_x=round(max(zero, zero + value * scale) + 4, 1),
        )
        for number, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    return Chart(
        column=table.columns[figured], label=table.columns[named], bars=bars,
        height=len(bars) * STEP + 6, zero=round(zero, 1),
    )  # fmt: skip


def _place(table: Table, *, numeric: bool) -> int | None:
    """Find the first column of words, or of figures that are no numbers of something."""
    for place, name in enumerate(table.columns):
        is_id = numeric and any(name.lower().replace("_", "").endswith(word) for word in _IDS)
        if table.numeric[place] is numeric and not is_id and any(row[place].text for row in table.rows):
            return place
    return None
