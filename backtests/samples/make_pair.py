"""
Make the pair of runs that ships with the project: one strategy with a stop 5 % below the entry, and with 8 %.

    python -m backtests.samples.make_pair backtests/samples/sma_stops_2011_2012.jsonl.gz

The strategy trades on the daily bars of the other shipped run (README.md). It needs no engine, uses no random numbers,
and makes the same file each time, byte for byte.
"""

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

Event = dict[str, Any]
SEED = "toolroom sample pair 1"
SYMBOLS = ("AAPL.NASDAQ", "GOOG.NASDAQ", "MSFT.NASDAQ")
FAST, SLOW = 10, 40
STOPS = (Decimal("0.05"), Decimal("0.08"))
CAPITAL, STAKE, FEE = Decimal(100_000), Decimal("0.3"), Decimal("0.0005")
CENT = Decimal("0.01")
SWEEP = "stop-loss"
PRICES_OF = Path(__file__).with_name("sma_pullback_2011_2012.jsonl.gz")


@dataclass(slots=True)
class Position:
    """A position in a security, and its profit."""

    quantity: Decimal = Decimal(0)
    price: Decimal = Decimal(0)
    stop: Decimal = Decimal(0)
    realized: Decimal = Decimal(0)
    close: Decimal = Decimal(0)
    closes: list[Decimal] = field(default_factory=list)
    was_above: bool | None = None
    waiting: Event | None = None

    @property
    def open_profit(self) -> Decimal:
        """Value the position at the last close."""
        return self.quantity * (self.close - self.price)


