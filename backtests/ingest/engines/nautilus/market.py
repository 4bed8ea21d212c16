"""Market data: bars and ticks; and the indicators and risk limits that a recorder adds to the stream."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_values import decimal, number
from backtests.ingest.engines.nautilus.native import Native

DATA_TYPES = {"Bar": "Candle", "QuoteTick": "Tick", "TradeTick": "Tick", "OrderBookDelta": "Level2"}
_PRICES = {"open", "high", "low", "close", "volume", "price", "size", "bid_price", "ask_price", "bid_size", "ask_size"}


def data_event(native: Native) -> Event:
    """Build the event of a bar, tick or order book change, with prices as numbers."""
    used = {"type", "event_id", "ts_event", "ts_init", "bar_type", "instrument_id"}
    data = {
        name.title().replace("_", ""): number(value) if name in _PRICES else value
        for name, value in native.record.items()
        if name not in used and value is not None
    }
    known = {"SecuritySymbol": native.symbol, "DataType": DATA_TYPES[native.kind], "Data": data}
    extra = {"BarType": native.text("bar_type")} if native.kind == "Bar" else {}
    return native.event("MarketDataEvent", properties=known | extra, category="MarketData", severity="Debug")


def indicator_event(native: Native, *, parent: UUID | None) -> Event:
    """Build the event of an indicator's value."""
    parameters = native.record.get("parameters")
    known = {
        "IndicatorName": native.text("name"),
        "SecuritySymbol": native.symbol,
        "Value": number(native.record.get("value")),
        "Parameters": parameters if parameters is not None else {},
    }
    properties = native.rest("name", "value", "parameters", known=known)
    return native.event(
        "IndicatorCalculation", properties=properties, category="Indicators", severity="Debug", parent=parent
    )


def risk_event(native: Native, *, parent: UUID | None) -> Event:
    """Build the event of a reached limit, or of a change of trading state (active, reducing, halted)."""
    record = native.record
    known = {
        "RiskType": native.text("risk_type") or "TradingState",
        "Threshold": number(record.get("threshold")),
        "CurrentValue": number(record.get("current_value")),
        "Action": native.text("action") or native.text("state"),
    }
    properties = native.rest("risk_type", "threshold", "current_value", "action", "state", known=known)
    if native.symbol:
        properties["SecuritySymbol"] = native.symbol
    return native.event("RiskEvent", properties=properties, category="Risk", severity="Warning", parent=parent)


def mark_price(native: Native, *, side: int) -> Decimal | None:
    """
    Return the price at which a bar values a position; None if it does not value it.

    A bar of bids values long positions, a bar of asks short positions, any other bar both.
    """
    kind = native.text("bar_type") or ""
    wrong: Any = "-BID-" if side < 0 else "-ASK-"
    return None if wrong in kind else decimal(native.record.get("close"))


def bar_symbol(bar_type: str) -> str:
    """Parse the instrument of a bar type: `AAPL.NASDAQ-1-DAY-LAST-EXTERNAL` is of `AAPL.NASDAQ`."""
    return bar_type.partition("@")[0].rsplit("-", 4)[0]
