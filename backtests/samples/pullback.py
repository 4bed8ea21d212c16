"""The strategy of the run that ships with the project; make_run.py beside this file runs it."""

from decimal import Decimal
from typing import Any

from nautilus_trader.indicators import SimpleMovingAverage
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import Bar, BarType
from nautilus_trader.model.enums import OrderSide, TimeInForce, TradingState
from nautilus_trader.model.events import OrderFilled, OrderRejected, PositionClosed
from nautilus_trader.model.identifiers import InstrumentId, Venue
from nautilus_trader.model.instruments import Equity
from nautilus_trader.model.objects import Price, Quantity
from nautilus_trader.trading.strategy import Strategy

NASDAQ = Venue("NASDAQ")
SYMBOLS = ("AAPL", "GOOG", "IBM", "MSFT")
CAPITAL = 200_000
FAST, SLOW = 10, 40
STAKE = 0.3  # share of the balance
PULLBACK, STOP = Decimal("0.995"), Decimal("0.94")
DAYS_OPEN = 5
DRAWDOWN_LIMIT, DAYS_OFF = 0.04, 10


class Pullback(Strategy):  # type: ignore[misc]
    """
    Buys below the close when a fast average crosses a slow one, with a stop under the entry.

    Sells when the average falls back, first by an order at that average, which the venue rejects if the market is above
    it, then at market. After a drawdown past the limit the risk engine is halted for some days and denies all orders.
    """

    def __init__(self, *, instruments: list[Equity], record: Any, set_state: Any) -> None:
        super().__init__()
        self._instruments = {instrument.id: instrument for instrument in instruments}
        self._record = record
        self._set_state = set_state
        self._averages = {key: (SimpleMovingAverage(FAST), SimpleMovingAverage(SLOW)) for key in self._instruments}
        self._was_above: dict[InstrumentId, bool] = {}
        self._waiting: dict[InstrumentId, Any] = {}
        self._days = 0
        self._resting_until = 0
        self._peak = float(CAPITAL)

    def on_start(self) -> None:
        """Subscribe to daily bars of every instrument."""
        for key in self._instruments:
            self.subscribe_bars(bar_type(key))

    def on_bar(self, bar: Bar) -> None:
        """Handle one instrument's daily bar."""
        key = bar.bar_type.instrument_id
        fast, slow = self._averages[key]
        self._record(Bar.to_dict(bar))
        for name, average, days in ((f"SMA_{FAST}", fast, FAST), (f"SMA_{SLOW}", slow, SLOW)):
            average.update_raw(bar.close.as_double())
            if average.initialized:
                self._record(indicator(name, key=key, value=average.value, days=days, at=bar.ts_event))
        self._days += key.symbol.value == SYMBOLS[0]
        self._watch_drawdown(bar)
        if slow.initialized:
            is_above = fast.value > slow.value
            self._act(bar, key=key, is_above=is_above, crossed=self._was_above.get(key, is_above) != is_above)
            self._was_above[key] = is_above

    def on_event(self, event: Any) -> None:
        """Place a stop under a new position, and cancel it when the position is closed."""
        if isinstance(event, OrderFilled) and event.order_side == OrderSide.BUY:
            self._set_stop(event)
        if isinstance(event, PositionClosed):
            self.cancel_all_orders(event.instrument_id)
        if isinstance(event, OrderRejected):
            self.close_all_positions(event.instrument_id)

    def _act(self, bar: Bar, *, key: InstrumentId, is_above: bool, crossed: bool) -> None:
        self._cancel_stale(key)
        held = self.portfolio.is_net_long(key)
        if crossed and is_above and not held:
            self._buy_below(bar, key=key)
        elif not is_above and held and not self._is_selling(key):
            self._sell_at(self._averages[key][0].value, key=key)

    def _buy_below(self, bar: Bar, *, key: InstrumentId) -> None:
        close = bar.close.as_decimal()
        order = self.order_factory.limit(
            instrument_id=key,
            order_side=OrderSide.BUY,
            quantity=Quantity.from_int(int(STAKE * self._worth() / float(close))),
            price=Price(close * PULLBACK, precision=2),
            time_in_force=TimeInForce.GTC,
        )
        self._waiting[key] = (order, self._days)
        self.submit_order(order)

    def _sell_at(self, price: float, *, key: InstrumentId) -> None:
        order = self.order_factory.limit(
            instrument_id=key,
            order_side=OrderSide.SELL,
            quantity=Quantity.from_int(int(self.portfolio.net_position(key))),
            price=Price(price, precision=2),
            time_in_force=TimeInForce.GTC,
            post_only=True,
            reduce_only=True,
        )
        self._waiting[key] = (order, self._days)
        self.submit_order(order)

    def _set_stop(self, fill: OrderFilled) -> None:
        stop = self.order_factory.stop_market(
            instrument_id=fill.instrument_id,
            order_side=OrderSide.SELL,
            quantity=fill.last_qty,
            trigger_price=Price(fill.last_px.as_decimal() * STOP, precision=2),
            reduce_only=True,
        )
        self.submit_order(stop)

    def _is_selling(self, key: InstrumentId) -> bool:
        order, _ = self._waiting.get(key, (None, 0))
        return order is not None and order.is_sell and order.is_open

    def _cancel_stale(self, key: InstrumentId) -> None:
        order, day = self._waiting.get(key, (None, 0))
        if order is not None and order.is_open and self._days - day >= DAYS_OPEN:
            self.cancel_order(order)
            if order.is_sell:
                self.close_all_positions(key)

    def _worth(self) -> float:
        worth: float = self.portfolio.account(NASDAQ).balance_total(USD).as_double()
        return worth + sum(float(money) for money in self.portfolio.unrealized_pnls(NASDAQ).values())

    def _watch_drawdown(self, bar: Bar) -> None:
        worth = self._worth()
        self._peak = max(self._peak, worth)
        drawdown = 1 - worth / self._peak
        if self._days == self._resting_until:
            self._set_state(TradingState.ACTIVE)
        if drawdown > DRAWDOWN_LIMIT and self._days >= self._resting_until:
            self._resting_until, self._peak = self._days + DAYS_OFF, worth
            self._set_state(TradingState.HALTED)
            self._record(drawdown_limit(drawdown, key=bar.bar_type.instrument_id, at=bar.ts_event))


def bar_type(key: InstrumentId) -> BarType:
    """Return the type of an instrument's daily bars."""
    return BarType.from_str(f"{key}-1-DAY-LAST-EXTERNAL")


def indicator(name: str, *, key: InstrumentId, value: float, days: int, at: int) -> dict[str, Any]:
    """Record an indicator's value."""
    return {
        "type": "IndicatorValue",
        "name": name,
        "instrument_id": str(key),
        "value": round(value, 4),
        "parameters": {"Period": days},
        "ts_event": at,
    }


def drawdown_limit(drawdown: float, *, key: InstrumentId, at: int) -> dict[str, Any]:
    """Record that the strategy stopped buying."""
    return {
        "type": "RiskLimit",
        "risk_type": "Drawdown",
        "instrument_id": str(key),
        "threshold": DRAWDOWN_LIMIT,
        "current_value": round(drawdown, 6),
        "action": f"No orders for {DAYS_OFF} days",
        "ts_event": at,
    }
