"""
zipline-reloaded: the performance that `run_algorithm` returns, written by `to_csv`; a pickle is never read.

A row is a day: its `transactions` become executions, its `portfolio_value` less `starting_cash` the profit. Cells with
the Python repr of a list are parsed and never evaluated. Commissions are those of the day's orders.
"""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

from backtests.ingest.engine_layouts import Equity, Event, Layout, Row, TableOptions, recognise_table
from backtests.ingest.engine_records import Record, read_table
from backtests.ingest.engine_values import decimal, plain

DAYS = Layout(kind="equity", columns={"time": "period_close", "equity": "portfolio_value"})
FILLS = Layout(
    kind="executions",
    columns={
        "time": "dt", "quantity": "amount", "price": "price", "symbol": "sid", "commission": "commission",
        "order": "order_id",
    },
)  # fmt: skip
_ENUM = re.compile(r"<[A-Z_.]+: (\d+)>")  # <ORDER_STATUS.OPEN: 0>
NEEDED = ("transactions", "starting_cash")

read_records = read_table


def recognise(head: str) -> bool:
    """Return whether a file begins with the columns of a performance."""
    return recognise_table(head, layouts=[DAYS]) and all(name in head.partition("\n")[0] for name in NEEDED)


class ZiplineTranslator:
    """Translates days into executions and profit."""

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._day = 0
        self._equity: Equity | None = None
        self._paid: dict[str, Decimal] = {}

    def translate(self, record: Record) -> Iterator[Event]:
        """Yield a day's executions and its profit. Raises ValueError if the row is invalid."""
        self._day += 1
        if self._equity is None:
            capital = decimal(record.get("starting_cash"))
            if capital is None:
                raise ValueError("starting_cash of the first day is no number, so nothing is known of the capital.")
            self._equity = Equity(capital)
        fees = self._find_fees(record)
        fills = read_python(record.get("transactions") or "[]")
        for place, fill in enumerate(fills if isinstance(fills, list) else []):
            if isinstance(fill, dict):
                order = str(fill.get("order_id"))
                row = self._row(FILLS, record=fill | {"commission": fees.pop(order, None), "order_id": order})
                yield row.fill(f"fill {place}", side=row.read_side(), fee=row.number("commission"), more={})
        row = self._row(DAYS, record={name: record.get(name) for name in DAYS.columns.values()})
        yield row.profit(self._equity.add(row.require("equity")))

    def _row(self, layout: Layout, *, record: Record) -> Row:
        return Row(self._run_id, place=self._day, layout=layout, record=record, symbol="")

    def _find_fees(self, record: Record) -> dict[str, Any]:
        """Return the increase of each order's commission on this day."""
        orders = read_python(record.get("orders") or "[]")
        fees: dict[str, Any] = {}
        for order in orders if isinstance(orders, list) else []:
            paid = decimal(order.get("commission")) if isinstance(order, dict) else None
            if paid is not None:
                name = str(order.get("id"))
                fees[name] = plain(paid - self._paid.get(name, Decimal(0)))
                self._paid[name] = paid
        return fees


def make_translator(run_id: UUID, *, given: TableOptions) -> ZiplineTranslator:  # noqa: ARG001 - the file says all itself
    """Make the translator of one run's days."""
    return ZiplineTranslator(run_id)


def read_python(text: str) -> Any:
    """Parse the Python repr of lists, dicts, texts and numbers without evaluating it. Raises ValueError."""
    try:
        return _read_node(ast.parse(_ENUM.sub(r"\1", text), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"A cell is no list that can be read: {error}"[:200]) from error


def _read_node(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_read_node(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {str(_read_node(key)): _read_node(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Call(func=ast.Name(id="Timestamp"), args=[ast.Constant(value=str() as text), *_]):
            return text
        case ast.Call(args=[ast.Subscript(slice=ast.Name(id=symbol))]):  # Equity(0 [AAPL])
            return symbol
        case ast.Call(args=[ast.Subscript(slice=ast.Attribute() as symbol)]):
            return ast.unparse(symbol)
        case ast.Name(id="nan"):
            return None
        case ast.Call(args=[value, *_]):
            return _read_node(value)
    return None
