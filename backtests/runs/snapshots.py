"""Fetching of the strategy's state at moments."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from backtests.runs import queries
from backtests.runs.rendering import too_large
from backtests.runs.state import Moment
from backtests.runs.validation import RunQuestion, last_moment, require_run
from backtests.store.lists import entity_value, position_list
from toolbox.database.pools import Pool

FEWER = "Ask for one securitySymbol, or without indicators or active orders."


async def moments_of(
    run_id: UUID,
    *,
    at: Sequence[datetime],
    last: str,
    symbol: str | None,
    reader: Pool,
    indicators: bool = True,
    orders: bool = True,
) -> tuple[RunQuestion, list[Moment]]:
    """
    Fetch the state at each moment, in one statement.

    `last` is the parameter of the last moment. Raises ToolError RUN_NOT_FOUND, INVALID_TIME_RANGE, RESULT_TOO_LARGE.
    """
    started = reader.clock()
    named = None if symbol is None else entity_value(symbol)
    rows = await queries.moments(
        run_id,
        at=[moment for moment in map(last_moment, at) if moment is not None],
        position=None if symbol is None else position_list(symbol),
        symbol=named,
        indicators=indicators,
        orders=orders,
        reader=reader,
    )
    run = rows[0] if rows and not rows[0]["place"] else None
    asked = require_run(run_id, row=run, started=started, clock=reader.clock)
    asked.check_moment(at[-1], name=last)
    return asked, [_moment([row for row in rows if row["place"] == place], symbol) for place in range(1, len(at) + 1)]


def _moment(rows: list[queries.Row], symbol: str | None) -> Moment:
    state = [row for row in rows if row["list"] is not None]
    orders = [row for row in rows if row["order_id"] is not None]
    for kind, members in (("positions and indicators", state), ("active orders", orders)):
        if len(members) > queries.MAX_KEYS:
            raise too_large(f"There are more than {queries.MAX_KEYS:,} {kind} at that moment.", suggestion=FEWER)
    return Moment(state, orders=orders, symbol=symbol)
