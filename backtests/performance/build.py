"""
Build a run's results from its stored events: round trips, profit by day, decisions.

All is rebuilt whenever events were added, so late events need no rule of their own. Results store from how many events
they were built; questions about a run that has more are refused.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
from django.db import DatabaseError, connection

from backtests.moments import DAY, time_of
from backtests.performance import read_lists
from backtests.performance.days import (
    Days,
    Floats,
    find_profits,
    find_returns,
    find_time_held,
    find_trip_profits,
)
from backtests.performance.decisions import EXECUTION, Decision, Trail, digest_prefixes, make_trail, read_decision
from backtests.performance.measures import find_moments, measure_returns, measure_trips
from backtests.performance.trips import Execution, Prices, RoundTrip, TripFinder, value_trips
from toolbox.database.undone import repeat_undone

VERSION = 1
"""Increase it when what is built changes: `manage.py build_backtest_performance` then rebuilds every run."""
HOUR = 3_600_000_000

_RUN = """
SELECT event_count, parameters::text, (extract(epoch FROM first_event_at) * 1000000)::bigint,
       (extract(epoch FROM last_event_at) * 1000000)::bigint
FROM backtests_runs AS r
WHERE run_id = %s AND event_count > 0 AND NOT EXISTS (SELECT FROM backtests_performance AS p
  WHERE p.run_id = r.run_id AND p.event_count = r.event_count AND p.version = %s)
LIMIT 1 FOR UPDATE OF r
"""
_NOT_BUILT = """
SELECT r.run_id FROM backtests_runs AS r
WHERE r.event_count > 0 AND NOT EXISTS (SELECT FROM backtests_performance AS p
  WHERE p.run_id = r.run_id AND p.event_count = r.event_count AND p.version = %s)
ORDER BY r.run_id LIMIT %s
"""
_CLEAR = """
WITH trips AS (DELETE FROM backtests_round_trips WHERE run_id = %(run)s),
     curves AS (DELETE FROM backtests_performance WHERE run_id = %(run)s)
DELETE FROM backtests_decisions WHERE run_id = %(run)s
"""
_COPY_TRIPS = """
COPY backtests_round_trips (run_id, trip, symbol, position, side, currency, quantity, entry_at, entry_number,
  entry_price, exit_at, exit_number, exit_price, exit_reason, executions, traded, profit, commission,
  commission_currency, net_profit, favorable, adverse, holding_seconds) FROM STDIN
"""
_WRITE_CURVE = """
INSERT INTO backtests_performance (run_id, currency, is_main, version, event_count, source, capital, total_profit, days,
  profits, held, time_held, time_span, traded, executions_left_out, measures)
VALUES (%(run)s, %(currency)s, %(is_main)s, %(version)s, %(event_count)s, %(source)s, %(capital)s, %(total_profit)s,
  %(days)s, %(profits)s, %(held)s, %(time_held)s, %(time_span)s, %(traded)s, %(left_out)s, %(measures)s)
