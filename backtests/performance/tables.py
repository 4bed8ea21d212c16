"""Round trips, groups of events and profit by group, as tools answer them."""

from collections.abc import Sequence
from typing import Any

from backtests.contracts.answers import PageMetadata
from backtests.moments import time_of
from backtests.performance import queries
from backtests.performance.contracts import (
    AttributionMetadata,
    AttributionQuestion,
    EventGroup,
    EventGroups,
    GroupMetadata,
    GroupQuestion,
    ProfitAttribution,
    ProfitGroup,
    Trade,
    TradePage,
    TradesQuestion,
)
from backtests.performance.curves import read_curve, require_built
from backtests.runs.validation import ask_run, first_moment, last_moment
from backtests.store.lists import number_list, severity_list
from backtests.vocabulary import TYPE_CODES
from toolbox.database.pools import Pool

Row = dict[str, Any]
SIDES = {"Long": 1, "Short": -1}
QUANTILE_NAMES = ("p05", "p25", "p50", "p75", "p95")


async def list_round_trips(ask: TradesQuestion, *, reader: Pool) -> TradePage:
    """Return a page of a run's round trips. Raises ToolError RUN_NOT_FOUND, PERFORMANCE_NOT_BUILT."""
    asked = await ask_run(ask.run_id, reader=reader)
    if ask.start_time:
        asked.check_moment(ask.start_time, name="startTime")
    [curve, *_] = await queries.curves([ask.run_id], reader=reader)
    require_built(asked, row=curve)
    end = last_moment(ask.end_time)
    skip = ask.page_index * ask.page_size
    rows = await queries.trades(
        ask.run_id, symbol=ask.security_symbol or None, side=SIDES[ask.side] if ask.side else None,
        outcome=ask.outcome, first=ask.start_time, last=None if end is None else time_of(end), sort=ask.sort_by,
        descending=ask.descending, skip=skip, take=ask.page_size, reader=reader,
    )  # fmt: skip
    total = rows[0]["total"]
    trades = [make_trade(row) for row in rows if row["trip"] is not None]
    metadata = asked.make_metadata(
        PageMetadata, total_count=total, returned_count=len(trades), page_index=ask.page_index, page_size=ask.page_size,
        has_more=skip + len(trades) < total, truncated=False,
    )  # fmt: skip
    return TradePage(trades=trades, metadata=metadata)


async def group_by_property(ask: GroupQuestion, *, reader: Pool) -> EventGroups:
    """Group a run's events by a property. Raises ToolError RUN_NOT_FOUND, INVALID_TIME_RANGE."""
    asked = await ask_run(ask.run_id, reader=reader)
    if ask.start_time:
        asked.check_moment(ask.start_time, name="startTime")
    numbers = None
    if ask.value_path is not None:
        numbers = number_list(TYPE_CODES[ask.event_type], path=ask.value_path.removeprefix("$."))
    rows = await queries.groups(
        ask.run_id, name=severity_list(ask.event_type, severity=ask.severity),
        path=ask.group_by.removeprefix("$.").split("."), numbers=numbers,
        filters=[(one.path.removeprefix("$."), one.value) for one in ask.filters],
        first=first_moment(ask.start_time), last=last_moment(ask.end_time), plain=not ask.without_figures,
        most=ask.max_groups, reader=reader,
    )  # fmt: skip
    groups = [_event_group(row, has_numbers=numbers is not None) for row in rows if row["count"] is not None]
    metadata = asked.make_metadata(
        GroupMetadata, total_events=rows[0]["total_events"], total_groups=rows[0]["total_groups"],
        other_events=rows[0]["total_events"] - sum(group.count for group in groups),
        unreadable_events=rows[0]["unreadable_events"],
    )  # fmt: skip
    return EventGroups(groups=groups, metadata=metadata)


async def attribute(ask: AttributionQuestion, *, reader: Pool) -> ProfitAttribution:
    """Divide a run's net profit by a property of its round trips. Raises ToolError as `read_curve` does."""
    curve = await read_curve(ask.run_id, currency=ask.currency, capital=None, reader=reader)
    rows = await queries.attribution(ask.run_id, by=ask.by, currency=curve.currency, reader=reader)
    found = [_profit_group(row, by=ask.by) for row in rows if row["key"] is not None]
    profit, trades, groups = (rows[0][name] for name in ("total_net_profit", "total_trades", "total_groups"))
    metadata = curve.asked.make_metadata(
        AttributionMetadata, currency=curve.currency, total_net_profit=profit, total_trades=trades, total_groups=groups,
        other_groups=groups - len(found), other_trades=trades - sum(one.trades for one in found),
        other_net_profit=rows[0]["other_net_profit"],
    )  # fmt: skip
    return ProfitAttribution(groups=found, metadata=metadata)


def make_trade(row: Row) -> Trade:
    """Build a round trip's answer from its row."""
    return Trade(
        trade=row["trip"], security_symbol=row["symbol"], side="Long" if row["side"] > 0 else "Short",
        quantity=row["quantity"], entry_time=row["entry_at"], entry_price=row["entry_price"],
        exit_time=row["exit_at"], exit_price=row["exit_price"], exit_reason=row["exit_reason"], profit=row["profit"],
        commission=row["commission"], commission_currency=row["commission_currency"], net_profit=row["net_profit"],
        currency=row["currency"], max_favorable=row["favorable"], max_adverse=row["adverse"],
        holding_seconds=row["holding_seconds"], executions=row["executions"], entry_event_id=row["entry_event_id"],
        exit_event_id=row["exit_event_id"],
    )  # fmt: skip


def _event_group(row: Row, *, has_numbers: bool) -> EventGroup:
    known: Sequence[Any] = row["quantiles"] or ()
    has_some = has_numbers and bool(row["numbers"])
    return EventGroup(
        value=row["value"], value_length=row["value_length"], count=row["count"],
        numbers=row["numbers"] if has_numbers else None, sum=row["sum"], avg=row["avg"], min=row["min"], max=row["max"],
        quantiles=dict(zip(QUANTILE_NAMES, known, strict=True)) if has_some else None,
    )  # fmt: skip


def _profit_group(row: Row, *, by: str) -> ProfitGroup:
    name = row["key"].partition(" ")[2] if by in queries.NUMBERED else row["key"]
    return ProfitGroup(
        group=name, trades=row["trades"], won=row["won"], net_profit=row["net_profit"],
        commission=row["commission"], average_net_profit=row["average_net_profit"],
    )  # fmt: skip
