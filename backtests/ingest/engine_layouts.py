"""
Translation of engines' tables into contract events, driven by data: a layout says which column means what.

| kind | a row becomes |
|---|---|
| trades | an execution that enters and, if it was closed, one that exits; both with the same PositionId |
| executions | an execution |
| equity | a StateChange of StateType PnL: `Total` is equity less that of the first row, which is the capital |
| returns | the same, of a capital of 1 that earned each row's return |

Columns without a meaning are kept in PascalCase. A time without an offset is UTC. A fill's slippage is 0: the tables
have the paid price and not the requested one. A missing commission is left out, and validation warns about it. An
invalid number or time is kept, and validation reports it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any
from uuid import UUID, uuid5

from backtests.ingest.engine_records import ReadRecord, Record, split_header
from backtests.ingest.engine_values import decimal, number, pascal, plain
from backtests.store.values import usable
from toolbox.text.moments import parse_time

Event = dict[str, Any]
"""
One event in the contract's form: eventId, runId, timestamp, eventType, severity, category, properties, parentEventId;
optionally `problems`, faults of the record that its properties do not show.
"""

REQUIRED = {
    "trades": ("entry_time", "entry_price", "quantity", "exit_time", "exit_price"),
    "executions": ("time", "price", "quantity"),
    "equity": ("time", "equity"),
    "returns": ("time", "return"),
}
OPTIONAL = {
    "trades": ("symbol", "side", "commission", "entry_commission", "exit_commission", "reason", "position", "currency"),
    "executions": ("symbol", "side", "commission", "order", "position", "reason", "currency"),
    "equity": ("currency",),
    "returns": ("currency",),
}
SIDES = {"buy": "Buy", "long": "Buy", "b": "Buy", "l": "Buy", "sell": "Sell", "short": "Sell", "s": "Sell"}
OPPOSITE = {"Buy": "Sell", "Sell": "Buy"}
EMPTY = ("", "nan", "nat", "none", "null")
_DIGITS = 28


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a kind of table: `columns` maps meanings to column names; the required ones must exist."""

    kind: str
    columns: Mapping[str, str]
    left_out: Sequence[str] = ()
    """Columns without information, such as a row's number."""

    def matches(self, header: Sequence[str]) -> bool:
        """Return whether a table has every required column."""
        return all(self.columns[role] in header for role in REQUIRED[self.kind])


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What a person specifies of a table: the meaning of its columns, and its security."""

    columns: Mapping[str, str] = field(default_factory=dict)
    symbol: str = ""


def find_layout(layouts: Sequence[Layout], *, header: Sequence[str]) -> Layout | None:
    """Return the first layout that matches a table's columns."""
    return next((layout for layout in layouts if layout.matches(header)), None)


def recognise_table(head: str, *, layouts: Sequence[Layout]) -> bool:
    """Return whether a text begins with the first line of one of these tables."""
    return find_layout(layouts, header=split_header(head.partition("\n")[0])) is not None


