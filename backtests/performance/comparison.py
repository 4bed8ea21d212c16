"""Compare two runs: the first decision that differs, its causes and results, and the profit that followed."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import orjson

from backtests.moments import DAY, time_of
from backtests.performance import queries
from backtests.performance.contracts import (
    ComparedRun,
    CompareQuestion,
    ComparisonMetadata,
    Divergence,
    DivergentSide,
    ProfitSince,
    RunComparison,
    SignalDifference,
)
from backtests.performance.curves import RunCurve, choose_curve
from backtests.performance.decisions import RECORD, Trail, count_equal_decisions, find_difference
from backtests.performance.measures import measure_returns, to_date
from backtests.performance.tables import make_trade
from backtests.runs.rendering import cut_to_budget, too_large
from backtests.runs.snapshots import moments_of
from backtests.runs.validation import budget
from toolbox.database.pools import Pool

Row = dict[str, Any]
FIRST_PAGE, MAX_PAGE = 1_024, 65_536
MAX_CAUSES, MAX_SHOWN, MAX_TRADES, MAX_SIGNALS = 20, 5, 3, 50
HORIZONS = (0, 1, 5, 20, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Divergence:
    """Where two trails diverge: the moment, what only each side decided then, and its later decisions."""

    moment: int
    only: tuple[Trail, Trail]
    following: tuple[Trail, Trail]


async def compare(ask: CompareQuestion, *, reader: Pool) -> RunComparison:
    """Compare two runs. Raises ToolError RUN_NOT_FOUND, PERFORMANCE_NOT_BUILT, and for currencies as `read_curve`."""
    started = reader.clock()
    runs = (ask.first_run_id, ask.second_run_id)
    rows = await queries.curves(runs, reader=reader)
    first, second = (
        choose_curve(
            run_id, rows=[row for row in rows if row["run_id"] == run_id], currency=None, capital=None,
            started=started, clock=reader.clock, field=field,
        )
        for run_id, field in zip(runs, ("firstRunId", "secondRunId"), strict=True)
    )  # fmt: skip
    start = max(first.row["first_moment"], second.row["first_moment"])
    end = min(first.row["last_moment"], second.row["last_moment"])
    parting, identical, counts = await _find_divergence(runs, start=start, end=end, reader=reader)
    notes = []
    if end < start:
        notes.append("The runs have no time in common, so no decision can be compared.")
    if first.currency != second.currency:
        notes.append("The runs' profits are in different currencies.")
    return RunComparison(
        first=_describe(first, decisions=counts[0]),
        second=_describe(second, decisions=counts[1]),
        parameter_differences=_differences(first.row["parameters"], second=second.row["parameters"]),
        divergence=None if parting is None else await _explain(runs, parting=parting, reader=reader),
        profit_since=[] if parting is None else _follow(first, second=second, moment=parting.moment),
        metadata=ComparisonMetadata(
            compared_from=time_of(start), compared_to=time_of(end), identical_decisions=identical, notes=notes,
            query_time_ms=first.asked.milliseconds,
            incomplete_runs=[found for one in (first, second) if (found := one.asked.incomplete)] or None,
        ),
    )  # fmt: skip


async def _find_divergence(
    runs: tuple[UUID, UUID], *, start: int, end: int, reader: Pool
) -> tuple[_Divergence | None, int, list[int]]:
    """
    Compare both trails, page by page, from the time that both cover; blocks whose digests agree are passed over.

    Returns the divergence, how many decisions before it are identical, and how many each run has.
    """
    places, take, identical = [0, 0], FIRST_PAGE, 0
    while True:
        found_rows = await queries.trails(runs, starts=places, take=take, reader=reader)
        counts = [found_rows[run_id]["decision_count"] for run_id in runs]
        pages = [np.frombuffer(found_rows[run_id]["trail"], RECORD) for run_id in runs]
        skipped = [int(page["moment"].searchsorted(start)) for page in pages]
        kept = [page[skip:] for page, skip in zip(pages, skipped, strict=True)]
        different = find_difference(kept[0], second=kept[1])
        size = min(len(kept[0]), len(kept[1])) if different is None else different
        places = [place + skip + size for place, skip in zip(places, skipped, strict=True)]
        identical += size
        are_read = [place >= count for place, count in zip(places, counts, strict=True)]
        are_begun = [skip < len(page) for skip, page in zip(skipped, pages, strict=True)]
        is_over = any(are_read) and all(read or begun for read, begun in zip(are_read, are_begun, strict=True))
        if different is not None or is_over:
            tails = [page[size:] for page in kept]
            if not _hold_whole_moment(tails, places=places, counts=counts):
                rest = await queries.trails(runs, starts=places, take=MAX_PAGE, reader=reader)
                tails = [np.frombuffer(rest[run_id]["trail"], RECORD) for run_id in runs]
            return _part((tails[0], tails[1]), end=end), identical, counts
        own, other = (found_rows[run_id]["prefixes"] or b"" for run_id in runs)
        passed = count_equal_decisions(own, second=other)
        if passed > identical:  # from the first decision on, which is then of the time that both cover
            places, identical = [passed, passed], passed
        else:
            take = min(take * 4, MAX_PAGE)


def _hold_whole_moment(tails: Sequence[Trail], *, places: Sequence[int], counts: Sequence[int]) -> bool:
    """Return whether both tails reach beyond the first of their moments, or to the end of their run."""
    moment = min((int(tail["moment"][0]) for tail in tails if len(tail)), default=0)
    return all(
        place + len(tail) >= count or (len(tail) > 0 and int(tail["moment"][-1]) > moment)
        for tail, place, count in zip(tails, places, counts, strict=True)
    )


def _part(tails: tuple[Trail, Trail], *, end: int) -> _Divergence | None:
    """
    Return how two trails diverge that differ from their first record on; None if neither continues in the common time.

    Raises ToolError RESULT_TOO_LARGE if not all decisions of that moment were read.
    """
    moments = [int(tail["moment"][0]) for tail in tails if len(tail)]
    if not moments or min(moments) > end:
        return None
    moment = min(moments)
    if any(len(tail) == MAX_PAGE and tail["moment"][-1] == moment for tail in tails):
        raise too_large(
            f"More than {MAX_PAGE:,} decisions of {time_of(moment).isoformat()} are left to compare.",
            suggestion="Log decisions of one moment with times that tell them apart.",
        )
    now = [tail[tail["moment"] == moment] for tail in tails]
    counted = [Counter(one["fingerprint"].tolist()) for one in now]
    only = [_take(own, counts=mine - other) for own, mine, other in zip(now, counted, counted[::-1], strict=True)]
    following = [tail[tail["moment"] > moment] for tail in tails]
    return _Divergence(moment=moment, only=(only[0], only[1]), following=(following[0], following[1]))


def _take(decisions: Trail, *, counts: Counter[int]) -> Trail:
    """Return the first decisions of each fingerprint, as many as `counts` says."""
    taken = []
    for decision in decisions:
        fingerprint = int(decision["fingerprint"])
        if counts[fingerprint]:
            counts[fingerprint] -= 1
            taken.append(decision)
    return np.array(taken, dtype=RECORD)


async def _explain(runs: tuple[UUID, UUID], *, parting: _Divergence, reader: Pool) -> Divergence:
    """Return what both sides decided, its causes and results, and which signals differed."""
    sides, symbols = [], []
    for run_id, only, following in zip(runs, parting.only, parting.following, strict=True):
        side, symbol = await _side(run_id, only=only, following=following, moment=parting.moment, reader=reader)
        sides.append(side)
        symbols.append(symbol if len(only) else None)
    symbol = next((one for one in symbols if one), None)
    at = time_of(parting.moment)
    signals = await _signals(runs, at=at, symbol=symbol, reader=reader) if symbol else []
    return Divergence(
        timestamp=at, security_symbol=symbol, first=sides[0], second=sides[1], signals=signals[:MAX_SIGNALS],
        signal_count=len(signals),
    )  # fmt: skip


async def _side(
    run_id: UUID, *, only: Trail, following: Trail, moment: int, reader: Pool
) -> tuple[DivergentSide, str | None]:
    chosen = [int(number) for number in (only if len(only) else following[:1])["number"][:MAX_SHOWN]]
    rows, above = await queries.decisions(run_id, numbers=chosen, most_causes=MAX_CAUSES + 1, reader=reader)
    trips = await queries.trips_ending_after(run_id, moment=time_of(moment), most=MAX_TRADES, reader=reader)
    nearest = above[::-1][:MAX_CAUSES]
    shown, causes = (cut_to_budget(part, run_id=str(run_id), budget=budget() // 4) for part in (rows, nearest))
    side = DivergentSide(
        decisions=shown if len(only) else [], decision_count=len(only),
        next_decision=shown[0] if shown and not len(only) else None, causes=causes[::-1],
        has_more_causes=len(above) > len(causes), trades=[make_trade(row) for row in trips],
        trade_count=trips[0]["total"] if trips else 0,
    )  # fmt: skip
    return side, _symbol_of(rows[0]) if rows else None


def _symbol_of(row: Row) -> str | None:
    values = json.loads(row["properties"])
    after = values.get("StateAfter")
    symbol = values.get("SecuritySymbol") or (after.get("SecuritySymbol") if isinstance(after, dict) else None)
    return symbol if isinstance(symbol, str) else None


async def _signals(runs: tuple[UUID, UUID], *, at: datetime, symbol: str, reader: Pool) -> list[SignalDifference]:
    """Return the indicators of a security whose last values differ."""
    values = []
    for run_id in runs:
        _, [moment] = await moments_of(run_id, at=[at], last="timestamp", symbol=symbol, orders=False, reader=reader)
        values.append({one.name: orjson.loads(orjson.dumps(one.value)) for one in moment.state().indicators})
    names = sorted(values[0].keys() | values[1].keys())
    differing = [name for name in names if values[0].get(name) != values[1].get(name)]
    return [SignalDifference(name=name, first=values[0].get(name), second=values[1].get(name)) for name in differing]


def _describe(curve: RunCurve, *, decisions: int) -> ComparedRun:
    returns = curve.returns()
    known = {} if returns is None else measure_returns(returns).values
    return ComparedRun(
        run_id=curve.asked.run_id, name=curve.row["name"], decisions=decisions,
        total_profit=curve.row["total_profit"], currency=curve.currency, total_return=known.get("totalReturn"),
        sharpe=known.get("sharpe"), max_drawdown=known.get("maxDrawdown"),
    )  # fmt: skip


def _differences(first: dict[str, Any], *, second: dict[str, Any]) -> dict[str, list[Any]]:
    names = sorted(first.keys() | second.keys())
    return {name: [first.get(name), second.get(name)] for name in names if first.get(name) != second.get(name)}


def _follow(first: RunCurve, *, second: RunCurve, moment: int) -> Sequence[ProfitSince]:
    """Return the profit of both since the day before the moment, on some days that both have."""
    day = moment // DAY
    common = np.intersect1d(first.days, second.days)
    after = common[common >= day]
    if not len(after):
        return []
    places = sorted({min(place, len(after) - 1) for place in (*HORIZONS, len(after) - 1)})
    before = [_profit_on(curve, day=day - 1) for curve in (first, second)]
    profits = []
    for chosen in after[places]:
        own, other = (
            _profit_on(curve, day=int(chosen)) - base for curve, base in zip((first, second), before, strict=True)
        )
        profits.append(ProfitSince(day=to_date(chosen), first=own, second=other, difference=other - own))
    return profits


def _profit_on(curve: RunCurve, *, day: int) -> float:
    place = int(curve.days.searchsorted(day, side="right"))
    return float(curve.profits[place - 1]) if place else 0.0
