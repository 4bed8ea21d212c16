"""
Make the run that ships with the project: a real engine, over real prices.

The engine is no part of Toolroom. In an environment of its own, from the project's folder:

    python3 -m venv /tmp/engine
    /tmp/engine/bin/pip install nautilus_trader==1.221.0
    /tmp/engine/bin/pip install --no-deps bokeh_sampledata==2026.1
    PYTHONPATH=. /tmp/engine/bin/python backtests/samples/make_run.py backtests/samples/sma_pullback_2011_2012.jsonl.gz

The same versions give the same file, byte for byte: nothing is drawn at random, and the ids that the engine makes up
anew each time are replaced by ids made from SEED and a record's number. nautilus_trader is LGPL-3.0, the prices are
Quandl's WIKI prices, in the public domain (README.md beside this file).
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.backtest.models import FillModel
from nautilus_trader.common.config import LoggingConfig
from nautilus_trader.indicators import SimpleMovingAverage
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import Bar, BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide, TimeInForce, TradingState
from nautilus_trader.model.events import OrderFilled, OrderRejected, PositionClosed
from nautilus_trader.model.identifiers import InstrumentId, Symbol, TraderId, Venue
from nautilus_trader.model.instruments import Equity
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.trading.strategy import Strategy

from backtests.ingest.engines import translator

SEED = "toolroom sample run 1"
RUN_ID = uuid5(NAMESPACE_URL, SEED)
NASDAQ = Venue("NASDAQ")
SYMBOLS = ("AAPL", "GOOG", "IBM", "MSFT")
FIRST, LAST = date(2011, 1, 3), date(2012, 12, 31)
CAPITAL = 200_000
FAST, SLOW = 10, 40
STAKE = 0.3  # of what there is
PULLBACK, STOP = Decimal("0.995"), Decimal("0.94")
DAYS_OPEN = 5
DRAWDOWN_LIMIT, DAYS_OFF = 0.04, 10
NANOSECONDS = 1_000_000_000
CLOSE_HOUR_UTC = 21


class Pullback(Strategy):  # type: ignore[misc]
    """
    Buys below the close when a fast average crosses a slow one, with a stop under the entry.

    Sells when the average falls back, by an order at that average which the venue rejects if the market is above it;
    then at market. After a drawdown past the limit the risk engine is halted for some days and denies what it orders.
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
        """Ask for daily bars of every instrument."""
        for key in self._instruments:
            self.subscribe_bars(bar_type(key))

    def on_bar(self, bar: Bar) -> None:
        """Look at one instrument's day."""
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
        """Put a stop under a new position, and take it away when the position is closed."""
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


def main(target: Path, reports_folder: Path | None = None) -> None:
    """Run the engine and write what it did, in the contract's words; its own reports too where a folder is given."""
    records: list[dict[str, Any]] = []
    engine = BacktestEngine(
        BacktestEngineConfig(
            trader_id=TraderId("SAMPLE-001"),
            logging=LoggingConfig("ERROR"),
        )
    )
    engine.add_venue(
        venue=NASDAQ,
        oms_type=OmsType.NETTING,
        account_type=AccountType.MARGIN,
        base_currency=USD,
        starting_balances=[Money(CAPITAL, USD)],
        default_leverage=Decimal(1),
        fill_model=FillModel(random_seed=1),
    )
    instruments = [equity(symbol) for symbol in SYMBOLS]
    for instrument in instruments:
        engine.add_instrument(instrument)
        engine.add_data(list(bars(instrument)))
    for topic in ("events.order.*", "events.position.*", "events.account.*", "events.risk*"):
        engine.kernel.msgbus.subscribe(topic, lambda event: records.append(type(event).to_dict(event)))
    set_state = engine.kernel.risk_engine.set_trading_state
    engine.add_strategy(Pullback(instruments=instruments, record=records.append, set_state=set_state))
    engine.run()
    write(target, records=records)
    print(f"{len(records):,} records;", engine.portfolio.account(NASDAQ).balance_total(USD))
    if reports_folder:
        reports(engine, folder=reports_folder)
    engine.dispose()


