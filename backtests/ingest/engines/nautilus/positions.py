"""Positions: quantity and profit per instrument, valued at each bar."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_values import decimal, money, plain
from backtests.ingest.engines.nautilus.native import Native

CHANGES = {"PositionOpened", "PositionChanged", "PositionClosed"}
_USED = ("quantity", "realized_pnl", "unrealized_pnl", "position_id", "currency")


@dataclass(slots=True)
class _PositionState:
    quantity: Decimal
    price: Decimal
    realized: Decimal

    def reduce(self, quantity: Decimal, *, side: str | None) -> None:
        """Reduce the position by a fill on the other side; a fill on the same side changes nothing yet."""
        if (side == "SELL") == (self.quantity > 0):
            closed = min(quantity, abs(self.quantity))
            self.quantity -= closed if self.quantity > 0 else -closed


@dataclass(slots=True)
class _Instrument:
    """One instrument: open positions by id, and the profit of closed ones."""

    holdings: dict[str, _PositionState] = field(default_factory=dict)
    earned: Decimal = Decimal(0)
    unrealized: Decimal = Decimal(0)
    currency: str | None = None

    @property
    def quantity(self) -> Decimal:
        return sum((holding.quantity for holding in self.holdings.values()), Decimal(0))

    @property
    def realized_profit(self) -> Decimal:
        return self.earned + sum((holding.realized for holding in self.holdings.values()), Decimal(0))

    @property
    def price(self) -> Decimal:
        """Average the entry prices on the side of the net position; return 0 if it is flat."""
        net = self.quantity
        side = [holding for holding in self.holdings.values() if net and (holding.quantity > 0) == (net > 0)]
        if len(side) == 1:
            return side[0].price
        held = sum((abs(holding.quantity) for holding in side), Decimal(0))
        return (
            sum((abs(holding.quantity) * holding.price for holding in side), Decimal(0)) / held if held else Decimal(0)
        )

    def mark(self, price: Decimal | None) -> None:
        """Value the position at a price."""
        worth = ((price - holding.price) * holding.quantity for holding in self.holdings.values()) if price else ()
        self.unrealized = sum(worth, Decimal(0))


class Positions:
    """
    Tracks the net position of each instrument.

    The engine has single positions, the contract one position per symbol. So Quantity is the net of the open positions,
    AveragePrice is theirs, and RealizedPnL is what all positions of the symbol have earned so far, after fees.
    """

    def __init__(self) -> None:
        self._instruments: dict[str, _Instrument] = {}
        self._fills: dict[str, UUID] = {}

    def note_fill(self, native: Native) -> None:
        """
        Record the last fill of a position, which is the parent of the position's next change.

        The account reports between the fill and that change, so this already subtracts what the fill closes.
        """
        position = native.text("position_id")
        if position is None:
            return
        self._fills[position] = native.event_id
        instrument = self._instrument(native)
        holding = instrument.holdings.get(position)
        if holding:
            holding.reduce(decimal(native.record.get("last_qty")) or Decimal(0), side=native.text("order_side"))
            instrument.mark(decimal(native.record.get("last_px")))

    def change(self, native: Native) -> Iterator[Event]:
        """Yield the position of an instrument after one of its positions changed."""
        position, instrument = native.text("position_id") or "", self._instrument(native)
        self._apply(native, instrument, position=position)
        instrument.mark(decimal(native.record.get("last_px")))
        parent = self._fills.get(position)
        if native.kind == "PositionClosed":
            self._fills.pop(position, None)
        own, _ = money(native.record.get("realized_pnl"))
        known = self._write_state(native, instrument) | {
            "PositionId": position or None,
            "PositionRealizedPnL": None if own is None else plain(own),
            "ChangeReason": native.kind,
        }
        properties = native.rest(*_USED, known=known)
        yield native.event("PositionUpdate", properties=properties, category="Execution", parent=parent)

    def mark(self, native: Native, *, price: Decimal, parent: UUID) -> Iterator[Event]:
        """Yield the position of a bar's instrument, valued at the bar; nothing if it is flat."""
        instrument = self._instruments.get(native.symbol or "")
        if instrument is None or not instrument.holdings:
            return
        instrument.mark(price)
        known = self._write_state(native, instrument) | {"ChangeReason": "Mark", "MarkPrice": plain(price)}
        yield native.event(
            "PositionUpdate", properties=known, category="Execution", severity="Debug", parent=parent, part="mark"
        )

    def sum_unrealized(self, currency: str | None) -> Decimal:
        """Sum the unrealized profit of the instruments in a currency."""
        return sum((held.unrealized for held in self._instruments.values() if held.currency == currency), Decimal(0))

    def side(self, symbol: str) -> int:
        """Return 1 for a long position, -1 for a short one, 0 for a flat one."""
        instrument = self._instruments.get(symbol)
        net = instrument.quantity if instrument else Decimal(0)
        return (net > 0) - (net < 0)

    def _instrument(self, native: Native) -> _Instrument:
        return self._instruments.setdefault(native.symbol or "", _Instrument())

    def _apply(self, native: Native, instrument: _Instrument, *, position: str) -> None:
        record = native.record
        realized, currency = money(record.get("realized_pnl"))
        instrument.currency = currency or native.text("currency") or instrument.currency
        if native.kind != "PositionClosed":
            quantity, price = decimal(record.get("signed_qty")), decimal(record.get("avg_px_open"))
            instrument.holdings[position] = _PositionState(
                quantity or Decimal(0), price or Decimal(0), realized or Decimal(0)
            )
        else:
            instrument.holdings.pop(position, None)
            instrument.earned += realized or Decimal(0)

    def _write_state(self, native: Native, instrument: _Instrument) -> dict[str, Any]:
        return {
            "SecuritySymbol": native.symbol,
            "Quantity": plain(instrument.quantity),
            "AveragePrice": plain(instrument.price),
            "UnrealizedPnL": plain(instrument.unrealized),
            "RealizedPnL": plain(instrument.realized_profit),
            "Currency": instrument.currency,
        }
