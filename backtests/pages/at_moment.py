"""A run at a moment: the timeline of its events, the state, and the events around the moment."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from backtests import queries as stored
from backtests.moments import format_exactly, moment_of, time_of
from backtests.pages import queries
from backtests.pages.event_words import describe_event
from backtests.pages.state_tables import build_state_tables, profit
from backtests.pages.timeline import Bucket, Timeline, edges_of, timeline_of, timeline_panel
from backtests.pages.view import View
from backtests.queries import Row, Window
from backtests.snapshots import moments_of
from backtests.state import Moment
from backtests.vocabulary import EVENT_TYPES, SEVERITIES, TYPE_CODES
from toolbox.contract.errors import ToolError
from toolbox.database.pools import reader

EVENTS_A_PAGE, PAGE_BYTES, MAX_WORDS = 50, 200_000, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentView:
    """The fetched data; if the state is too large it is missing and `faults` says so."""

    looking: View
    timeline: Timeline
    state: Moment | None
    events: list[Row]
    faults: tuple[str, ...]

    @property
    def place(self) -> int:
        """Return the index of the moment's bucket."""
        return self.timeline.bucket_at(self.looking.at)

    @property
    def bucket(self) -> Bucket:
        """Return the moment's bucket."""
        return self.timeline.buckets[self.place]


async def look(run: Row, *, looking: View) -> MomentView:
    """Fetch the counts, then the state and the events of the moment's bucket: three statements."""
    edges, step = edges_of(looking)
    codes = [TYPE_CODES[name] for name in EVENT_TYPES if run["counts_by_type"].get(name)]
    timeline = timeline_of(await queries.ranks(run["run_id"], codes=codes, edges=edges), edges=edges, step=step)
    bucket = timeline.buckets[timeline.bucket_at(looking.at)]
    skip = looking.page * EVENTS_A_PAGE
    window = Window(skip=skip, take=EVENTS_A_PAGE, budget=PAGE_BYTES, first=bucket.first, last=bucket.last)
    lists = [f"t:{code}" for code in codes if looking.show in ("", EVENT_TYPES[code])]
    (state, faults), events = await asyncio.gather(
        _state(run, looking=looking), stored.page(run["run_id"], lists=lists, window=window, reader=reader)
    )
    return MomentView(looking=looking, timeline=timeline, state=state, events=events, faults=(*looking.faults, *faults))


def seen_context(seen: MomentView, *, address: Callable[[UUID], str]) -> dict[str, Any]:
    """Build the template's context."""
    looking, buckets, place = seen.looking, seen.timeline.buckets, seen.place
    return {
        "looking": looking,
        "faults": seen.faults,
        "timeline": timeline_panel(seen.timeline, looking=looking),
        "standing": build_state_tables(seen.state) if seen.state else [],
        "profit": profit(seen.state) if seen.state else [],
        "types": seen.timeline.types,
        "before": looking.query(at=buckets[place - 1].last) if place else "",
        "after": looking.query(at=buckets[place + 1].last) if place + 1 < len(buckets) else "",
        "zoom": looking.narrow_query(first=seen.bucket.first, last=seen.bucket.last) if len(buckets) > 1 else "",
    } | _events(seen, address=address)


def _events(seen: MomentView, *, address: Callable[[UUID], str]) -> dict[str, Any]:
    looking, total = seen.looking, seen.events[0]["total"]
    found = [row for row in seen.events if row["event_id"]]
    first, last = looking.page * EVENTS_A_PAGE, looking.page * EVENTS_A_PAGE + len(found)
    return {
        "stretch": f"{format_exactly(seen.bucket.first)} to {format_exactly(seen.bucket.last)}".replace("T", " "),
        "events": [_line(row, looking=looking, address=address) for row in found],
        "shown": f"{first + 1:,} to {last:,} of {total:,}" if found else f"none of {total:,}",
        "earlier": looking.query(page=looking.page - 1) if looking.page else "",
        "later": looking.query(page=looking.page + 1) if first + EVENTS_A_PAGE < total else "",
    }


def _line(row: Row, *, looking: View, address: Callable[[UUID], str]) -> dict[str, Any]:
    name = EVENT_TYPES[row["event_type"]]
    return {
        "address": address(row["event_id"]),
        "when": f"{row['occurred_at']:%Y-%m-%d %H:%M:%S.%f}"[:-3],
        "at": looking.query(at=moment_of(row["occurred_at"])),
        "type": name,
        "severity": SEVERITIES[row["severity"]],
        "words": describe_event(name, properties=row["properties"]) or row["properties"][:MAX_WORDS],
        "is_malformed": bool(row["validation_errors"]),
    }


async def _state(run: Row, *, looking: View) -> tuple[Moment | None, tuple[str, ...]]:
    at, symbol = [time_of(looking.at)], looking.symbol or None
    try:
        _, moments = await moments_of(run["run_id"], at=at, last="at", symbol=symbol, reader=reader)
    except ToolError as error:
        return None, (f"{error.message} Choose one symbol to see its part.",)
    return moments[0], ()
