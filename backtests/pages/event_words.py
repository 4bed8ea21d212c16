"""One-line descriptions of events. Pure."""

import json
from decimal import Decimal
from typing import Any

LONGEST = 60
_FORMS = {
    "TradeExecution": "{Direction} |{Quantity} |{SecuritySymbol}| at {Price}",
    "OrderRejection": "{RequestedQuantity} |{SecuritySymbol}| at {RequestedPrice}|: {RejectionReason}",
    "IndicatorCalculation": "{IndicatorName}| of {SecuritySymbol}|: {Value}",
    "PositionUpdate": "{SecuritySymbol}|: {Quantity}| at {AveragePrice}",
    "MarketDataEvent": "{SecuritySymbol}| {DataType}|, close {Close}|, price {Price}",
    "RiskEvent": "{RiskType}|: {Action}| at {CurrentValue}| of {Threshold}",
    "Order": "{ChangeReason}: |{Direction} |{Quantity} |{SecuritySymbol}| at {Price}|, {Status}",
    "PnL": "PnL {Total}|, realized {Realized}|, unrealized {Unrealized}",
    "StateChange": "{StateType}|: {ChangeReason}",
}


def describe_event(event_type: str, *, properties: str | None) -> str:
    """Describe an event in one line, without missing properties; return "" if the JSON is truncated."""
    try:
        decoded = json.loads(properties or "{}", parse_float=Decimal)
    except ValueError:
        return ""
    if not isinstance(decoded, dict):
        return ""
    inside = [part for name in ("Data", "StateAfter") if isinstance(part := decoded.get(name), dict)]
    values = {name: text for part in (decoded, *inside) for name, value in part.items() if (text := _text(value))}
    form = _FORMS.get(values.get("StateType", "")) if event_type == "StateChange" else None
    return _fill_form(form or _FORMS.get(event_type, ""), values=values)


def _fill_form(form: str, *, values: dict[str, str]) -> str:
    parts = []
    for part in form.split("|"):
        try:
            parts.append(part.format_map(values))
        except KeyError:
            continue
    return "".join(parts).strip(" :,")


def _text(value: Any) -> str:
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return str(value)[:LONGEST]
    return ""
