"""
backtesting.py: `stats._trades` and `stats._equity_curve`, written by `to_csv`.

Neither table names the security. A trade's commission is at its exit, since the engine gives a single sum.
"""

from functools import partial
from uuid import UUID

from backtests.ingest.engine_layouts import Layout, LayoutTranslator, TableOptions, recognise_table
from backtests.ingest.engine_records import read_table

LAYOUTS = (
    Layout(
        kind="trades",
        columns={
            "entry_time": "EntryTime", "entry_price": "EntryPrice", "quantity": "Size", "exit_time": "ExitTime",
            "exit_price": "ExitPrice", "commission": "Commission", "reason": "Tag",
        },
        left_out=("EntryBar", "ExitBar", "Duration"),
    ),
    Layout(
        kind="equity",
        columns={"time": "column 1", "equity": "Equity", "drawdown": "DrawdownPct"},
        left_out=("DrawdownDuration",),
    ),
)  # fmt: skip

read_records = read_table
recognise = partial(recognise_table, layouts=LAYOUTS)


def make_translator(run_id: UUID, *, given: TableOptions) -> LayoutTranslator:
    """Make the translator of one run's rows."""
    return LayoutTranslator(run_id, layouts=LAYOUTS, given=given)
