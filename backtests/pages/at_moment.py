"""A run at a moment: the timeline of its events, the state, and the events around the moment."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from backtests.moments import format_exactly, moment_of, time_of
from backtests.pages import queries
from backtests.pages.event_words import describe_event
from backtests.pages.state_tables import build_state_tables, profit
from backtests.pages.timeline import Bucket, Timeline, draw_timeline_panel, find_edges, make_timeline
from backtests.pages.view import View
from backtests.runs import queries as stored
from backtests.runs.queries import Row, Window
from backtests.runs.snapshots import moments_of
from backtests.runs.state import Moment
from backtests.vocabulary import EVENT_TYPES, SEVERITIES, TYPE_CODES
from toolbox.contract.errors import ToolError
from toolbox.database.pools import reader

EVENTS_A_PAGE, PAGE_BYTES, MAX_WORDS = 50, 200_000, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentView:
    """The fetched data; if the state is too large it is missing and `faults` says so."""

    view: View
    timeline: Timeline
    state: Moment | None
    events: list[Row]
    faults: tuple[str, ...]

    @property
    def place(self) -> int:
        """Return the index of the moment's bucket."""
        return self.timeline.bucket_at(self.view.at)

    @property
    def bucket(self) -> Bucket:
        """Return the moment's bucket."""
        return self.timeline.buckets[self.place]


async def fetch_moment_view(run: Row, *, view: View) -> MomentView:
    """Fetch the counts, then the state and the events of the moment's bucket: three statements."""
    edges, step = find_edges(view)
    codes = [TYPE_CODES[name] for name in EVENT_TYPES if run["counts_by_type"].get(name)]
    timeline = make_timeline(await queries.ranks(run["run_id"], codes=codes, edges=edges), edges=edges, step=step)
    bucket = timeline.buckets[timeline.bucket_at(view.at)]
    skip = view.page * EVENTS_A_PAGE
    window = Window(skip=skip, take=EVENTS_A_PAGE, budget=PAGE_BYTES, first=bucket.first, last=bucket.last)
    lists = [f"t:{code}" for code in codes if view.show in ("", EVENT_TYPES[code])]
    (state, faults), events = await asyncio.gather(
        _fetch_state(run, view=view), stored.page(run["run_id"], lists=lists, window=window, reader=reader)
    )
    return MomentView(view=view, timeline=timeline, state=state, events=events, faults=(*view.faults, *faults))


def build_moment_context(moment_view: MomentView, *, address: Callable[[UUID], str]) -> dict[str, Any]:
    """Build the template's context."""
    view, buckets, place = moment_view.view, moment_view.timeline.buckets, moment_view.place
    return {
        "view": view,
        "faults": moment_view.faults,
        "timeline": draw_timeline_panel(moment_view.timeline, view=view),
        "state_tables": build_state_tables(moment_view.state) if moment_view.state else [],
        "profit": profit(moment_view.state) if moment_view.state else [],
        "types": moment_view.timeline.types,
        "before": view.query(at=buckets[place - 1].last) if place else "",
        "after": view.query(at=buckets[place + 1].last) if place + 1 < len(buckets) else "",
        "zoom": view.narrow_query(first=moment_view.bucket.first, last=moment_view.bucket.last)
        if len(buckets) > 1
        else "",
    } | _build_event_context(moment_view, address=address)


def _build_event_context(moment_view: MomentView, *, address: Callable[[UUID], str]) -> dict[str, Any]:
    view, total = moment_view.view, moment_view.events[0]["total"]
    found = [row for row in moment_view.events if row["event_id"]]
    first, last = view.page * EVENTS_A_PAGE, view.page * EVENTS_A_PAGE + len(found)
    return {
        "stretch": f"{format_exactly(moment_view.bucket.first)} to {format_exactly(moment_view.bucket.last)}".replace(
            "T", " "
        ),
        "events": [_make_event_line(row, view=view, address=address) for row in found],
        "shown": f"{first + 1:,} to {last:,} of {total:,}" if found else f"none of {total:,}",
        "earlier": view.query(page=view.page - 1) if view.page else "",
        "later": view.query(page=view.page + 1) if first + EVENTS_A_PAGE < total else "",
    }


def _make_event_line(row: Row, *, view: View, address: Callable[[UUID], str]) -> dict[str, Any]:
    name = EVENT_TYPES[row["event_type"]]
    return {
        "address": address(row["event_id"]),
        "when": f"{row['occurred_at']:%Y-%m-%d %H:%M:%S.%f}"[:-3],
        "at": view.query(at=moment_of(row["occurred_at"])),
        "type": name,
        "severity": SEVERITIES[row["severity"]],
        "words": describe_event(name, properties=row["properties"]) or row["properties"][:MAX_WORDS],
        "is_malformed": bool(row["validation_errors"]),
    }


async def _fetch_state(run: Row, *, view: View) -> tuple[Moment | None, tuple[str, ...]]:
    at, symbol = [time_of(view.at)], view.symbol or None
    try:
        _, moments = await moments_of(run["run_id"], at=at, last="at", symbol=symbol, reader=reader)
    except ToolError as error:
        return None, (f"{error.message} Choose one symbol to see its part.",)
    return moments[0], ()
