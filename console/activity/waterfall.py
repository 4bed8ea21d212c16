"""Waterfall chart: a bar for each call or step over time, one below the other. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, LEFT, RIGHT, STEP, TOP = 760, 200, 90, 22, 8
MAX_LABEL = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A bar; `is_bad` draws it in the second colour, `is_chosen` its label in bold."""

    label: str
    began_at: datetime
    milliseconds: float
    address: str = ""
    words: str = ""
    is_bad: bool = False
    is_chosen: bool = False


def draw_waterfall(spans: Sequence[Span], *, title: str) -> SafeString | str:
    """Draw the spans in their order; "" if there are none."""
    if not spans:
        return ""
    start = min(span.began_at for span in spans)
    offsets = [(span.began_at - start).total_seconds() * 1000 for span in spans]
    whole = max(offset + span.milliseconds for offset, span in zip(offsets, spans, strict=True)) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / whole
    rows = format_html_join(
        "",
        '<g class="{}"><title>{}: {} after {}</title>{}<rect class="bar" x="{}" y="{}" width="{}" height="14"/>'
        '<text x="{}" y="{}">{}</text></g>',
        (
            (
                "s2" if span.is_bad else "s1",
                span.label,
                _duration(span.milliseconds),
                _duration(offset),
                _label(span, y=TOP + STEP * place + 12),
                round(LEFT + offset * scale, 1),
                TOP + STEP * place,
                max(2.0, round(span.milliseconds * scale, 1)),
                round(min(LEFT + (offset + span.milliseconds) * scale + 5, WIDTH - RIGHT + 5), 1),
                TOP + STEP * place + 12,
                _duration(span.milliseconds),
            )
            for place, (span, offset) in enumerate(zip(spans, offsets, strict=True))
        ),
    )
    return format_html(
        '<svg class="plot waterfall" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        WIDTH,
        TOP + STEP * len(spans) + 4,
        title,
        rows,
    )


def split_sessions(spans: Sequence[Span], *, gap_seconds: float) -> list[list[Span]]:
    """Split spans, sorted by time, wherever the next one begins more than `gap_seconds` after the one before."""
    sessions: list[list[Span]] = []
    for span in spans:
        if not sessions or (span.began_at - sessions[-1][-1].began_at).total_seconds() > gap_seconds:
            sessions.append([])
        sessions[-1].append(span)
    return sessions


def _label(span: Span, *, y: int) -> SafeString:
    label = span.label if len(span.label) <= MAX_LABEL else f"{span.label[: MAX_LABEL - 1]}…"
    weight = "700" if span.is_chosen else "400"
    return format_html('<text x="{}" y="{}" text-anchor="end" font-weight="{}">{}</text>', LEFT - 8, y, weight, label)


def _duration(milliseconds: float) -> str:
    return f"{milliseconds / 1000:,.1f} s" if milliseconds >= 1000 else f"{milliseconds:.1f} ms"  # noqa: PLR2004 - a second
