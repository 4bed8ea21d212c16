"""Generated logs: a strategy that places orders, some filled, some rejected, with indicators and PnL."""

import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

Event = dict[str, Any]

START = datetime(2025, 1, 2, 14, 30, tzinfo=UTC)
SYMBOLS = ("AAPL", "MSFT", "NVDA", "TSLA")


def guid(source: random.Random) -> str:
    return str(UUID(int=source.getrandbits(128), version=4))


def format_moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z"


def strategy(run_id: str, *, events: int, seed: int = 1, start: datetime = START) -> Iterator[Event]:
    """Yield about `events` events of a run, in order of time."""
    strategy = Strategy(run_id, seed=seed, start=start)
    made = 0
    while made < events:
        step = list(strategy.step())
        yield from step
        made += len(step)


def jsonl(events: Iterable[Event]) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]


class Strategy:
    """A strategy that acts at random."""

    def __init__(self, run_id: str, *, seed: int, start: datetime) -> None:
        self.run_id = run_id
        self.source = random.Random(seed)
        self.moment = start
        self.total = 0.0

    def step(self) -> Iterator[Event]:
        """Let time pass, compute indicators, and perhaps place an order."""
        source = self.source
        self.moment += timedelta(milliseconds=source.randrange(4000), microseconds=source.randrange(1000))
        symbol, price = source.choice(SYMBOLS), round(source.uniform(100, 300), 2)
        candle = {"Close": price, "Volume": source.randrange(1000)}
        said: dict[str, Any] = {"SecuritySymbol": symbol, "DataType": "Candle", "Data": candle}
        yield self.event("MarketDataEvent", "MarketData", said, severity="Debug")
        for period in (10, 20):
            said = {"IndicatorName": f"SMA_{period}", "SecuritySymbol": symbol}
            said |= {"Value": round(price * source.uniform(0.9, 1.1), 4), "Parameters": {"Period": period}}
            yield self.event("IndicatorCalculation", "Indicators", said, severity="Debug")
        if source.random() < 0.6:
            yield from self.order(symbol, price)

    def order(self, symbol: str, price: float) -> Iterator[Event]:
        """Place an order and log its outcome; a few stay open."""
        order: dict[str, Any] = {
            "OrderId": guid(self.source),
            "SecuritySymbol": symbol,
            "Direction": self.source.choice(["Buy", "Sell"]),
        }
        state = order | {"Quantity": self.source.randrange(1, 500), "Price": price, "Status": "Open"}
        placed = self.change("Order", state)
        yield placed
        chance = self.source.random()
        if chance < 0.1:
            said = {name: order[name] for name in ("OrderId", "SecuritySymbol")} | {"RejectionReason": "margin"}
            said |= {"RequestedQuantity": state["Quantity"], "RequestedPrice": price}
            yield self.event("OrderRejection", "Execution", said, parent=placed, severity="Error")
            yield self.change("Order", state | {"Status": "Rejected"}, parent=placed)
        elif chance < 0.9:
            yield from self.fill(state, placed)
        elif chance < 0.99:
            yield self.change("Order", state | {"Status": "Cancelled"}, parent=placed)

    def fill(self, state: dict[str, Any], placed: Event) -> Iterator[Event]:
        """Fill an order and log the consequences."""
        traded = {name: value for name, value in state.items() if name != "Status"}
        traded |= {"Commission": 1.00, "Slippage": round(self.source.random() / 10, 3)}
        fill = self.event("TradeExecution", "Execution", traded, parent=placed)
        yield fill
        yield self.change("Order", state | {"Status": "Filled"}, parent=placed)
        self.total = round(self.total + self.source.uniform(-50, 60), 2)
        symbol = state["SecuritySymbol"]
        held = {"SecuritySymbol": symbol, "Quantity": state["Quantity"], "AveragePrice": state["Price"]}
        held |= {"UnrealizedPnL": 0.5, "RealizedPnL": self.total, "PositionId": f"P-{symbol}"}
        yield self.event("PositionUpdate", "Execution", held, parent=fill)
        yield self.change("PnL", {"Total": self.total, "Realized": self.total, "Unrealized": 0}, parent=fill)

    def change(self, kind: str, after: dict[str, Any], parent: Event | None = None) -> Event:
        said = {"StateType": kind, "StateBefore": None, "StateAfter": after, "ChangeReason": "so it is"}
        return self.event("StateChange", "Execution", said, parent=parent)

    def event(
        self, kind: str, category: str, said: dict[str, Any], *, parent: Event | None = None, severity: str = "Info"
    ) -> Event:
        return {
            "EventId": guid(self.source),
            "RunId": self.run_id,
            "Timestamp": format_moment(self.moment),
            "EventType": kind,
            "Severity": severity,
            "Category": category,
            "Properties": said,
            "ParentEventId": parent["EventId"] if parent else None,
        }