def equity(symbol: str) -> Equity:
    """Describe a share: cents, single shares, bought with the money that is there."""
    return Equity(
        instrument_id=InstrumentId(Symbol(symbol), NASDAQ),
        raw_symbol=Symbol(symbol),
        currency=USD,
        price_precision=2,
        price_increment=Price.from_str("0.01"),
        lot_size=Quantity.from_int(1),
        margin_init=Decimal(1),
        margin_maint=Decimal(1),
        maker_fee=Decimal("0.0005"),
        taker_fee=Decimal("0.0005"),
        ts_event=0,
        ts_init=0,
    )


def bar_type(key: InstrumentId) -> BarType:
    """Name the daily bars of an instrument."""
    return BarType.from_str(f"{key}-1-DAY-LAST-EXTERNAL")


def bars(instrument: Equity) -> Iterable[Bar]:
    """Read the daily prices, as traded: none of these shares was split in these years."""
    package = find_spec("bokeh_sampledata")
    if package is None or package.origin is None:
        raise SystemExit("bokeh_sampledata is not installed")
    with gzip.open(Path(package.origin).parent / "_data" / "stocks.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            day = date.fromisoformat(row["Date"])
            if row["Ticker"] == instrument.id.symbol.value and FIRST <= day <= LAST:
                close_at = datetime(day.year, day.month, day.day, CLOSE_HOUR_UTC, tzinfo=UTC)
                at = int(close_at.timestamp()) * NANOSECONDS
                low, high = lowest_and_highest(row)
                yield Bar(
                    bar_type=bar_type(instrument.id),
                    open=Price(float(row["Open"]), 2),
                    high=Price(high, 2),
                    low=Price(low, 2),
                    close=Price(float(row["Close"]), 2),
                    volume=Quantity(float(row["Volume"]), 0),
                    ts_event=at,
                    ts_init=at,
                )


def lowest_and_highest(row: dict[str, str]) -> tuple[float, float]:
    """Give the day's range, widened to hold open and close: the source has days where it does not."""
    prices = [float(row[name]) for name in ("Open", "High", "Low", "Close")]
    return min(prices), max(prices)


def indicator(name: str, *, key: InstrumentId, value: float, days: int, at: int) -> dict[str, Any]:
    """Record what an indicator came to."""
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


def write(target: Path, *, records: list[dict[str, Any]]) -> None:
    """Translate the records and write them; ids that the engine drew at random are made anew from SEED."""
    translate = translator("nautilus", run_id=RUN_ID).translate
    with target.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        file.write(json.dumps(facts()).encode() + b"\n")
        for number, record in enumerate(records):
            fixed = record | ({"event_id": str(uuid5(RUN_ID, str(number)))} if "event_id" in record else {})
            for event in translate(fixed):
                file.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")


def facts() -> dict[str, str]:
    """Say of the run what no event says."""
    settings = {"fast": FAST, "slow": SLOW, "stake": STAKE, "pullback": str(PULLBACK), "stop": str(STOP)}
    settings |= {"daysOpen": DAYS_OPEN, "drawdownLimit": DRAWDOWN_LIMIT, "daysOff": DAYS_OFF, "capital": CAPITAL}
    return {
        "runId": str(RUN_ID),
        "name": "Pullback on AAPL, GOOG, IBM and MSFT, 2011-2012",
        "engine": "nautilus_trader 1.221.0",
        "configHash": sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest(),
        "startTime": f"{FIRST}T00:00:00Z",
        "endTime": f"{LAST}T23:59:59.999999Z",
    }


def reports(engine: BacktestEngine, *, folder: Path) -> None:
    """Write the engine's own reports, to hold the sample against."""
    folder.mkdir(parents=True, exist_ok=True)
    engine.trader.generate_order_fills_report().to_csv(folder / "fills.csv")
    engine.trader.generate_positions_report().to_csv(folder / "positions.csv")
    engine.trader.generate_account_report(NASDAQ).to_csv(folder / "account.csv")


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("usage: make_run.py FILE.jsonl.gz [FOLDER FOR THE ENGINE'S REPORTS]")
    main(*map(Path, sys.argv[1:3]))
