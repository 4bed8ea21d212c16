"""vectorbt: `portfolio.trades.records_readable` and `portfolio.orders.records_readable`, written by `to_csv`."""

from functools import partial
from uuid import UUID

from backtests.ingest.engine_layouts import Layout, LayoutTranslator, TableOptions, recognise_table
from backtests.ingest.engine_records import Record, read_table

LAYOUTS = (
    Layout(
        kind="trades",
        columns={
            "symbol": "Column", "quantity": "Size", "entry_time": "Entry Timestamp", "entry_price": "Avg Entry Price",
            "entry_commission": "Entry Fees", "exit_time": "Exit Timestamp", "exit_price": "Avg Exit Price",
            "exit_commission": "Exit Fees", "side": "Direction",
        },
        left_out=("Exit Trade Id", "Entry Trade Id", "Trade Id", "Status", "Position Id"),
    ),
    Layout(
        kind="executions",
        columns={
            "symbol": "Column", "time": "Timestamp", "quantity": "Size", "price": "Price", "commission": "Fees",
            "side": "Side",
        },
        left_out=("Order Id",),
    ),
)  # fmt: skip

read_records = read_table
recognise = partial(recognise_table, layouts=LAYOUTS)


class VectorbtTranslator(LayoutTranslator):
    """Translates rows; the exit price of an open trade is its last price, so there is no exit."""

    def clean(self, record: Record) -> Record:
        """Remove the exit of an open trade."""
        if record.get("Status") != "Open":
            return record
        return record | dict.fromkeys(("Exit Timestamp", "Avg Exit Price", "Exit Fees", "PnL", "Return"), "")


def make_translator(run_id: UUID, *, given: TableOptions) -> VectorbtTranslator:
    """Make the translator of one run's rows."""
    return VectorbtTranslator(run_id, layouts=LAYOUTS, given=given)