class StopStrategy:
    """
    Buys when a fast average crosses above a slow one and sells when it falls below, at the next day's open.

    Sells at the stop when a day's low reaches it, or at the open if the day opens below it.
    """

    def __init__(self, *, stop: Decimal) -> None:
        self.run_id = uuid5(NAMESPACE_URL, f"{SEED}, stop {stop}")
        self._stop = stop
        self._held = {symbol: Position() for symbol in SYMBOLS}
        self._count = 0
        self._at = ""

    def facts(self) -> Event:
        """Return the facts of the run."""
        parameters = {"InitialCapital": int(CAPITAL), "fast": FAST, "slow": SLOW, "stop": float(self._stop)}
        return {
            "runId": str(self.run_id), "name": f"Stop at {self._stop:.0%} on AAPL, GOOG and MSFT, 2011-2012",
            "engine": "make_pair.py", "sweep": SWEEP, "parameters": parameters,
        }  # fmt: skip

    def trade_day(self, day: list[Event]) -> Iterator[Event]:
        """Trade the bars of one day."""
        for logged in day:
            said = logged["properties"]
            holding, bar = self._held[said["SecuritySymbol"]], said["Data"]
            self._at = logged["timestamp"].replace("T21:00", "T14:30")
            if holding.waiting is not None:
                yield from self._execute(holding, order=holding.waiting, price=price_of(bar["Open"]))
            self._at = logged["timestamp"]
            known = {"SecuritySymbol": said["SecuritySymbol"], "DataType": "Candle", "Data": bar}
            candle = self._event("MarketDataEvent", "MarketData", known, severity="Debug")
            yield candle
            holding.close = price_of(bar["Close"])
            if holding.quantity and price_of(bar["Low"]) <= holding.stop:
                yield from self._stop_out(holding, candle=candle)
            yield from self._look(holding, candle=candle)
        yield self._profit()

    def _look(self, holding: Position, *, candle: Event) -> Iterator[Event]:
        """Compare the averages, and place an order if they crossed."""
        holding.closes.append(holding.close)
        if len(holding.closes) < SLOW:
            return
        fast, slow = (sum(holding.closes[-days:], Decimal(0)) / days for days in (FAST, SLOW))
        is_above = fast > slow
        crossed = holding.was_above is not None and is_above != holding.was_above
        holding.was_above = is_above
        if not crossed or is_above == bool(holding.quantity):
            return
        symbol = candle["properties"]["SecuritySymbol"]
        signals = []
        for days, value in ((FAST, fast), (SLOW, slow)):
            said = {"IndicatorName": f"SMA_{days}", "SecuritySymbol": symbol, "Value": float(round(value, 4))}
            said |= {"Parameters": {"Period": days}}
            signals.append(self._event("IndicatorCalculation", "Indicators", said, parent=candle, severity="Debug"))
        yield from signals
        worth = CAPITAL + sum((one.realized + one.open_profit for one in self._held.values()), Decimal(0))
        quantity = holding.quantity or (STAKE * worth / holding.close).quantize(Decimal(1))
        reason = f"SMA_{FAST} crossed {'above' if is_above else 'below'} SMA_{SLOW}"
        order = self._order(symbol, buys=is_above, quantity=quantity, reason=reason, parent=signals[0])
        holding.waiting = order
        yield order

    def _stop_out(self, holding: Position, *, candle: Event) -> Iterator[Event]:
        said = candle["properties"]
        low, first = price_of(said["Data"]["Low"]), price_of(said["Data"]["Open"])
        risk = {"RiskType": "StopLoss", "Threshold": float(holding.stop), "CurrentValue": float(low)}
        risk |= {"Action": "Sell", "SecuritySymbol": said["SecuritySymbol"]}
        event = self._event("RiskEvent", "Risk", risk, parent=candle, severity="Warning")
        yield event
        order = self._order(
            said["SecuritySymbol"], buys=False, quantity=holding.quantity, reason="stop loss", parent=event
        )
        yield order
        holding.waiting = None
        yield from self._execute(holding, order=order, price=min(holding.stop, first))

    def _order(self, symbol: str, *, buys: bool, quantity: Decimal, reason: str, parent: Event) -> Event:
        order = {
            "OrderId": str(uuid5(self.run_id, f"order {self._count}")), "SecuritySymbol": symbol,
            "Direction": "Buy" if buys else "Sell", "Quantity": int(quantity), "Status": "Open",
        }  # fmt: skip
        said = {"StateType": "Order", "StateBefore": None, "StateAfter": order, "ChangeReason": reason}
        return self._event("StateChange", "Execution", said, parent=parent)

    def _execute(self, holding: Position, *, order: Event, price: Decimal) -> Iterator[Event]:
        holding.waiting = None
        state, reason = order["properties"]["StateAfter"], order["properties"]["ChangeReason"]
        quantity = Decimal(state["Quantity"])
        commission = (quantity * price * FEE).quantize(CENT)
        said = {name: state[name] for name in ("OrderId", "SecuritySymbol", "Direction", "Quantity")}
        said |= {"Price": float(price), "Commission": float(commission), "Slippage": 0, "Currency": "USD"}
        trade = self._event("TradeExecution", "Execution", said | {"Reason": reason}, parent=order)
        yield trade
        holding.realized -= commission
        if state["Direction"] == "Buy":
            holding.quantity, holding.price = quantity, price
            holding.stop = (price * (1 - self._stop)).quantize(CENT)
        else:
            holding.realized += quantity * (price - holding.price)
            holding.quantity = Decimal(0)
        holding.close = price
        filled = {"StateType": "Order", "StateBefore": state, "StateAfter": state | {"Status": "Filled"}}
        yield self._event("StateChange", "Execution", filled | {"ChangeReason": "executed"}, parent=trade)
        held = {"SecuritySymbol": state["SecuritySymbol"], "Quantity": int(holding.quantity)}
        held |= {"AveragePrice": float(holding.price if holding.quantity else 0)}
        held |= {"UnrealizedPnL": float(holding.open_profit), "RealizedPnL": float(holding.realized), "Currency": "USD"}
        yield self._event("PositionUpdate", "Execution", held, parent=trade)

    def _profit(self) -> Event:
        realized = sum((one.realized for one in self._held.values()), Decimal(0))
        unrealized = sum((one.open_profit for one in self._held.values()), Decimal(0))
        state = {"Total": float(realized + unrealized), "Realized": float(realized), "Unrealized": float(unrealized)}
        said = {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "day's end"}
        return self._event("StateChange", "Performance", said | {"Currency": "USD"}, severity="Debug")

    def _event(
        self, kind: str, category: str, said: Event, *, parent: Event | None = None, severity: str = "Info"
    ) -> Event:
        self._count += 1
        return {
            "eventId": str(uuid5(self.run_id, str(self._count))), "runId": str(self.run_id), "timestamp": self._at,
            "eventType": kind, "severity": severity, "category": category, "properties": said,
            "parentEventId": parent["eventId"] if parent else None,
        }  # fmt: skip


def price_of(value: float) -> Decimal:
    """Parse a price without loss."""
    return Decimal(str(value))


def read_days() -> list[list[Event]]:
    """Read the daily bars of the other run, day by day."""
    days: dict[str, list[Event]] = {}
    with gzip.open(PRICES_OF, "rt", encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event.get("eventType") == "MarketDataEvent" and event["properties"]["SecuritySymbol"] in SYMBOLS:
                days.setdefault(event["timestamp"], []).append(event)
    return list(days.values())


def make_run(*, stop: Decimal, days: Iterable[list[Event]]) -> Iterator[Event]:
    """Run the strategy and yield the run's facts and events."""
    strategy = StopStrategy(stop=stop)
    yield strategy.facts()
    for day in days:
        yield from strategy.trade_day(day)


def write(target: Path) -> None:
    """Write both runs."""
    days = read_days()
    with target.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        for stop in STOPS:
            for event in make_run(stop=stop, days=days):
                file.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")


def run_ids() -> list[UUID]:
    """Return the ids of both runs."""
    return [StopStrategy(stop=stop).run_id for stop in STOPS]


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("usage: make_pair.py FILE.jsonl.gz")
    write(Path(sys.argv[1]))
