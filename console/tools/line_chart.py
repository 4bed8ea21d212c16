"""A line chart of a Vega-Lite specification over days, in SVG without styles or scripts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 26, 28
LEGEND_STEP = 160
MAX_SERIES = 2
"""The pages have so many colours."""
MIN_POINTS, MAX_POINTS = 2, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point in units of the drawing; `title` is its tooltip."""

    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line; `style` is its class in the style sheet."""

    name: str
    style: str
    points: list[Point]

    @property
    def path(self) -> str:
        """The points of the line in SVG's notation."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """Lines over days: `levels` are the labels at the left, `days` the first and the last day."""

    column: str
    label: str
    series: list[Series]
    levels: list[tuple[float, str]]
    days: tuple[str, str]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM
    day_y: int = HEIGHT - 8

    @property
    def legend(self) -> list[tuple[int, Series]]:
        """Return the lines' names with their places; a single line needs none."""
        places = [(LEFT + LEGEND_STEP * number, one) for number, one in enumerate(self.series)]
        return places if len(places) > 1 else []


def draw_lines(specification: Any) -> LineChart | None:
    """Draw a specification of lines over days; None for any other, or with too few days or too many lines."""
    if not isinstance(specification, Mapping):
        return None
    encoding, mark = specification.get("encoding", {}), specification.get("mark", {})
    x, y = encoding.get("x", {}), encoding.get("y", {})
    if not isinstance(mark, Mapping) or mark.get("type") != "line" or x.get("type") != "temporal":
        return None
    color = encoding.get("color", {}).get("field", "")
    rows = specification.get("data", {}).get("values", [])[:MAX_POINTS]
    found = sorted(
        (_read_day(row[x["field"]]), float(row[y["field"]]), str(row.get(color, "")))
        for row in rows if row.get(y["field"]) is not None and row.get(x["field"])
    )  # fmt: skip
    written = {_read_day(row[x["field"]]): str(row[x["field"]])[:10] for row in rows if row.get(x["field"])}
    names = sorted({name for _, _, name in found})
    days = sorted({day for day, _, _ in found})
    if len(days) < MIN_POINTS or len(names) > MAX_SERIES:
        return None
    low, high = min(0.0, *(value for _, value, _ in found)), max(value for _, value, _ in found)
    scale = (HEIGHT - TOP - BOTTOM) / ((high - low) or 1.0)
    step = (WIDTH - LEFT - RIGHT) / (days[-1] - days[0]).days

    def place(day: date, value: float) -> Point:
        across, up = LEFT + (day - days[0]).days * step, HEIGHT - BOTTOM - (value - low) * scale
        return Point(x=round(across, 1), y=round(up, 1), title=f"{written[day]}: {value:g}")

    series = [
        Series(
            name=name, style=f"s{number}", points=[place(day, value) for day, value, other in found if other == name]
        )
        for number, name in enumerate(names, start=1)
    ]
    levels = [(place(days[0], value).y, f"{value:g}") for value in dict.fromkeys((low, (low + high) / 2, high))]
    return LineChart(
        column=str(y.get("title") or y["field"]), label=str(x.get("title") or x["field"]), series=series,
        levels=levels, days=(written[days[0]], written[days[-1]]),
    )  # fmt: skip


def _read_day(text: object) -> date:
    """Read a day; a year, or a month, is its first day."""
    return date.fromisoformat(f"{text}-01-01"[:10])
