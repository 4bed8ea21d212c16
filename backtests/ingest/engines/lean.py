"""
QuantConnect Lean: the result of a backtest (`<id>.json`), or its order events (`<id>-order-events.json`).

| in the file | becomes |
|---|---|
| order events that were filled | TradeExecution |
| `invalid` order events | OrderRejection |
| other order events | StateChange of StateType Order |
| orders of a result that were filled | TradeExecution at the order's price and last fill |
| chart Strategy Equity | StateChange of StateType PnL, at each point's close |

Commissions of a result are the `totalFees` of its closed trades, assigned to the last order of each; an order without a
closed trade has none. A result does not have single fills: a partially filled order gives no event, and the reason says
that the order events have its fills. The format is that of Lean's files of 2025; older files in PascalCase are read
too.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid5

from backtests.ingest.engine_layouts import Equity, Event, TableOptions
from backtests.ingest.engine_records import ReadRecord, Record, read_document
from backtests.ingest.engine_values import decimal, number, plain
from toolbox.text.moments import parse_time

FILLED, PARTLY_FILLED = ("filled", "partiallyfilled")
ORDER_STATUS = {"2": PARTLY_FILLED, "3": FILLED, "partiallyfilled": PARTLY_FILLED, "filled": FILLED}
DIRECTIONS = {"buy": "Buy", "sell": "Sell", "0": "Buy", "1": "Sell"}
STATUS = {"submitted": "Open", "updatesubmitted": "Open", "canceled": "Canceled", "new": "Open"}


def recognise(head: str) -> bool:
    """Return whether a file begins like a result or like order events."""
    start = head.lstrip()[:2_000].lower()
    if start.startswith("["):
        return '"ordereventid"' in start or '"algorithmid"' in start
    return start.startswith("{") and any(f'"{name}"' in start for name in ("rollingwindow", "totalperformance"))


def read_records(lines: Iterable[bytes]) -> Iterator[ReadRecord]:
    """Yield the order events, or a result's orders and equity points in order of time; keys are in lower case."""
    try:
        document = _lower(read_document(lines))
    except (ValueError, RecursionError) as error:
        yield ReadRecord(1, b"", f"The file is no JSON that can be read: {error}"[:200])
        return
    if isinstance(document, list):
        found = [{"kind": "event"} | one for one in document if isinstance(one, dict)]
    elif isinstance(document, dict) and ("orders" in document or "orderevents" in document):
        found = _read_result(document)
    else:
        yield ReadRecord(1, b"", "There are no orders in it: load the whole result, <id>.json, and not its summary.")
        return
    found.sort(key=lambda record: decimal(record.get("time")) or Decimal(0))
    for place, record in enumerate(found, start=1):
        yield ReadRecord(place, b"", record)


def _read_result(result: Record) -> list[Record]:
    """Return the orders and equity points of a result."""
    currency = _dig(result, "algorithmconfiguration", "accountcurrency")
    fees = _find_fees(result)
    orders = result.get("orders")
    events = result.get("orderevents")
    found: list[Record] = [{"kind": "event"} | one for one in events or [] if isinstance(one, dict)]
    for order in orders.values() if isinstance(orders, dict) and not found else []:
        if isinstance(order, dict):
            time = _seconds(order.get("lastfilltime") or order.get("time"))
            fee = fees.get(str(order.get("id")))
            found.append({"kind": "order"} | order | {"time": time, "orderfeeamount": fee})
    points = _dig(result, "charts", "strategy equity", "series", "equity", "values")
    for point in points if isinstance(points, list) else []:
        values = [point.get("x"), point.get("y")] if isinstance(point, dict) else point
        if isinstance(values, list) and len(values) > 1:
            found.append({"kind": "equity", "time": values[0], "equity": values[-1], "currency": currency})
    return found


def _find_fees(result: Record) -> dict[str, Decimal]:
    """Return the fees of closed trades by the last of their orders."""
    fees: dict[str, Decimal] = {}
    trades = _dig(result, "totalperformance", "closedtrades")
    for trade in trades if isinstance(trades, list) else []:
        ids, fee = (trade.get("orderids"), decimal(trade.get("totalfees"))) if isinstance(trade, dict) else ([], None)
        if isinstance(ids, list) and ids and fee is not None:
            fees = dict.fromkeys(map(str, ids), Decimal(0)) | fees
            fees[str(ids[-1])] = fees.get(str(ids[-1]), Decimal(0)) + fee
    return fees