class LayoutTranslator:
    """Translates the rows of a table into events; the columns of the first row select the layout."""

    def __init__(self, run_id: UUID, *, layouts: Sequence[Layout], given: TableOptions) -> None:
        self._run_id = run_id
        self._layouts = layouts
        self._symbol = given.symbol
        self._row = 0
        self._layout: Layout | None = None
        self._equity: dict[str | None, Equity] = defaultdict(Equity)  # by currency: each has its own capital
        self._kinds: dict[str, Callable[[Row], Iterator[Event]]] = {
            "trades": self._trade, "executions": self._execution, "equity": self._read_equity,
            "returns": self._read_return,
        }  # fmt: skip

    def translate(self, record: Record) -> Iterator[Event]:
        """Yield the events of a row. Raises ValueError if it has none."""
        self._row += 1
        record = self.clean(record)
        if self._layout is None:
            self._layout = find_layout(self._layouts, header=list(record))
        if self._layout is None:
            raise ValueError(f"The columns {', '.join(record)[:200]} are none that are known.")
        row = Row(self._run_id, place=self._row, layout=self._layout, record=record, symbol=self._symbol)
        yield from self._kinds[self._layout.kind](row)

    def clean(self, record: Record) -> Record:
        """Return the row with values corrected; engines whose columns have special meanings override this."""
        return record

    def _trade(self, row: "Row") -> Iterator[Event]:
        entry, left_at = (_parse_time(row.text(f"{part}_time")) for part in ("entry", "exit"))
        if entry is not None and left_at is not None and left_at < entry:
            raise ValueError(f"The trade is left at {left_at.isoformat()}, before it is entered.")
        entered = row.read_side()
        whole = row.number("commission")
        shared = {"PositionId": row.text("position") or str(row.make_id("position"))} | row.rest()
        fees = [row.number("entry_commission"), row.number("exit_commission")]
        if fees == [None, None] and whole is not None:
            fees = [0, whole] if row.has("exit_time") else [whole, 0]
        yield row.fill("entry", side=entered, fee=fees[0], more=shared)
        if row.has("exit_time"):
            reason = {"ExitReason": row.text("reason")} if row.text("reason") else {}
            left = OPPOSITE.get(str(entered), entered)
            yield row.fill("exit", side=left, fee=fees[1], more=shared | reason)

    def _execution(self, row: "Row") -> Iterator[Event]:
        named = {"PositionId": row.text("position"), "Tag": row.text("reason"), "Order": row.text("order")}
        more = {name: value for name, value in named.items() if value} | row.rest()
        yield row.fill("fill", side=row.read_side(), fee=row.number("commission"), more=more)

    def _read_equity(self, row: "Row") -> Iterator[Event]:
        yield row.profit(self._equity[row.text("currency")].add(row.require("equity")))

    def _read_return(self, row: "Row") -> Iterator[Event]:
        yield row.profit(self._equity[row.text("currency")].grow(row.require("return")))


class Equity:
    """Profit since the first row, from equity or from returns on a capital of 1."""

    def __init__(self, capital: Decimal | None = None) -> None:
        self._capital = capital
        self._equity = Decimal(1)

    def add(self, equity: Decimal) -> dict[str, Any]:
        """Return the state of the account at this equity."""
        if self._capital is None:
            self._capital = equity
        return {"Total": plain(equity - self._capital), "Equity": plain(equity)}

    def grow(self, by: Decimal) -> dict[str, Any]:
        """Return the state of an account that began with 1, after this return. Raises ValueError if it is too large."""
        with localcontext(prec=_DIGITS):
            grown = self._equity * (1 + by)
        if not usable(grown):
            raise ValueError(f"With a return of {by} the equity has no number that can be added up: {grown:.3e}.")
        self._equity = grown
        return {"Total": plain(self._equity - 1), "Equity": plain(self._equity)}


