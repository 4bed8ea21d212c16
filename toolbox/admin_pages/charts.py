"""
Draw charts as SVG; they need no script, no style sheet and no external resource. Pure.

Colours are attributes, for the admin; the console's style sheet sets the colour of text. The class is `svg.plot`,
because the admin's own script draws into elements of class `chart`. A chart shows its figures on hover only, so show a
table beside it (`toolbox.admin_pages.panels`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 256, 60, 14, 28, 30
BAR_WIDTH, BAR_LEFT, BAR_STEP, BAR_GAP, MAX_BARS, MAX_LABEL = 560, 264, 18, 8, 12, 40
GREEN, RED, BLUE, GRAY, AMBER, PURPLE = "#15a06e", "#e0525f", "#2e7cd1", "#8b95a5", "#d97706", "#a855f7"
DASHED, DOTTED, MIXED = "5 4", "2 3", "9 3 2 3"
MAX_LABELS, TICKS, LETTER = 9, 4, 6.2
MILLION = 1_000_000

Mark = tuple[float, str]
"""A label and its horizontal position, from 0 (left) to 1 (right)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """
    A named series of numbers; None is a gap. Evenly spread, unless `places` (0 to 1) positions each value.

    `is_step` holds each value until the next one; `is_filled` fills down to zero. Among columns, a series with a `dash`
    is drawn as a horizontal guide.
    """

    name: str
    values: Sequence[float | None]
    color: str
    places: Sequence[float] = ()
    dash: str = ""
    is_step: bool = False
    is_filled: bool = False

    def points(self) -> Iterator[tuple[float, float]]:
        """Yield each value with its position."""
        for number, value in enumerate(self.values):
            if value is not None:
                yield (self.places[number] if self.places else number / max(len(self.values) - 1, 1)), value


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One value at a position from 0 (left) to 1 (right); `turn` draws a triangle: 1 up, -1 down."""

    place: float
    value: float
    words: str
    color: str = BLUE
    turn: int = 0


@dataclass(frozen=True, slots=True)
class _Scale:
    """The vertical scale of a chart of some height."""

    low: float
    high: float
    step: float
    height: int

    @classmethod
    def fit(cls, values: Sequence[float], *, height: int = HEIGHT, with_zero: bool = True) -> "_Scale":
        """Span the values in steps of 1, 2 or 5 times a power of ten; with zero if asked, or if all are equal."""
        others = [0.0] if with_zero or min(values) == max(values) else []
        low, high = min([*others, *values]), max([*others, *values])
        rough = ((high - low) or 1) / TICKS
        power = 10 ** floor(log10(rough))
        step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough)
        top = ceil(high / step) * step
        return cls(floor(low / step) * step, top if top > 0 or low < 0 else step, step, height)

    @property
    def marks(self) -> list[float]:
        """Return the values at which grid lines are drawn."""
        return [self.low + self.step * tick for tick in range(round((self.high - self.low) / self.step) + 1)]

    def y(self, value: float) -> float:
        """Return the distance of a value from the top, in SVG units."""
        return round(TOP + (self.height - TOP - BOTTOM) * (self.high - value) / (self.high - self.low), 1)


def evenly(labels: Sequence[str]) -> list[Mark]:
    """Spread labels from left to right, the first and the last at the edges."""
    return [(place / max(len(labels) - 1, 1), label) for place, label in enumerate(labels)]


def lines(
    series: Sequence[Series], *, marks: Sequence[Mark], title: str, height: int = HEIGHT, at: float | None = None,
    over: Sequence[Dot] = (), with_zero: bool = True,
) -> SafeString | str:  # fmt: skip
    """
    Draw lines over shared positions, dots `over` them and a cursor `at` a position; "" if there is nothing to draw.

    The scale includes zero if `with_zero` or all values are equal.
    """
    values = [value for one in series for value in one.values if value is not None] + [dot.value for dot in over]
    if not values or not marks:
        return ""
    scale = _Scale.fit(values, height=height, with_zero=with_zero)
    drawn = format_html_join(
        "",
        '<polyline points="{}" fill="{}" fill-opacity="0.2" stroke="{}" stroke-width="2" stroke-linecap="round"{} '
        'data-series="{}"/>',
        (
            (_path(one, scale=scale), one.color if one.is_filled else "none", one.color, _dashes(one.dash), one.name)
            for one in series
        ),
    )
    body = _axis(scale) + drawn + _dots([*_single_points(series), *over], scale=scale) + _cursor(at, scale=scale)
    body += _labels(marks, scale=scale) + _legend(series)
    return _picture(title, body=body, height=height)


def _single_points(series: Sequence[Series]) -> list[Dot]:
    """Return a dot for each series of one value, which has no line to be seen."""
    singles = [(one, next(one.points())) for one in series if sum(value is not None for value in one.values) == 1]
    return [
        Dot(place=place, value=value, color=one.color, words=f"{one.name}: {short(value)}")
        for one, (place, value) in singles
    ]


def columns(series: Sequence[Series], *, labels: Sequence[str], title: str) -> SafeString | str:
    """Draw columns side by side for each label; a dashed series is a guide. Returns "" if there is nothing to draw."""
    values = [value for one in series for value in one.values if value is not None]
    if not values or not labels:
        return ""
    scale, standing = _Scale.fit(values), [one for one in series if not one.dash]
    room = (WIDTH - LEFT - RIGHT) / len(labels)
    thick = max(room * 0.8 / max(len(standing), 1), 1)
    drawn = format_html_join(
        "",
        '<g><title>{}: {} {}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}" data-series="{}"/></g>',
        (
            (
                labels[place], one.name, short(value), round(LEFT + room * (place + 0.1) + thick * number, 1),
                min(scale.y(value), scale.y(0)), round(thick * 0.92, 1),
                round(abs(scale.y(value) - scale.y(0)), 1), one.color, one.name,
            )
            for number, one in enumerate(standing)
            for place, value in enumerate(one.values) if value is not None
        ),
    )  # fmt: skip
    marks = [((place + 0.5) / len(labels), label) for place, label in enumerate(labels)]
    guides = [one for one in series if one.dash]
    body = _axis(scale) + drawn + _guides(guides, scale=scale) + _labels(marks, scale=scale) + _legend(series)
    return _picture(title, body=body)


def dots(points: Sequence[Dot], *, marks: Sequence[Mark], guides: Sequence[Series], title: str) -> SafeString | str:
    """Draw dots with guides across; "" if there are no dots."""
    if not points:
        return ""
    levels = [value for one in guides for value in one.values if value is not None]
    scale = _Scale.fit([*(dot.value for dot in points), *levels])
    body = _axis(scale) + _dots(points, scale=scale) + _guides(guides, scale=scale) + _labels(marks, scale=scale)
    return _picture(title, body=body + _legend(guides))


def bars(series: Sequence[Series], *, labels: Sequence[str], title: str) -> SafeString | str:
    """Draw horizontal bars, a group per label, the largest first, at most twelve; "" if all are zero."""
    whole = [sum(one.values[place] or 0 for one in series) for place in range(len(labels))]
    order = sorted(range(len(labels)), key=lambda place: (-whole[place], labels[place]))[:MAX_BARS]
    most = max((one.values[place] or 0 for one in series for place in order), default=0)
    if not most:
        return ""
    step, middle = BAR_STEP * len(series) + BAR_GAP, TOP + 12 + BAR_STEP * (len(series) - 1) / 2
    names = format_html_join(
        "", '<text x="{}" y="{}" text-anchor="end">{}</text>',
        (
            (BAR_LEFT - 8, middle + row * step, cut(labels[place], letters=MAX_LABEL))
            for row, place in enumerate(order)
        ),
    )  # fmt: skip
    legend = _legend(series, left=0, room=BAR_WIDTH) if len(series) > 1 else SafeString()
    rows = _bar_rows(series, labels=labels, order=order, most=most)
    return _picture(title, body=legend + names + rows, width=BAR_WIDTH, height=TOP + step * len(order))


def cut(text: str, *, letters: int) -> str:
    """Shorten a text to so many characters."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def short(value: float) -> str:
    """Format a number for an axis."""
    if abs(value) >= MILLION:
        return f"{value / MILLION:,.2f}".rstrip("0").rstrip(".") + "M"
    return f"{value:,.1f}".removesuffix(".0") if abs(value) >= 1 or not value else f"{value:.3g}"


