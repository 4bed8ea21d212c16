"""Counts of a run's events by time and type, in at most sixty buckets, drawn as strips. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from backtests.moments import DAY, SECOND, format_rounded
from backtests.pages.view import View
from backtests.vocabulary import EVENT_TYPES
from toolbox.admin_pages.charts import AMBER, BLUE, GRAY, GREEN, PURPLE, RED
from toolbox.admin_pages.panels import Figures, Panel

MAX_BUCKETS = 60
MONDAY = 4 * DAY
"""The first Monday of 1970, from which weeks are counted."""
_SECONDS = (1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, 86_400)
_DAYS = (2, 7, 14, 28, 91, 182, 364)
STEPS = (1_000, 10_000, 100_000, *(SECOND * one for one in _SECONDS), *(DAY * one for one in _DAYS))
COLORS = {
    "TradeExecution": GREEN, "OrderRejection": RED, "PositionUpdate": PURPLE, "StateChange": BLUE, "RiskEvent": AMBER,
}  # fmt: skip
LEFT, RIGHT, ROW, HIGH, WIDTH, FOOT, MARKS = 150, 60, 36, 28, 960, 22, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A time interval with inclusive ends, and its counts of events by type."""

    first: int
    last: int
    name: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Buckets in order, of equal length except the first and the last."""

    buckets: list[Bucket]
    step: int

    @property
    def types(self) -> list[str]:
        """Return the types that occur, in the contract's order."""
        return [name for name in EVENT_TYPES if any(name in bucket.counts for bucket in self.buckets)]

    def bucket_at(self, moment: int) -> int:
        """Return the index of the bucket that holds a moment or is nearest to it."""
        last = len(self.buckets) - 1
        return next((place for place, bucket in enumerate(self.buckets) if moment <= bucket.last), last)


def find_edges(view: View) -> tuple[list[int], int]:
    """Return the edges of the buckets, one more than there are buckets, and a bucket's length."""
    span = view.last - view.first
    longer = (-(-span // (MAX_BUCKETS - 1)) // DAY + 1) * DAY
    step = next((one for one in STEPS if span // one + 2 <= MAX_BUCKETS), longer)
    start = (view.first - MONDAY) // step * step + MONDAY
    inner = [edge - 1 for edge in range(start + step, view.last + 1, step)]
    return [view.first - 1, *inner, view.last], step


def make_timeline(ranks: dict[int, list[int]], *, edges: Sequence[int], step: int) -> Timeline:
    """Build the timeline from the ranks of the events at each edge."""
    buckets = [
        Bucket(
            first=edges[place] + 1, last=edges[place + 1], name=format_rounded(edges[place] + 1, step=step),
            counts={
                EVENT_TYPES[code]: counted for code, before in ranks.items()
                if (counted := before[place + 1] - before[place])
            },
        )
        for place in range(len(edges) - 1)
    ]  # fmt: skip
    return Timeline(buckets=buckets, step=step)


def draw_timeline_panel(timeline: Timeline, *, view: View) -> Panel:
    """Draw the strips and build the table of counts; each bucket links to the state at its end."""
    total = sum(sum(bucket.counts.values()) for bucket in timeline.buckets)
    rows = [
        [
            format_html('<a href="?{}">{}</a>', view.query(at=bucket.last), bucket.name),
            *(bucket.counts.get(name, 0) for name in timeline.types),
        ]
        for bucket in timeline.buckets
    ]
    return Panel(
        title="Events by time and type", drawing=draw_strips(timeline, view=view),
        note=f"{total:,} events in {len(timeline.buckets)} stretches of time. Each type is drawn to its own scale: its "
             "highest count stands at the right. Choose a stretch to see the state at its end.",
        tables=[Figures(title="Events by time and type", head=["From (UTC)", *timeline.types], rows=rows)],
        nothing="Nothing to draw: the run has no event in this time.",
    )  # fmt: skip


def draw_strips(timeline: Timeline, *, view: View) -> SafeString | str:
    """Draw a strip of columns for each type; buckets are links for the mouse, the table has them for the keyboard."""
    types = timeline.types
    if not types:
        return ""
    wide, height = (WIDTH - LEFT - RIGHT) / len(timeline.buckets), ROW * len(types)
    xs = [round(LEFT + wide * place, 1) for place in range(len(timeline.buckets))]
    at = round(LEFT + wide * (timeline.bucket_at(view.at) + _find_share(timeline, view=view)), 1)
    every = -(-len(xs) // MARKS)
    marks = format_html_join(
        "", '<text x="{}" y="{}">{}</text>',
        ((xs[place], height + 16, bucket.name) for place, bucket in enumerate(timeline.buckets) if place % every == 0),
    )  # fmt: skip
    hits = format_html_join(
        "",
        '<a href="?{}" tabindex="-1" aria-label="{}"><rect class="hit" x="{}" y="0" width="{}" height="{}" '
        'fill-opacity="0"><title>{}</title></rect></a>',
        (
            (view.query(at=bucket.last), bucket.name, xs[place], round(wide, 1), height, _describe_bucket(bucket))
            for place, bucket in enumerate(timeline.buckets)
        ),
    )
    cursor = format_html(
        '<line class="cursor" x1="{0}" x2="{0}" y1="0" y2="{1}" stroke="{2}" stroke-width="2"/>', at, height, AMBER
    )
    rows = SafeString(
        "".join(_draw_strip(timeline, name=name, top=ROW * place, xs=xs) for place, name in enumerate(types))
    )
    return format_html(
        '<svg class="plot strips" viewBox="0 0 {} {}" width="100%" role="group" font-size="11" fill="{}" '
        'aria-label="Events by time and type; the figures are below">{}{}{}{}</svg>',
        WIDTH, height + FOOT, GRAY, rows, marks, cursor, hits,
    )  # fmt: skip


def _draw_strip(timeline: Timeline, *, name: str, top: int, xs: Sequence[float]) -> SafeString:
    counts = [bucket.counts.get(name, 0) for bucket in timeline.buckets]
    most, thick = max(counts), round((WIDTH - LEFT - RIGHT) / len(xs) * 0.86, 1)
    heights = [round(max(HIGH * count / most, 1.5), 1) if count else 0 for count in counts]
    drawn = format_html_join(
        "", '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>',
        (
            (x, round(top + ROW - 2 - high, 1), thick, high, COLORS.get(name, GRAY))
            for x, high in zip(xs, heights, strict=True) if high
        ),
    )  # fmt: skip
    return format_html(
        '<g data-type="{}"><line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text x="{}" y="{}" text-anchor="end">{}</text><text x="{}" y="{}">{}</text>{}</g>',
        name, LEFT, WIDTH - RIGHT, top + ROW - 1, top + ROW - 1, LEFT - 8, top + ROW - 8, name,
        WIDTH - RIGHT + 6, top + ROW - 8, f"{most:,}", drawn,
    )  # fmt: skip


def _find_share(timeline: Timeline, *, view: View) -> float:
    """Return which share of its bucket is before the moment."""
    bucket = timeline.buckets[timeline.bucket_at(view.at)]
    return min(max((view.at - bucket.first + 1) / (bucket.last - bucket.first + 1), 0.0), 1.0)


def _describe_bucket(bucket: Bucket) -> str:
    counts = ", ".join(f"{count:,} {name}" for name, count in bucket.counts.items())
    return f"From {bucket.name}: {counts or 'no event'}"
