"""Fetch the state at a moment."""

from datetime import datetime
from uuid import UUID

from backtests import queries
from backtests.asking import last_moment
from backtests.ingest.lists import entity_value, position_list
from backtests.rendering import too_large
from backtests.state import Moment
from toolbox.pool import Pool

FEWER = "Ask for one securitySymbol, or without indicators or active orders."


async def moment_of(
    run_id: UUID, *, at: datetime, symbol: str | None, indicators: bool, orders: bool, reader: Pool
) -> Moment:
    """Fetch what the events up to a moment leave behind; two statements at most. Raises ToolError RESULT_TOO_LARGE."""
    moment = last_moment(at)
    assert moment is not None  # noqa: S101 - a moment is given
    named = None if symbol is None else entity_value(symbol)
    rows = await queries.state(
        run_id,
        moment=moment,
        position=None if symbol is None else position_list(symbol),
        symbol=named,
        indicators=indicators,
        reader=reader,
    )
    active = await queries.orders(run_id, moment=moment, symbol=named, reader=reader) if orders else []
    for kind, found in (("positions and indicators", rows), ("active orders", active)):
        if len(found) > queries.MOST_KEYS:
            raise too_large(f"There are more than {queries.MOST_KEYS:,} {kind} at that moment.", suggestion=FEWER)
    return Moment(rows, orders=active, symbol=symbol)