def _bar_rows(series: Sequence[Series], *, labels: Sequence[str], order: Sequence[int], most: float) -> SafeString:
    room, step = BAR_WIDTH - BAR_LEFT - 66, BAR_STEP * len(series) + BAR_GAP
    return format_html_join(
        "",
        '<g><title>{}: {}</title><rect x="{}" y="{}" width="{}" height="{}" rx="2" fill="{}" data-series="{}"/>'
        '<text x="{}" y="{}">{}</text></g>',
        (
            (
                f"{labels[place]}, {one.name}" if len(series) > 1 else labels[place], short(value),
                BAR_LEFT, TOP + row * step + number * BAR_STEP, round(max(room * value / most, 1)), BAR_STEP - 3,
                one.color, one.name,
                BAR_LEFT + round(room * value / most) + 6, TOP + row * step + number * BAR_STEP + 12, short(value),
            )
            for row, place in enumerate(order)
            for number, one in enumerate(series) if (value := one.values[place] or 0)
        ),
    )  # fmt: skip


def _picture(title: str, *, body: SafeString, width: int = WIDTH, height: int = HEIGHT) -> SafeString:
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" width="100%" role="img" aria-label="{}" font-size="11" fill="{}">'
        "<title>{}</title>{}</svg>",
        width, height, title, GRAY, title, body,
    )  # fmt: skip


