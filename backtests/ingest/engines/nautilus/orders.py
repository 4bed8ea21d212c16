"""Orders: state changes, fills, and refusals."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid5

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_values import Number, decimal, money, number, plain
from backtests.ingest.engines.nautilus.native import Native

STEPS = {
    "OrderInitialized": "Open",
    "OrderSubmitted": "Open",
    "OrderAccepted": "Open",
    "OrderEmulated": "Open",
    "OrderReleased": "Open",
    "OrderTriggered": "Open",
    "OrderUpdated": "Open",
    "OrderPendingUpdate": "Open",
    "OrderPendingCancel": "Open",
    "OrderModifyRejected": "Open",
    "OrderCancelRejected": "Open",
    "OrderCanceled": "Canceled",
    "OrderExpired": "Expired",
}
"""The status of an order after each step. A refused change leaves the order open."""
REFUSALS = {"OrderDenied": ("Denied", "Risk"), "OrderRejected": ("Rejected", "Execution")}
"""The status and category of a refusal: the risk engine denies, the venue rejects."""
DIRECTIONS = {"BUY": "Buy", "SELL": "Sell"}
_USED = ("client_order_id", "order_side", "quantity", "price", "trigger_price")
_MAX_CLOSED = 1_000


@dataclass(slots=True)
class _Order:
    order_id: UUID
    state: dict[str, Any] | None = None
    last_step: UUID | None = None
    quantity: Decimal | None = None
    filled: Decimal = Decimal(0)
    price: Decimal | None = None


class Orders:
    """
    Tracks open orders, and the last thousand closed ones, which other orders may refer to.

    An order's first step is a root. The parent of each further step is the previous step, the parent of a fill or
    refusal is the last step, and the parent of the order's end is the fill or refusal that ended it.
    """

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._open: dict[str, _Order] = {}
        self._closed: OrderedDict[str, _Order] = OrderedDict()

    def step(self, native: Native) -> Iterator[Event]:
        """Yield the change of an order's state, with the order before and after."""
        order = self._order(native)
        parent = order.last_step or self._parent_order(native)
        is_refused_change = native.kind.endswith("Rejected")
        yield self._change(
            native,
            order,
            status=STEPS[native.kind],
            parent=parent,
            severity="Warning" if is_refused_change else "Info",
        )
        order.last_step = native.event_id

    def fill(self, native: Native) -> Iterator[Event]:
        """Yield an execution, and the change of the order that it fills."""
        order = self._order(native)
        yield native.event(
            "TradeExecution", properties=self._trade(native, order), category="Execution", parent=order.last_step
        )
        order.filled += decimal(native.record.get("last_qty")) or 0
        is_filled = order.quantity is None or order.filled >= order.quantity
        status = "Filled" if is_filled else "Open"
        yield self._change(native, order, status=status, parent=native.event_id, part="order")

    def refusal(self, native: Native) -> Iterator[Event]:
        """Yield the refusal of an order, and the change of state that ends it."""
        order = self._order(native)
        status, category = REFUSALS[native.kind]
        known = {
            "OrderId": str(order.order_id),
            "SecuritySymbol": native.symbol,
            "RejectionReason": native.text("reason") or status,
            "RequestedQuantity": _plain(order.quantity),
            "RequestedPrice": _plain(order.price),
        }
        properties = native.rest(*_USED, "reason", known=known | {"ClientOrderId": native.text("client_order_id")})
        yield native.event(
            "OrderRejection", properties=properties, category=category, severity="Warning", parent=order.last_step
        )
        yield self._change(native, order, status=status, parent=native.event_id, part="order")

    def _trade(self, native: Native, order: _Order) -> dict[str, Any]:
        record = native.record
        commission, currency = money(record.get("commission"))
        price = decimal(record.get("last_px"))
        known = {
            "OrderId": str(order.order_id),
            "SecuritySymbol": native.symbol,
            "Direction": _direction(record.get("order_side")),
            "Quantity": number(record.get("last_qty")),
            "Price": number(record.get("last_px")),
            "Commission": record.get("commission") if commission is None else plain(commission),
            "Slippage": _slippage(price, order=order, side=record.get("order_side")),
            "CommissionCurrency": currency,
            "ClientOrderId": native.text("client_order_id"),
        }
        return native.rest(*_USED, "last_qty", "last_px", "commission", known=known)

    def _change(
        self,
        native: Native,
        order: _Order,
        *,
        status: str,
        parent: UUID | None,
        part: str = "",
        severity: str = "Info",
    ) -> Event:
        before, order.state = order.state, self._state(native, order, status=status)
        known = {
            "StateType": "Order",
            "StateBefore": before,
            "StateAfter": order.state,
            "ChangeReason": native.kind,
            "OrderId": str(order.order_id),
            "SecuritySymbol": order.state["SecuritySymbol"],
            "ClientOrderId": native.text("client_order_id"),
        }
        self._keep(native, order, is_open=status == "Open")
        properties = known if part else native.rest(*_USED, known=known)
        return native.event(
            "StateChange", properties=properties, category="Execution", severity=severity, parent=parent, part=part
        )

    def _state(self, native: Native, order: _Order, *, status: str) -> dict[str, Any]:
        before = order.state or {}
        return {
            "OrderId": str(order.order_id),
            "SecuritySymbol": native.symbol or before.get("SecuritySymbol"),
            "Direction": _direction(native.record.get("order_side")) or before.get("Direction"),
            "Quantity": _plain(order.quantity),
            "Price": _plain(order.price),
            "Status": status,
            "FilledQuantity": plain(order.filled),
        }

    def _order(self, native: Native) -> _Order:
        """Find the order of a record, and update its quantity and price from the record."""
        name = native.text("client_order_id") or f"unnamed {native.event_id}"
        order = self._open.get(name) or self._closed.get(name) or _Order(order_id=uuid5(self._run_id, name))
        if native.kind in ("OrderInitialized", "OrderUpdated"):
            options = native.record.get("options")
            terms = native.record | (options if isinstance(options, dict) else {})
            order.quantity = decimal(terms.get("quantity")) or order.quantity
            order.price = decimal(terms.get("price")) or decimal(terms.get("trigger_price")) or order.price
        return order

    def _keep(self, native: Native, order: _Order, *, is_open: bool) -> None:
        name = native.text("client_order_id")
        if name is None:
            return
        self._open.pop(name, None)
        self._closed.pop(name, None)
        if is_open:
            self._open[name] = order
            return
        self._closed[name] = order
        if len(self._closed) > _MAX_CLOSED:
            self._closed.popitem(last=False)

    def _parent_order(self, native: Native) -> UUID | None:
        """Return the last step of the order that this one depends on, as a stop depends on its entry."""
        name = native.text("parent_order_id") or ""
        parent = self._open.get(name) or self._closed.get(name)
        return parent.last_step if parent else None


def _direction(side: Any) -> Any:
    return DIRECTIONS.get(side, side) if isinstance(side, str) else side


def _plain(value: Decimal | None) -> Number | None:
    return None if value is None else plain(value)


def _slippage(price: Decimal | None, *, order: _Order, side: Any) -> Number:
    """Return how much worse the price was than requested; a market order requests none, so its slippage is 0."""
    if price is None or order.price is None:
        return 0
    worse = price - order.price
    return plain(-worse if side == "SELL" else worse)
