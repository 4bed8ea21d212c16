"""
Profit by day, and what follows from it: returns, and the value of what is held. Pure.

A day is a UTC date on which the run has an event. Its profit is the total of realized and unrealized profit since the
start, as last known on that day. Days are numbered from 1970-01-01.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from backtests.moments import DAY
from backtests.performance.trips import Prices, RoundTrip, Stretch, find_part

Floats = NDArray[np.float64]
Days = NDArray[np.int32]


def find_profits(changes: Iterable[tuple[int, str, Decimal]], *, days: Days) -> tuple[Floats, Decimal]:
    """
    Return the sum of all accounts' last known totals at the end of each day, and at the end of the run.

    `changes` are (moment, account, total), in order of time.
    """
    ends = _ends(days)
    known: dict[str, Decimal] = {}
    profits = np.zeros(len(days))
    place, total = 0, Decimal(0)
    for moment, account, value in changes:
        while place < len(days) and moment >= ends[place]:
            profits[place] = float(total)
            place += 1
        known[account] = value
        total = value if len(known) == 1 else sum(known.values(), Decimal(0))
    profits[place:] = float(total)
    return profits, total


def find_trip_profits(trips: Sequence[RoundTrip], *, prices: Mapping[str, Prices], days: Days) -> tuple[Floats, Floats]:
    """Return the round trips' profit after commissions, and the value of what they hold, at the end of each day."""
    ends = np.asarray(_ends(days), dtype=np.int64)
    profits, held = np.zeros(len(days)), np.zeros(len(days))
    for trip in trips:
        pays = trip.pays_commission
        for stretch in trip.stretches:
            first, last = _find_days(stretch, ends=ends)
            if first < last:
                worth = float(stretch.held) * _prices_at(ends[first:last], stretch=stretch, prices=prices, trip=trip)
                paid = stretch.commission if pays else Decimal(0)
                profits[first:last] += float(stretch.cash - paid) + worth
                held[first:last] += np.abs(worth)
        if trip.exit_moment is not None:
            profits[int(ends.searchsorted(trip.exit_moment, side="right")) :] += float(trip.net_profit)
    return profits, held


def find_time_held(trips: Iterable[RoundTrip], *, last_moment: int) -> int:
    """Return how many microseconds anything was held; overlapping trips count once."""
    held, reached = 0, None
    for trip in sorted(trips, key=lambda one: one.entry_moment):
        end = last_moment if trip.exit_moment is None else trip.exit_moment
        start = trip.entry_moment if reached is None else max(trip.entry_moment, reached)
        held += max(end - start, 0)
        reached = end if reached is None else max(reached, end)
    return held


def find_returns(profits: Floats, *, capital: float) -> Floats | None:
    """Return each day's return on the equity before it; None if equity is not above zero throughout."""
    equity = capital + np.concatenate(([0.0], profits))
    if len(profits) == 0 or not np.all(np.isfinite(equity)) or np.any(equity <= 0):
        return None
    returns: Floats = equity[1:] / equity[:-1] - 1
    return returns


def _ends(days: Days) -> list[int]:
    return [(int(day) + 1) * DAY for day in days]


def _find_days(stretch: Stretch, *, ends: NDArray[np.int64]) -> tuple[int, int]:
    """Return the range of the days that end while the stretch lasts."""
    first = int(ends.searchsorted(stretch.start, side="right"))
    return first, len(ends) if stretch.end is None else int(ends.searchsorted(stretch.end, side="right"))


def _prices_at(ends: NDArray[np.int64], *, stretch: Stretch, prices: Mapping[str, Prices], trip: RoundTrip) -> Floats:
    """Return the last price seen before each of these moments; the execution's own price if none was seen since."""
    own = float(stretch.price)
    known = prices.get(trip.symbol)
    if known is None:
        return np.full(len(ends), own)
    first, last = find_part(stretch, prices=known)
    places = known.moments[first:last].searchsorted(ends, side="left")
    values = np.concatenate(([own], known.values[first:last]))
    found: Floats = values[places]
    return found
