"""
Make the run that ships with the project: a real engine, over real prices.

The engine does not belong to Toolroom. In an environment of its own, from the project's folder:

    python3 -m venv /tmp/engine
    /tmp/engine/bin/pip install nautilus_trader==1.221.0
    /tmp/engine/bin/pip install --no-deps bokeh_sampledata==2026.1
    PYTHONPATH=. /tmp/engine/bin/python backtests/samples/make_run.py backtests/samples/sma_pullback_2011_2012.jsonl.gz

The same versions give the same file, byte for byte: there are no random numbers, and the engine's random ids are
replaced with ids derived from SEED and a record's number. nautilus_trader is LGPL-3.0, the prices are Quandl's WIKI
prices, in the public domain (README.md beside this file).
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
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import Bar
from nautilus_trader.model.enums import AccountType, OmsType
from nautilus_trader.model.identifiers import InstrumentId, Symbol, TraderId
from nautilus_trader.model.instruments import Equity
from nautilus_trader.model.objects import Money, Price, Quantity

from backtests.ingest.engines import TableOptions, find_engine
from backtests.samples.pullback import (
    CAPITAL,
    DAYS_OFF,
    DAYS_OPEN,
    DRAWDOWN_LIMIT,
    FAST,
    NASDAQ,
    PULLBACK,
    SLOW,
    STAKE,
    STOP,
    SYMBOLS,
    Pullback,
    bar_type,
)

SEED = "toolroom sample run 1"
RUN_ID = uuid5(NAMESPACE_URL, SEED)
FIRST, LAST = date(2011, 1, 3), date(2012, 12, 31)
NANOSECONDS = 1_000_000_000
CLOSE_HOUR_UTC = 21


def main(target: Path, *, reports_folder: Path | None = None) -> None:
    """Run the engine and write its events in the contract's form, and its own reports if a folder is given."""
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
    """Define a share as an instrument: prices in cents, single shares, no margin."""
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


def bars(instrument: Equity) -> Iterable[Bar]:
    """Read the daily prices as traded; none of these shares was split in these years."""
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
    """Return the day's low and high, widened to include open and close, which some days of the source do not."""
    prices = [float(row[name]) for name in ("Open", "High", "Low", "Close")]
    return min(prices), max(prices)


def write(target: Path, *, records: list[dict[str, Any]]) -> None:
    """Translate the records and write them; replace the engine's random ids with ids derived from SEED."""
    translate = find_engine("nautilus").make_translator(RUN_ID, given=TableOptions()).translate
    with target.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        file.write(json.dumps(facts()).encode() + b"\n")
        for number, record in enumerate(records):
            fixed = record | ({"event_id": str(uuid5(RUN_ID, str(number)))} if "event_id" in record else {})
            for event in translate(fixed):
                file.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")


def facts() -> dict[str, str]:
    """Return the facts of the run."""
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
    """Write the engine's own reports, against which the sample is checked."""
    folder.mkdir(parents=True, exist_ok=True)
    engine.trader.generate_order_fills_report().to_csv(folder / "fills.csv")
    engine.trader.generate_positions_report().to_csv(folder / "positions.csv")
    engine.trader.generate_account_report(NASDAQ).to_csv(folder / "account.csv")


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("usage: make_run.py FILE.jsonl.gz [FOLDER FOR THE ENGINE'S REPORTS]")
    main(Path(sys.argv[1]), reports_folder=Path(sys.argv[2]) if sys.argv[2:] else None)
