"""A bar chart of a table's column of figures, in SVG without styles or scripts."""

import re
from dataclasses import dataclass

from console.tools.result_table import Table

MAX_BARS = 40
MIN_BARS = 2
WIDTH = 640
LEFT = 150
RIGHT = 70
STEP = 20
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_IDS = ("id", "number", "year", "season", "date", "line", "position", "depth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar, in units of the drawing."""

    label: str
    value: str
    x: float
    y: int
    width: float
    text_y: int
    value_x: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The bars of a column."""

    column: str
    label: str
    bars: list[Bar]
    height: int
    zero: float
    width: int = WIDTH
    label_x: int = LEFT - 6


def draw_chart(table: Table) -> Chart | None:
    """Draw a bar for each row; None unless 2 to 40 rows have distinct names and figures that vary."""
    if not MIN_BARS <= len(table.rows) <= MAX_BARS:
        return None
    named = _choose_names(table)
    figured = _choose_figures(table)
    if named is None or figured is None:
        return None
    names = [row[named].text for row in table.rows]
    values = _read_figures(table, place=figured)
    if len(set(names)) < len(names):
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


def _choose_names(table: Table) -> int | None:
    """Return the first column of words; None if it holds days although another column tells the rows apart."""
    worded = [place for place in _find_columns(table, numeric=False) if _has_words(table, place=place)]
    days = [place for place in worded if all(_DAY.match(row[place].text) for row in table.rows)]
    varied = [place for place in worded if place not in days and len({row[place].text for row in table.rows}) > 1]
    first = next(iter(worded), None)
    return None if first in days and varied else first


def _choose_figures(table: Table) -> int | None:
    """Return the first column of figures by which the rows are sorted, else the first that varies; None without any."""
    varied = [place for place in _find_columns(table, numeric=True) if len(set(_read_figures(table, place=place))) > 1]
    ordering = (place for place in varied if _is_ordered(_read_figures(table, place=place)))
    return next(ordering, next(iter(varied), None))


def _has_words(table: Table, *, place: int) -> bool:
    """Return whether a column holds more than numbers written as text."""
    return not all(row[place].text.isdigit() for row in table.rows)


def _is_ordered(values: list[float]) -> bool:
    return values == sorted(values, reverse=True)


def _read_figures(table: Table, *, place: int) -> list[float]:
    return [float(row[place].text or 0) for row in table.rows]


def _find_columns(table: Table, *, numeric: bool) -> list[int]:
    """Return the columns of words, or of figures; ids, years, positions and the like are not figures."""
    return [
        place
        for place, name in enumerate(table.columns)
        if table.numeric[place] is numeric
        and not (numeric and any(name.lower().replace("_", "").endswith(word) for word in _IDS))
        and any(row[place].text for row in table.rows)
    ]