def _x(share: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)


def _path(one: Series, *, scale: _Scale) -> str:
    path: list[str] = []
    before: float | None = None
    for place, value in one.points():
        x, y = _x(place), scale.y(value)
        if one.is_step and before is not None:
            path.append(f"{x},{before}")
        path.append(f"{x},{y}")
        before = y
    if one.is_filled and path:
        path = [f"{path[0].partition(',')[0]},{scale.y(0)}", *path, f"{path[-1].partition(',')[0]},{scale.y(0)}"]
    return " ".join(path)


def _axis(scale: _Scale) -> SafeString:
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-opacity="0.25"/>'
        '<text x="{}" y="{}" text-anchor="end">{}</text>',
        (
            (LEFT, WIDTH - RIGHT, scale.y(mark), scale.y(mark), GRAY, LEFT - 6, scale.y(mark) + 4, short(mark))
            for mark in scale.marks
        ),
    )


def _dots(dots: Sequence[Dot], *, scale: _Scale) -> SafeString:
    """Draw circles, and triangles for dots with a `turn`."""
    circles = format_html_join(
        "",
        '<circle cx="{}" cy="{}" r="4" fill="{}" fill-opacity="0.6"><title>{}</title></circle>',
        ((_x(dot.place), scale.y(dot.value), dot.color, dot.words) for dot in dots if not dot.turn),
    )
    triangles = format_html_join(
        "",
        '<path d="M{} {}l5 {}h-10z" fill="{}" fill-opacity="0.8"><title>{}</title></path>',
        (
            (_x(dot.place), round(scale.y(dot.value) - 5 * dot.turn, 1), 10 * dot.turn, dot.color, dot.words)
            for dot in dots
            if dot.turn
        ),
    )
    return circles + triangles


def _guides(guides: Sequence[Series], *, scale: _Scale) -> SafeString:
    """Draw a horizontal line at the first value of each guide."""
    levels = [(one, one.values[0]) for one in guides if one.values and one.values[0] is not None]
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="1.5"{} data-series="{}"/>',
        (
            (LEFT, WIDTH - RIGHT, scale.y(level), scale.y(level), one.color, _dashes(one.dash or DASHED), one.name)
            for one, level in levels
            if level is not None
        ),
    )


def _cursor(at: float | None, *, scale: _Scale) -> SafeString:
    if at is None:
        return SafeString()
    return format_html(
        '<line class="cursor" x1="{0}" x2="{0}" y1="{1}" y2="{2}" stroke="{3}" stroke-width="2"/>',
        _x(at), TOP, scale.height - BOTTOM, AMBER,
    )  # fmt: skip


def _labels(marks: Sequence[Mark], *, scale: _Scale) -> SafeString:
    """Draw the labels at their positions; one that would run out of the picture ends at its position."""
    return format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="{}">{}</text>',
        (
            (x, scale.height - BOTTOM + 16, "end" if x + len(label) * LETTER / 2 > WIDTH else "middle", label)
            for x, label in ((_x(share), label) for share, label in marks[:: -(-len(marks) // MAX_LABELS)])
        ),
    )


def _legend(series: Sequence[Series], *, left: int = LEFT, room: int = WIDTH - LEFT - RIGHT) -> SafeString:
    step = room // max(len(series), 3)
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="7" y2="7" stroke="{}" stroke-width="4"{}/><text x="{}" y="11">{}</text>',
        (
            (
                left + step * place, left + step * place + 18, one.color, _dashes(one.dash),
                left + step * place + 23, cut(one.name, letters=int((step - 30) / LETTER)),
            )
            for place, one in enumerate(series)
        ),
    )  # fmt: skip


def _dashes(dash: str) -> SafeString:
    return format_html(' stroke-dasharray="{}"', dash) if dash else SafeString()