"""
_WRITE_DECISIONS = "INSERT INTO backtests_decisions (run_id, decision_count, trail, prefixes) VALUES (%s, %s, %s, %s)"


@dataclass(slots=True)
class _Changes:
    """
    Logged profit in one currency: each account's last (moment, account, total) of each day.

    `capitals` are those of the accounts that log it. Earlier totals of a day are not kept: a run may have millions.
    """

    totals: dict[tuple[int, str], tuple[int, str, Decimal]] = field(default_factory=dict)
    capitals: dict[str, Decimal] = field(default_factory=dict)

    def add(self, moment: int, account: str, total: Decimal) -> None:
        """Add an account's total; they come in order of time."""
        self.totals[moment // DAY, account] = (moment, account, total)


@dataclass(slots=True)
class _Executions:
    """Round trips of the executions read so far, and how many executions were unreadable."""

    finder: TripFinder = field(default_factory=TripFinder)
    left_out: int = 0

    def add(self, execution: Execution | None) -> None:
        if execution is None:
            self.left_out += 1
        else:
            self.finder.add(execution)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The row of a run, locked while its results are built."""

    run_id: UUID
    event_count: int
    capital: Decimal | None
    first_moment: int
    last_moment: int


FAILURES = (DatabaseError, ArithmeticError, ValueError)
"""Errors that unusual values of a run may raise in a build."""


def build_performance(run_id: UUID) -> bool:
    """Build a run's results if they are not up to date; returns whether they were built."""
    return repeat_undone(lambda: _build(run_id))


def _build(run_id: UUID) -> bool:
    run = _lock_unbuilt(run_id)
    if run is None:
        return False
    executions = _Executions()
    trail = make_trail(_read_decisions(run_id, executions=executions))
    trips, left_out = executions.finder.trips, executions.left_out
    prices = _value_trips(run, trips=trips)
    changes, source = _read_changes(run_id)
    _name_currency(trips, changes=changes)
    _clear(run_id)
    _write_trips(run, trips)
    _write_curves(run, trips=trips, prices=prices, changes=changes, source=source, left_out=left_out)
    _write_trail(run_id, trail)
    return True


def _read_decisions(run_id: UUID, *, executions: _Executions) -> Iterator[Decision]:
    """Yield a run's decisions; the executions among them also become round trips."""
    for one in read_lists.read_decisions(run_id):
        if one.event_type == EXECUTION:
            executions.add(read_lists.read_execution(one))
        yield read_decision(one.event_type, number=one.number, moment=one.moment, values=one.values)


def list_unbuilt(*, most: int) -> list[UUID]:
    """Return up to `most` runs whose results are missing or out of date."""
    with connection.cursor() as cursor:
        cursor.execute(_NOT_BUILT, [VERSION, most])
        return [run_id for (run_id,) in cursor.fetchall()]


def _lock_unbuilt(run_id: UUID) -> _Run | None:
    """Lock a run's row; None if the run has no events, or its performance is up to date."""
    with connection.cursor() as cursor:
        cursor.execute(_RUN, [run_id, VERSION])
        found = cursor.fetchone()
    if found is None:
        return None
    event_count, parameters, first, last = found
    named = json.loads(parameters, parse_float=Decimal).get("InitialCapital")
    capital = read_lists.read_number(named)
    return _Run(run_id=run_id, event_count=event_count, capital=capital, first_moment=first, last_moment=last)


def _value_trips(run: _Run, *, trips: Sequence[RoundTrip]) -> Mapping[str, Prices]:
    """Value the round trips at the prices seen while they were open, and return those prices."""
    if not trips:
        return {}
    symbols = {trip.symbol for trip in trips}
    since = min(trip.entry_moment for trip in trips)
    prices = read_lists.read_prices(run.run_id, symbols=symbols, event_count=run.event_count, since=since)
    value_trips(trips, prices=prices)
    return prices


def _name_currency(trips: Sequence[RoundTrip], *, changes: Mapping[str, _Changes]) -> None:
    """Set the currency of trips without one, and of their commissions, if the run's profits have exactly one."""
    named = [currency for currency in changes if currency]
    for trip in trips:
        if not trip.currency and len(named) == 1:
            trip.commission_currency = trip.commission_currency or named[0]
            trip.currency = named[0]


def _read_changes(run_id: UUID) -> tuple[dict[str, _Changes], str]:
    """Return logged profit by currency, and its source: accounts, or positions if no account logs any."""
    by_currency: dict[str, _Changes] = defaultdict(_Changes)
    for moment, values in read_lists.read_listed(run_id, name="n:5:StateAfter.Total"):
        after = values.get("StateAfter")
        total = read_lists.read_number(after.get("Total")) if isinstance(after, dict) else None
        if total is None or values.get("StateType") != "PnL":
            continue
        changes = by_currency[read_lists.read_text(values.get("Currency"))]
        account = read_lists.read_text(values.get("AccountId"))
        changes.add(moment, account, total)
        if account not in changes.capitals and isinstance(after, dict):
            capital = _capital_of(values, after=after, total=total)
            if capital is not None:
                changes.capitals[account] = capital
    if by_currency:
        return by_currency, "accounts"
    for moment, values in read_lists.read_listed(run_id, name="t:4"):
        parts = [read_lists.read_number(values.get(name)) for name in ("RealizedPnL", "UnrealizedPnL")]
        known = [part for part in parts if part is not None]
        if known and values.get("SecuritySymbol") is not None:
            symbol = read_lists.read_text(values["SecuritySymbol"])
            total = sum(known, Decimal(0))
            by_currency[read_lists.read_text(values.get("Currency"))].add(moment, symbol, total)
    return by_currency, "positions"


def _capital_of(values: dict[str, Any], *, after: dict[str, Any], total: Decimal) -> Decimal | None:
    """Return what an account began with: its equity minus its profit, or its balance minus its realized profit."""
    equity, balance = read_lists.read_number(after.get("Equity")), read_lists.read_number(values.get("BalanceTotal"))
    if equity is not None:
        return equity - total
    realized = read_lists.read_number(after.get("Realized"))
    return balance - realized if balance is not None and realized is not None else None


def _clear(run_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_CLEAR, {"run": run_id})


def _write_trips(run: _Run, trips: Sequence[RoundTrip]) -> None:
    with connection.cursor() as cursor, cursor.copy(_COPY_TRIPS) as copy:
        for number, trip in enumerate(trips):
            end = run.last_moment if trip.exit_moment is None else trip.exit_moment
            copy.write_row((
                run.run_id, number, trip.symbol, trip.position, trip.side, trip.currency, trip.quantity,
                time_of(trip.entry_moment), trip.entry_number, trip.entry_price,
                None if trip.exit_moment is None else time_of(trip.exit_moment), trip.exit_number, trip.exit_price,
                trip.exit_reason, trip.executions, trip.traded, trip.profit, trip.commission,
                trip.commission_currency, trip.net_profit, trip.favorable, trip.adverse,
                Decimal(end - trip.entry_moment) / 1_000_000,
            ))  # fmt: skip


def _write_curves(
    run: _Run, *, trips: Sequence[RoundTrip], prices: Mapping[str, Prices], changes: dict[str, _Changes], source: str,
    left_out: int,
) -> None:  # fmt: skip
    """Write profit by day in each currency: the logged profit, or else that of the round trips."""
    days = read_lists.read_days(run.run_id)
    by_currency: dict[str, list[RoundTrip]] = defaultdict(list)
    for trip in trips:
        by_currency[trip.currency].append(trip)
    currencies = sorted(changes.keys() | by_currency.keys()) or [""]
    accounts = [name for name in currencies if name in changes and source == "accounts"]
    main = accounts if len(accounts) == 1 else currencies
    for currency in currencies:
        own, logged = by_currency.get(currency, []), changes.get(currency)
        profits, held = find_trip_profits(own, prices=prices, days=days)
        if logged is not None:
            profits, total = find_profits(logged.totals.values(), days=days)
        else:
            total = sum((trip.net_profit for trip in own), Decimal(0))
        capital = run.capital if main == [currency] else None
        if capital is None and logged is not None and logged.capitals:
            capital = sum(logged.capitals.values(), Decimal(0))
        values: dict[str, Any] = {
            "run": run.run_id, "currency": currency, "is_main": main == [currency], "version": VERSION,
            "event_count": run.event_count, "source": source if logged is not None else ("trips" if own else "none"),
            "capital": capital, "total_profit": total, "days": _pack(days, "<i4"), "profits": _pack(profits, "<f8"),
            "held": _pack(held, "<f8"), "time_held": find_time_held(own, last_moment=run.last_moment),
            "time_span": run.last_moment - run.first_moment, "left_out": left_out,
            "traded": sum((trip.traded for trip in own), Decimal(0)),
            "measures": json.dumps(_measure(profits, capital=capital, trips=own)),
        }  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(_WRITE_CURVE, values)


def _measure(profits: Floats, *, capital: Decimal | None, trips: Sequence[RoundTrip]) -> dict[str, float | None]:
    """Measure with the default parameters, for the ranking of runs."""
    closed = [trip for trip in trips if trip.exit_moment is not None]
    hours = [((trip.exit_moment or 0) - trip.entry_moment) / HOUR for trip in closed]
    found = measure_trips([trip.net_profit for trip in closed], hours=hours).values
    found["tradeCount"] = float(len(closed))
    returns = find_returns(profits, capital=float(capital)) if capital is not None else None
    if returns is not None:
        found |= measure_returns(returns).values
        moments = find_moments(returns)
        found |= {"skewness": moments[0], "kurtosis": moments[1]} if moments else {}
    return found


def _pack(values: Floats | Days, kind: str) -> bytes:
    return np.asarray(values).astype(kind).tobytes()


def _write_trail(run_id: UUID, trail: Trail) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_WRITE_DECISIONS, [run_id, len(trail), trail.tobytes(), digest_prefixes(trail)])
