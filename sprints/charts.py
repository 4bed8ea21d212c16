"""Charts as SVG, drawn here: they need no script, no style sheet and nothing from elsewhere. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 274, 52, 14, 28, 30
GREEN, RED, BLUE, GRAY, AMBER = "#15a06e", "#e0525f", "#3b82f6", "#8b95a5", "#d97706"
MOST_LABELS = 9
TICKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Numbers under one name; None where there is none. `is_step` holds each until the next, `is_dashed` is a guide."""

    name: str
    values: Sequence[float | None]
    color: str
    is_step: bool = False
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where values lie between the lowest and the highest."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "_Scale":
        """Span the values and zero, in steps of 1, 2 or 5 times a power of ten."""
        low, high = min([0.0, *values]), max([0.0, *values])
        rough = ((high - low) or 1) / TICKS
        power = 10 ** floor(log10(rough))
        step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough)
        return cls(floor(low / step) * step, max(ceil(high / step) * step, step), step)

    @property
    def marks(self) -> list[float]:
        """Give the values that lines are drawn at."""
        return [self.low + self.step * tick for tick in range(round((self.high - self.low) / self.step) + 1)]

    def y(self, value: float) -> float:
        """Give the place of a value from the top."""
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low), 1)


def lines(series: Sequence[Series], *, labels: Sequence[str], title: str) -> SafeString | str:
    """Draw lines over the same places; empty where there is nothing to draw."""
    values = [value for one in series for value in one.values if value is not None]
    if not values or not labels:
        return ""
    scale, count = _Scale.of(values), max(len(labels) - 1, 1)
    drawn = format_html_join(
        "",
        '<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{} data-series="{}"/>',
        (
            (_path(one, scale=scale, count=count), one.color, _dashes(is_dashed=one.is_dashed), one.name)
            for one in series
        ),
    )
    at = [_x(place / count) for place in range(len(labels))]
    return _picture(title, body=_axis(scale) + drawn + _labels(labels, at=at) + _legend(series))


def columns(series: Sequence[Series], *, labels: Sequence[str], title: str) -> SafeString | str:
    """Draw columns side by side for each label, down from zero where they are negative; a dashed series is a line."""
    values = [value for one in series for value in one.values if value is not None]
    if not values or not labels:
        return ""
    scale, standing = _Scale.of(values), [one for one in series if not one.is_dashed]
    room = (WIDTH - LEFT - RIGHT) / len(labels)
    thick = max(room * 0.8 / max(len(standing), 1), 1)
    drawn = format_html_join(
        "",
        '<g><title>{}: {} {}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}" data-series="{}"/></g>',
        (
            (
                labels[place], one.name, _short(value), round(LEFT + room * (place + 0.1) + thick * number, 1),
                min(scale.y(value), scale.y(0)), round(thick * 0.92, 1),
                round(abs(scale.y(value) - scale.y(0)), 1), one.color, one.name,
            )
            for number, one in enumerate(standing)
            for place, value in enumerate(one.values) if value is not None
        ),
    )  # fmt: skip
    guides = [one for one in series if one.is_dashed]
    at = [round(LEFT + room * (place + 0.5), 1) for place in range(len(labels))]
    body = _axis(scale) + drawn + _guides(guides, scale=scale) + _labels(labels, at=at) + _legend(series)
    return _picture(title, body=body)


def dots(
    points: Sequence[tuple[float, float, str]], *, ends: tuple[str, str], guides: Sequence[Series], title: str
) -> SafeString | str:
    """Draw dots (place from 0 to 1, value, words), with guides across; empty where there is none."""
    if not points:
        return ""
    scale = _Scale.of([value for _, value, _ in points])
    drawn = format_html_join(
        "",
        '<circle cx="{}" cy="{}" r="3" fill="{}" fill-opacity="0.55"><title>{}</title></circle>',
        ((_x(place), scale.y(value), BLUE, words) for place, value, words in points),
    )
    body = _axis(scale) + drawn + _guides(guides, scale=scale) + _labels(ends, at=[_x(0.04), _x(0.96)])
    return _picture(title, body=body + _legend(guides))


def _picture(title: str, *, body: SafeString) -> SafeString:
    return format_html(
        '<svg viewBox="0 0 {} {}" width="100%" role="img" aria-label="{}" font-size="11" fill="{}">'
        "<title>{}</title>{}</svg>",
        WIDTH, HEIGHT, title, GRAY, title, body,
    )  # fmt: skip


def _x(share: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)


def _path(one: Series, *, scale: _Scale, count: int) -> str:
    path: list[str] = []
    before: float | None = None
    for place, value in enumerate(one.values):
        if value is None:
            continue
        x, y = _x(place / count), scale.y(value)
        if one.is_step and before is not None:
            path.append(f"{x},{before}")
        path.append(f"{x},{y}")
        before = y
    return " ".join(path)


def _axis(scale: _Scale) -> SafeString:
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-opacity="0.25"/>'
        '<text x="{}" y="{}" text-anchor="end">{}</text>',
        (
            (LEFT, WIDTH - RIGHT, scale.y(mark), scale.y(mark), GRAY, LEFT - 6, scale.y(mark) + 4, _short(mark))
            for mark in scale.marks
        ),
    )


def _guides(guides: Sequence[Series], *, scale: _Scale) -> SafeString:
    """Draw a level across for each guide: its first value."""
    levels = [(one, one.values[0]) for one in guides if one.values and one.values[0] is not None]
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="1.5"{} data-series="{}"/>',
        (
            (LEFT, WIDTH - RIGHT, scale.y(level), scale.y(level), one.color, _dashes(is_dashed=True), one.name)
            for one, level in levels
            if level is not None and scale.low <= level <= scale.high
        ),
    )


def _labels(labels: Sequence[str], *, at: Sequence[float]) -> SafeString:
    every = -(-len(labels) // MOST_LABELS)
    return format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="middle">{}</text>',
        ((at[place], HEIGHT - BOTTOM + 16, label) for place, label in enumerate(labels) if place % every == 0),
    )


def _legend(series: Sequence[Series]) -> SafeString:
    return format_html_join(
        "",
        '<rect x="{}" y="2" width="9" height="9" fill="{}"/><text x="{}" y="11">{}</text>',
        ((LEFT + 130 * place, one.color, LEFT + 130 * place + 13, one.name) for place, one in enumerate(series)),
    )


def _dashes(*, is_dashed: bool) -> SafeString:
    return SafeString(' stroke-dasharray="5 4"' if is_dashed else "")


def _short(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