class Row:
    """One row, read by the meanings of its columns."""

    def __init__(self, run_id: UUID, *, place: int, layout: Layout, record: Record, symbol: str) -> None:
        self._run_id = run_id
        self._place = place
        self._layout = layout
        self._record = record
        self._symbol = symbol

    def text(self, role: str) -> str | None:
        """Return a cell's text; None if the column is missing or the cell is empty."""
        value = self._record.get(self._layout.columns.get(role, ""))
        return None if value is None or str(value).strip().lower() in EMPTY else str(value).strip()

    def has(self, role: str) -> bool:
        """Return whether the cell is not empty."""
        return self.text(role) is not None

    def number(self, role: str) -> Any:
        """Return a number, or the text if it is not a number."""
        text = self.text(role)
        return None if text is None else number(text)

    def require(self, role: str) -> Decimal:
        """Return a number. Raises ValueError if there is none."""
        read = decimal(self.text(role))
        if read is None:
            raise ValueError(f"{self._layout.columns[role]} is {self.text(role)!r}, which is no number.")
        return read

    def make_id(self, part: str) -> UUID:
        """Derive an id that the same row of the same run always gets."""
        return uuid5(self._run_id, f"row {self._place} {part}")

    def read_side(self) -> str | None:
        """
        Return Buy or Sell by the row's side or the sign of its quantity; an unknown side is returned unchanged.

        Raises ValueError if both are given and contradict each other.
        """
        side, amount = self.text("side"), decimal(self.text("quantity"))
        if side is not None:
            known = SIDES.get(side.lower(), side)
            if known == "Buy" and amount is not None and amount < 0:
                raise ValueError(f"The side is {side!r} and the quantity {amount}: one of them is wrong.")
            return known
        return None if amount is None else ("Sell" if amount < 0 else "Buy")

    def rest(self) -> dict[str, Any]:
        """Return the cells of columns without a meaning, by their names in PascalCase."""
        used = {*self._layout.columns.values(), *self._layout.left_out}
        left = {name: value for name, value in self._record.items() if name not in used and value not in EMPTY}
        return {pascal(re.sub(r"\W+", "_", name.strip())): number(value) for name, value in left.items()}

    def fill(self, part: str, *, side: str | None, fee: Any, more: dict[str, Any]) -> Event:
        """Build an execution; `part` is entry or exit if a row has both, else any word that makes its id distinct."""
        prefix = f"{part}_" if part in ("entry", "exit") else ""
        quantity = self.number("quantity")
        known = {
            "OrderId": str(self.make_id(f"{part} order")),
            "SecuritySymbol": self.text("symbol") or self._symbol or None,
            "Direction": side,
            "Quantity": quantity if isinstance(quantity, str | None) else abs(quantity),
            "Price": self.number(f"{prefix}price"),
            "Commission": fee,
            "Slippage": 0,
            "Currency": self.text("currency"),
        }
        properties = known | {name: value for name, value in more.items() if name not in known}
        time = self.text(f"{prefix}time")
        return self.make_event("TradeExecution", part=part, time=time, properties=properties, category="Execution")

    def profit(self, state: dict[str, Any]) -> Event:
        """Build the PnL state at the row's moment."""
        properties = {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "Mark"}
        properties |= {"Currency": self.text("currency")} | self.rest()
        return self.make_event(
            "StateChange", part="profit", time=self.text("time"), properties=properties, category="Performance"
        )

    def make_event(
        self, event_type: str, *, part: str, time: str | None, properties: dict[str, Any], category: str
    ) -> Event:
        """Build an event of the row, without missing values."""
        known = {name: value for name, value in properties.items() if value is not None or name == "StateBefore"}
        return {
            "eventId": str(self.make_id(part)), "runId": str(self._run_id), "timestamp": read_time(time),
            "eventType": event_type, "severity": "Info", "category": category, "properties": known,
            "parentEventId": None,
        }  # fmt: skip


def read_time(text: str | None) -> str | None:
    """Format a time as ISO 8601 in UTC; an invalid time is returned unchanged, and validation reports it."""
    at = _parse_time(text)
    return text if at is None else at.isoformat()


def _parse_time(text: str | None) -> datetime | None:
    try:
        return parse_time(text or "")
    except ValueError:
        return None


def find_disorder(records: Iterable[ReadRecord], *, layout: Layout) -> tuple[int, str, str] | None:
    """
    Return the first row of equity or returns that goes back in time: its line, its time, the time before it.

    The first row of a currency is the capital that its others are measured against, and returns compound in the order
    of the rows.
    """
    last: dict[str, datetime] = {}
    for read in records:
        if isinstance(read.record, str):
            continue
        time, currency = (str(read.record.get(layout.columns.get(role, ""), "")) for role in ("time", "currency"))
        at = _parse_time(time.strip())
        if at is None:
            continue
        if (before := last.get(currency.strip(), at)) > at:
            return read.line_number, at.isoformat(), before.isoformat()
        last[currency.strip()] = at
    return None
