"""Generate logs to measure with: a strategy's events from a seed, in the contract's format."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid5

SEED = 20251115
SYMBOLS = ("AAPL", "AMZN", "GOOG", "JPM", "MSFT", "NVDA", "TSLA", "XOM")
START = datetime(2024, 1, 2, 14, 30, tzinfo=UTC)
NAMESPACE = UUID("6f1f6f0e-8a43-4a8c-9d2e-0f6e1c1f4b11")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A log on disk, with what questions about it need."""

    path: Path
    run_id: UUID
    events: int
    last: datetime
    order_id: str
    root_event_id: str

    def at(self, share: float) -> datetime:
        """Return the moment at a share of the run."""
        return START + (self.last - START) * share


def write_log(folder: Path, *, events: int) -> Log:
    """Write a log of so many events, always the same for the same number; about 350 bytes each."""
    run_id = uuid5(NAMESPACE, f"{SEED} {events}")
    path = folder / f"run_{events}.jsonl"
    maker = _Maker(run_id)
    with path.open("w", encoding="ascii", buffering=1 << 20) as file:
        written = 0
        for lines in maker.bars():
            lines = lines[: events - written]  # noqa: PLW2901
            file.write("".join(lines))
            written += len(lines)
            if written == events:
                break
            if written * 2 < events:
                middle = maker.order_id, maker.root_event_id
    return Log(
        path=path, run_id=run_id, events=events, last=maker.moment, order_id=middle[0], root_event_id=middle[1]
    )  # fmt: skip


class _Maker:
    """A strategy: bars with indicators, and on some bars an order with its consequences."""

    def __init__(self, run_id: UUID) -> None:
        self._random = random.Random(SEED)
        self._run = str(run_id)
        self._realized = 0.0
        self._prices = dict.fromkeys(SYMBOLS, 150.0)
        self.moment = START
        self.order_id = self.root_event_id = ""

    def bars(self) -> Iterator[list[str]]:
        """Yield the lines of bar after bar, without end."""
        while True:
            self.moment += timedelta(milliseconds=self._random.randrange(500, 4000))
            symbol = self._random.choice(SYMBOLS)
            price = self._prices[symbol] = round(max(self._prices[symbol] * self._random.uniform(0.999, 1.001), 1), 2)
            named = f'"SecuritySymbol":"{symbol}"'
            lines = [
                self._line("MarketDataEvent", "MarketData", f'{named},"DataType":"Candle","Data":{{"Close":{price}}}')
            ]
            for period in (10, 20):
                value = round(price * self._random.uniform(0.98, 1.02), 4)
                words = f'"IndicatorName":"SMA_{period}",{named},"Value":{value},"Parameters":{{"Period":{period}}}'
                lines.append(self._line("IndicatorCalculation", "Indicators", words))
            if self._random.random() < 0.8:  # noqa: PLR2004 - so one event in seven is a trade
                lines += self._order(named, price=price)
            yield lines

    def _order(self, named: str, *, price: float) -> list[str]:
        order, quantity = self._guid(), self._random.randrange(1, 500)
        side = "Buy" if self._random.random() < 0.5 else "Sell"  # noqa: PLR2004
        terms = f'"OrderId":"{order}",{named},"Direction":"{side}","Quantity":{quantity},"Price":{price}'
        root, fill = self._guid(), self._guid()
        self.order_id, self.root_event_id = order, root
        opened = self._state("Order", f'{terms},"Status":"Open"', reason="signal", event_id=root)
        if self._random.random() < 0.1:  # noqa: PLR2004 - one order in ten is refused
            refused = f'"OrderId":"{order}",{named},"RejectionReason":"margin","RequestedQuantity":{quantity}'
            refused += f',"RequestedPrice":{price}'
            gone = self._state("Order", f'{terms},"Status":"Rejected"', reason="refused", parent=root)
            return [opened, self._line("OrderRejection", "Execution", refused, parent=root, severity="Warning"), gone]
        self._realized = round(self._realized + self._random.uniform(-50, 52), 2)
        shown = f'"{price}"' if self._random.random() < 0.005 else f"{price}"  # noqa: PLR2004 - one price in 200 is a string
        trade = f'"OrderId":"{order}",{named},"Direction":"{side}","Quantity":{quantity},"Price":{shown}'
        trade += f',"Commission":1.25,"Slippage":{round(self._random.random() / 10, 3)}'
        held = (
            f'{named},"Quantity":{quantity},"AveragePrice":{price},"UnrealizedPnL":0.5,"RealizedPnL":{self._realized}'
        )
        total = f'"Total":{self._realized},"Realized":{self._realized},"Unrealized":0'
        return [
            opened,
            self._line("TradeExecution", "Execution", trade, parent=root, event_id=fill),
            self._state("Order", f'{terms},"Status":"Filled"', reason="filled", parent=fill),
            self._line("PositionUpdate", "Execution", held, parent=fill),
            self._state("PnL", total, reason="filled", parent=fill),
        ]

    def _state(self, kind: str, after: str, *, reason: str, parent: str = "", event_id: str = "") -> str:
        words = f'"StateType":"{kind}","StateBefore":null,"StateAfter":{{{after}}},"ChangeReason":"{reason}"'
        return self._line("StateChange", "Execution", words, parent=parent, event_id=event_id)

    def _line(
        self, kind: str, category: str, words: str, *, parent: str = "", event_id: str = "", severity: str = "Info"
    ) -> str:
        above = f'"{parent}"' if parent else "null"
        return (
            f'{{"EventId":"{event_id or self._guid()}","RunId":"{self._run}","Timestamp":"{self._written()}",'
            f'"EventType":"{kind}","Severity":"{severity}","Category":"{category}","Properties":{{{words}}},'
            f'"ParentEventId":{above}}}\n'
        )

    def _written(self) -> str:
        return f"{self.moment.isoformat(timespec='milliseconds')[:-6]}Z"

    def _guid(self) -> str:
        text = f"{self._random.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
