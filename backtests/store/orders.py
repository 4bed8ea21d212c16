"""
Open orders, derived from states, executions and rejections. Pure.

An order is open from a StateChange with the status Open until one with another status, until its whole quantity is
executed, or until it is rejected. A later state can open a rejected order again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from backtests.store.values import usable
from backtests.vocabulary import TYPE_CODES

STATE, EXECUTION, REJECTION = range(3)
OPEN = "Open"
_ZERO = Decimal(0)
KINDS = {TYPE_CODES["TradeExecution"]: EXECUTION, TYPE_CODES["OrderRejection"]: REJECTION}


class OrderStep(NamedTuple):
    """One event of an order; `amount` is the order's quantity or the executed one."""

    order: str
    kind: int
    says_open: bool
    amount: str | None
    symbol: str | None


@dataclass(slots=True)
class OrderRow:
    """
    A row of backtests_order_states: a step, and the order's state from it until its next step.

    `state_number` is the event that last set the order's terms.
    """

    order: str
    moment: int
    number: int
    kind: int
    says_open: bool
    amount: Decimal | None
    symbol: str | None
    is_open: bool = False
    is_rejected: bool = False
    state_number: int | None = None
    quantity: Decimal | None = None
    executed: Decimal = Decimal(0)
    until: int | None = None

    @classmethod
    def from_step(cls, step: OrderStep, *, moment: int, number: int) -> "OrderRow":
        """Build a row from a step."""
        order, kind, says_open, amount, symbol = step
        return cls(order, moment, number, kind, says_open, Decimal(amount) if amount else None, symbol)


def read_amount(value: Any) -> str | None:
    """Return a quantity as text; None if it is not a number."""
    return str(value) if usable(value) else None


def trace_order(rows: Sequence[OrderRow], *, before: OrderRow | None) -> None:
    """Compute the order's state after each step; rows are in order of time, after `before`."""
    last = before
    for row in rows:
        row.executed, row.is_rejected, row.state_number, row.quantity = _ZERO, False, None, None
        if last is not None:
            row.executed, row.is_rejected, row.state_number = last.executed, last.is_rejected, last.state_number
            row.quantity, last.until = last.quantity, row.moment
        says_open = row.says_open
        if row.kind == STATE:
            row.quantity, row.state_number = row.amount, row.number
            row.is_rejected = row.is_rejected and not says_open
        else:
            row.says_open = says_open = last is not None and last.says_open
            row.symbol = last.symbol if last is not None else None
            row.is_rejected = row.is_rejected or row.kind == REJECTION
            if row.kind == EXECUTION and row.amount is not None:
                row.executed += abs(row.amount)
        is_whole = bool(row.quantity) and row.executed >= abs(row.quantity or _ZERO)
        row.is_open = says_open and not row.is_rejected and not is_whole
        last = row
    if last is not None:
        last.until = None


def format_rows(rows: Iterable[OrderRow], *, run_id: UUID, escape: Callable[[str], str]) -> Iterator[str]:
    """Format rows for COPY, in the order of COLUMNS."""
    for row in rows:
        values = (
            run_id, escape(row.order), row.moment, row.number, row.until, "t" if row.is_open else "f",
            None if row.symbol is None else escape(row.symbol), row.kind, "t" if row.says_open else "f",
            "t" if row.is_rejected else "f", row.amount, row.quantity, row.executed, row.state_number,
        )  # fmt: skip
        yield "\t".join(["\\N" if value is None else str(value) for value in values]) + "\n"


COLUMNS = (
    "run_id, order_id, moment, number, until, is_open, symbol, kind, says_open, is_rejected, amount, quantity, "
    "executed, state_number"
)
