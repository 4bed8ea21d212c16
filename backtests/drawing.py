"""Charts as SVG, drawn here: they need no script, no style sheet and nothing from elsewhere. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, LEFT, RIGHT, TOP = 960, 84, 12, 12
EQUITY_HEIGHT, DRAWDOWN_HEIGHT, GAP = 200, 80, 18
BAR_WIDTH, BAR_HEIGHT, BAR_LEFT, LONGEST_LABEL = 520, 24, 270, 40
MOST_BARS = 12
GREEN, RED, BLUE, GRAY = "#15a06e", "#e0525f", "#3b82f6", "#8b95a5"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Point:
    """What a run was worth at a moment, in microseconds since 1970."""

    moment: int
    value: float


def curves(points: Sequence[Point]) -> SafeString | str:
    """Draw profit over time, and under it how far it was below its highest so far; empty below two points."""
    if len(points) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    peaks = list(accumulate((point.value for point in points), max))
    fallen = [Point(point.moment, point.value - peak) for point, peak in zip(points, peaks, strict=True)]
    lower_top = TOP + EQUITY_HEIGHT + GAP
    height = lower_top + DRAWDOWN_HEIGHT + 24
    deepest = min(point.value for point in fallen)
    words = f"Profit from {points[0].value:,.2f} to {points[-1].value:,.2f}, deepest drawdown {deepest:,.2f}"
    return format_html(
        '<svg viewBox="0 0 {} {}" width="100%" role="img" aria-label="{}" font-size="11" fill="{}">'
        "<title>{}</title>{}{}{}</svg>",
        WIDTH, height, words, GRAY, words,
        _curve(points, top=TOP, height=EQUITY_HEIGHT, color=BLUE, name="profit"),
        _curve(fallen, top=lower_top, height=DRAWDOWN_HEIGHT, color=RED, name="drawdown", filled=True),
        _days(points, top=lower_top + DRAWDOWN_HEIGHT + 16),
    )  # fmt: skip


def bars(counts: Sequence[tuple[str, int]], *, color: str = BLUE) -> SafeString | str:
    """Draw counts as bars, the largest first, at most twelve; empty where there is none."""
    shown = sorted(counts, key=lambda pair: (-pair[1], pair[0]))[:MOST_BARS]
    if not shown:
        return ""
    longest = max(shown[0][1], 1)
    room = BAR_WIDTH - BAR_LEFT - 60
    rows = format_html_join(
        "",
        '<g><title>{}: {}</title><text x="{}" y="{}" text-anchor="end">{}</text>'
        '<rect x="{}" y="{}" width="{}" height="{}" rx="2" fill="{}"/><text x="{}" y="{}">{}</text></g>',
        (
            (
                label, f"{count:,}", BAR_LEFT - 8, place * BAR_HEIGHT + 16, _cut(label),
                BAR_LEFT, place * BAR_HEIGHT + 3, round(max(room * count / longest, 1)), BAR_HEIGHT - 6, color,
                BAR_LEFT + round(room * count / longest) + 6, place * BAR_HEIGHT + 16, f"{count:,}",
            )
            for place, (label, count) in enumerate(shown)
        ),
    )  # fmt: skip
    return format_html(
        '<svg viewBox="0 0 {} {}" width="100%" role="img" font-size="13" fill="{}">{}</svg>',
        BAR_WIDTH, BAR_HEIGHT * len(shown) + 4, GRAY, rows,
    )  # fmt: skip


def _curve(
    points: Sequence[Point], *, top: int, height: int, color: str, name: str, filled: bool = False
) -> SafeString:
    low, high = min(point.value for point in points), max(point.value for point in points)
    span = (high - low) or 1.0
    at = [(x, round(top + height * (high - point.value) / span, 1)) for x, point in _placed(points)]
    path = " ".join(f"{x},{y}" for x, y in at)
    closed = f"{at[0][0]},{top} {path} {at[-1][0]},{top}" if filled else path
    marks = format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-opacity="0.3"/>'
        '<text x="{}" y="{}" text-anchor="end">{}</text>',
        (
            (LEFT, WIDTH - RIGHT, y, y, GRAY, LEFT - 8, y + 4, f"{value:,.2f}")
            for value, y in ((high, top), (low, top + height))
        ),
    )
    return format_html(
        '{}<polyline points="{}" fill="{}" fill-opacity="0.25" stroke="{}" stroke-width="1.5" data-curve="{}"/>',
        marks, closed, color if filled else "none", color, name,
    )  # fmt: skip


def _placed(points: Sequence[Point]) -> Iterator[tuple[float, Point]]:
    first, last = points[0].moment, points[-1].moment
    for point in points:
        share = (point.moment - first) / ((last - first) or 1)
        yield round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1), point


def _days(points: Sequence[Point], *, top: int) -> SafeString:
    first, last = points[0].moment, points[-1].moment
    places = [(share, anchor) for share, anchor in ((0, "start"), (0.5, "middle"), (1, "end"))]
    return format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="{}">{}</text>',
        (
            (round(LEFT + (WIDTH - LEFT - RIGHT) * share), top, anchor, _time(first + round((last - first) * share)))
            for share, anchor in places
        ),
    )


def _time(moment: int) -> str:
    return f"{_EPOCH + timedelta(microseconds=moment):%Y-%m-%d %H:%M}"


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
