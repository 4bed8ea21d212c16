"""SVG drawings of profit, drawdown, equity and price over time, for one run or several. Pure."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from django.utils.safestring import SafeString

from backtests.moments import DAY, SECOND, format_rounded
from toolbox.admin_pages.charts import AMBER, BLUE, DASHED, DOTTED, GREEN, MIXED, PURPLE, RED, Dot, Mark, Series, lines

Style = tuple[str, str]
MAX_DRAWN, MARKS, SAMPLES, LOW_HEIGHT = 320, 4, 24, 160
STYLES = ((BLUE, ""), (AMBER, DASHED), (GREEN, DOTTED), (PURPLE, MIXED))


@dataclass(frozen=True, slots=True)
class Point:
    """A run's value at a moment in microseconds since 1970."""

    moment: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """An execution: moment, price, quantity, Buy or Sell."""

    moment: int
    price: float
    quantity: float
    side: str

    @property
    def time_text(self) -> str:
        """Format the moment."""
        return format_rounded(self.moment, step=SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A named series of points."""

    name: str
    points: Sequence[Point]

    def from_start(self) -> "Curve":
        """Return the curve with moments relative to the first."""
        first = self.points[0].moment if self.points else 0
        return Curve(name=self.name, points=[Point(point.moment - first, point.value) for point in self.points])

    def drawdown(self) -> "Curve":
        """Return the curve of its drawdown from the running maximum."""
        peaks = accumulate((point.value for point in self.points), max)
        pairs = zip(self.points, peaks, strict=True)
        return Curve(name=self.name, points=[Point(point.moment, point.value - peak) for point, peak in pairs])


def curves(drawn: Sequence[Curve], *, at: int | None = None, is_counted: bool = False) -> SafeString | str:
    """
    Draw profit over time, and drawdown below it; return "" if no run has two points.

    `at` is a moment to mark; with `is_counted` the moments are relative to the start, not dates.
    """
    moments = [point.moment for one in drawn for point in one.points]
    if len(moments) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    first, last = min(moments), max(moments)
    marks = _marks(first, last=last, is_counted=is_counted)
    is_one = len(drawn) == 1
    upper = _series(drawn, name="Profit" if is_one else "", styles=STYLES, span=(first, last))
    fallen = [one.drawdown() for one in drawn]
    lower = _series(
        fallen, name="Drawdown" if is_one else "", styles=((RED, ""),) if is_one else STYLES, span=(first, last)
    )
    title = _words(drawn[0], fallen=fallen[0]) if is_one else "Profit by run"
    cursor = None if at is None else _share(at, first=first, last=last)
    return SafeString(
        lines(upper, marks=marks, title=title, at=cursor)
        + lines(lower, marks=marks, title="Drawdown", height=LOW_HEIGHT, at=cursor)
    )


def draw_equity(curve: Curve, *, fallen: Sequence[Point] | None, at: int | None = None) -> SafeString | str:
    """Draw equity, and drawdown below it, as a share of the running maximum or, if that is unknown, in money."""
    if len(curve.points) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    if fallen is None:
        return curves([curve], at=at)
    first, last = curve.points[0].moment, curve.points[-1].moment
    marks, span = _marks(first, last=last, is_counted=False), (first, last)
    cursor = None if at is None else _share(at, first=first, last=last)
    shares = Curve(name="Drawdown, %", points=[Point(point.moment, point.value * 100) for point in fallen])
    values = [point.value for point in curve.points]
    title = f"{curve.name} from {values[0]:,.2f} to {values[-1]:,.2f}"
    upper = _series([curve], name=curve.name, styles=STYLES, span=span)
    [lower] = _series([shares], name=shares.name, styles=((RED, ""),), span=span)
    return SafeString(
        lines(upper, marks=marks, title=title, at=cursor, with_zero=False)
        + lines([replace(lower, is_filled=True)], marks=marks, title="Drawdown", height=LOW_HEIGHT, at=cursor)
    )


def draw_price(points: Sequence[Point], *, fills: Sequence[Fill], at: int | None = None) -> SafeString | str:
    """Draw a price over time, with the executions."""
    moments = [point.moment for point in points] + [fill.moment for fill in fills]
    if len(moments) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    first, last = min(moments), max(moments)
    price = Curve(name="Price", points=points)
    dots = [
        Dot(
            place=_share(fill.moment, first=first, last=last), value=fill.price, turn=1 if fill.side == "Buy" else -1,
            words=f"{fill.side} {fill.quantity:,g} at {fill.price:,g}, {fill.time_text}",
            color=GREEN if fill.side == "Buy" else RED,
        )
        for fill in fills
    ]  # fmt: skip
    return lines(
        _series([price], name="Price", styles=STYLES, span=(first, last)) if points else [],
        marks=_marks(first, last=last, is_counted=False), title="Price, and what was bought and sold", over=dots,
        at=None if at is None else _share(at, first=first, last=last), with_zero=False,
    )  # fmt: skip


def thin(points: Sequence[Point]) -> Sequence[Point]:
    """Downsample a curve: keep the lowest and the highest point of each interval, and both ends."""
    if len(points) <= MAX_DRAWN:
        return points
    size = -(-len(points) // (MAX_DRAWN // 2))
    stretches = [range(start, min(start + size, len(points))) for start in range(0, len(points), size)]
    places = {0, len(points) - 1}
    for stretch in stretches:
        by_value = sorted(stretch, key=lambda place: points[place].value)
        places |= {by_value[0], by_value[-1]}
    return [points[place] for place in sorted(places)]


def sample(drawn: Sequence[Curve], *, is_counted: bool = False) -> list[list[Any]]:
    """Build a table of each run's profit and drawdown at up to 25 evenly spread moments."""
    moments = [point.moment for one in drawn for point in one.points]
    if not moments:
        return []
    first, last = min(moments), max(moments)
    drawn_curves = [one for run in drawn for one in (run, run.drawdown())]
    wanted = sorted({first + (last - first) * place // SAMPLES for place in range(SAMPLES + 1)})
    return [
        [
            _format_moment(moment, span=last - first, is_counted=is_counted),
            *(_format_value_at(one, moment) for one in drawn_curves),
        ]
        for moment in wanted
    ]


def _series(drawn: Sequence[Curve], *, name: str, styles: Sequence[Style], span: tuple[int, int]) -> list[Series]:
    """Build a series for each curve; a single unnamed one is labelled with its measure and filled below zero."""
    return [
        Series(
            name=name or one.name, color=color, dash=dash, is_filled=name == "Drawdown",
            values=[point.value for point in points],
            places=[_share(point.moment, first=span[0], last=span[1]) for point in points],
        )
        for one, (color, dash) in zip(drawn, styles, strict=False)
        for points in [thin(one.points)]
    ]  # fmt: skip


def _format_value_at(curve: Curve, moment: int, /) -> str:
    place = bisect_right(curve.points, moment, key=lambda point: point.moment)
    return f"{curve.points[place - 1].value:,.2f}" if place else ""


def _share(moment: int, *, first: int, last: int) -> float:
    return min(max((moment - first) / ((last - first) or 1), 0.0), 1.0)


def _marks(first: int, *, last: int, is_counted: bool) -> list[Mark]:
    span = last - first
    moments = [first + span * place // MARKS for place in range(MARKS + 1)]
    return [(place / MARKS, _format_moment(one, span=span, is_counted=is_counted)) for place, one in enumerate(moments)]


def _format_moment(moment: int, *, span: int, is_counted: bool) -> str:
    if is_counted:
        return f"{moment / DAY:,.1f} days" if span >= DAY else f"{moment / SECOND:,.1f} s"
    return format_rounded(moment, step=span // MARKS)


def _words(curve: Curve, *, fallen: Curve) -> str:
    values = [point.value for point in curve.points]
    deepest = min(point.value for point in fallen.points)
    return f"Profit from {values[0]:,.2f} to {values[-1]:,.2f}, deepest drawdown {deepest:,.2f}"