class LeanTranslator:
    """Translates one file's records into events."""

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._equity = Equity()
        self._points = 0

    def translate(self, record: Record) -> Iterator[Event]:
        """Yield the event of a record. Raises ValueError if it has none."""
        if record["kind"] == "equity":
            yield self._translate_equity(record)
        elif record["kind"] == "order":
            yield from self._order(record)
        else:
            yield self._order_event(record)

    def _translate_equity(self, point: Record) -> Event:
        self._points += 1
        equity = decimal(point["equity"])
        if equity is None:
            raise ValueError(f"Equity is {point['equity']!r}, which is no number.")
        properties = {"StateType": "PnL", "StateBefore": None, "StateAfter": self._equity.add(equity),
                      "ChangeReason": "Mark", "Currency": point["currency"]}  # fmt: skip
        return self._event("StateChange", key=f"equity {self._points}", time=point["time"], properties=properties,
                           category="Performance")  # fmt: skip

    def _order(self, order: Record) -> Iterator[Event]:
        status = ORDER_STATUS.get(str(order.get("status")).lower())
        if status == PARTLY_FILLED:
            raise ValueError(f"Order {order.get('id')} was filled in part: the order events tell its fills.")
        if status == FILLED:
            symbol = order.get("symbol")
            name = symbol.get("value") if isinstance(symbol, dict) else symbol
            properties = self._execution(order, symbol=name, quantity=order.get("quantity"), price=order.get("price"),
                                         currency=order.get("pricecurrency"))  # fmt: skip
            properties |= {"Tag": order.get("tag") or None}
            yield self._event("TradeExecution", key=f"order {order.get('id')}", time=order.get("time"),
                              properties=properties, category="Execution")  # fmt: skip

    def _order_event(self, record: Record) -> Event:
        symbol, status = record.get("symbolvalue") or record.get("symbol"), str(record.get("status")).lower()
        key, time = f"{record.get('orderid')} {record.get('ordereventid') or record.get('id')}", record.get("time")
        if status in (FILLED, PARTLY_FILLED):
            quantity, price = record.get("fillquantity"), record.get("fillprice")
            properties = self._execution(
                record, symbol=symbol, quantity=quantity, price=price, currency=record.get("fillpricecurrency")
            )
            properties |= {"CommissionCurrency": record.get("orderfeecurrency")}
            return self._event("TradeExecution", key=key, time=time, properties=properties, category="Execution")
        order, amount = self._order_id(record), decimal(record.get("quantity"))
        quantity = None if amount is None else plain(abs(amount))
        if status == "invalid":
            properties = {
                "OrderId": order, "SecuritySymbol": symbol, "RejectionReason": record.get("message") or "invalid",
                "RequestedQuantity": quantity,
                "RequestedPrice": number(record.get("limitprice") or record.get("stopprice") or 0),
            }  # fmt: skip
            return self._event("OrderRejection", key=key, time=time, properties=properties, category="Execution")
        after = {
            "OrderId": order, "SecuritySymbol": symbol, "Direction": _direction(record), "Quantity": quantity,
            "Status": STATUS.get(status, status),
        }  # fmt: skip
        properties = {"StateType": "Order", "StateBefore": None, "StateAfter": after, "ChangeReason": status}
        return self._event("StateChange", key=key, time=time, properties=properties, category="Execution")

    def _execution(self, record: Record, *, symbol: Any, quantity: Any, price: Any, currency: Any) -> Record:
        amount, fee = decimal(quantity), record.get("orderfeeamount")
        return {
            "OrderId": self._order_id(record), "SecuritySymbol": symbol, "Direction": _direction(record),
            "Quantity": quantity if amount is None else plain(abs(amount)), "Price": number(price),
            "Commission": None if fee is None else number(fee), "Slippage": 0, "Currency": currency,
        }  # fmt: skip

    def _order_id(self, record: Record) -> str:
        return str(uuid5(self._run_id, f"order {record.get('orderid') or record.get('id')}"))

    def _event(self, event_type: str, *, key: str, time: Any, properties: Record, category: str) -> Event:
        return {
            "eventId": str(uuid5(self._run_id, f"event {key}")), "runId": str(self._run_id), "timestamp": _moment(time),
            "eventType": event_type, "severity": "Warning" if event_type == "OrderRejection" else "Info",
            "category": category, "parentEventId": None,
            "properties": {
                name: value for name, value in properties.items() if value is not None or name == "StateBefore"
            },
        }  # fmt: skip


def make_translator(run_id: UUID, *, given: TableOptions) -> LeanTranslator:  # noqa: ARG001 - the file says all itself
    """Make the translator of one run's records."""
    return LeanTranslator(run_id)


def _direction(record: Record) -> Any:
    direction = record.get("direction")
    return DIRECTIONS.get(str(direction).lower(), direction)


def _lower(value: Any) -> Any:
    """Return a document with keys in lower case: older versions of Lean wrote them in PascalCase."""
    if isinstance(value, dict):
        return {str(name).lower(): _lower(one) for name, one in value.items()}
    return [_lower(one) for one in value] if isinstance(value, list) else value


def _dig(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _seconds(text: Any) -> Any:
    try:
        return parse_time(str(text)).timestamp()
    except ValueError:
        return text


def _moment(seconds: Any) -> str | None:
    """Format seconds since 1970 as ISO 8601; an invalid time is returned unchanged, and validation reports it."""
    read = decimal(seconds)
    try:
        return str(seconds) if read is None else datetime.fromtimestamp(float(read), tz=UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return str(seconds)
