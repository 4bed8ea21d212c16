"""Read from a run's lists what its results are built from: whole lists, in pages."""

import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import numpy as np
from django.db import DataError, connection, transaction
from numpy.typing import NDArray

from backtests.performance.days import Days
from backtests.performance.trips import Execution, Prices
from backtests.store.lists import entity_lists, number_list, severity_list
from backtests.store.values import usable
from backtests.vocabulary import TYPE_CODES
from toolbox.admin_pages.charts import cut

PAGE_EVENTS, CHUNK_EVENTS = 20_000, 1_024
ARRAY_HEADER_BYTES = 20
MARKET, POSITION = TYPE_CODES["MarketDataEvent"], TYPE_CODES["PositionUpdate"]
PRICE_PATHS = ("Data.High", "Data.Low", "Data.Ask", "Data.Bid", "Data.Last", "Data.Price", "Data.Close")
"""If an event has several prices, holdings are valued at the last one here."""
CLOSES = ("Close", "Price", "Last", "Bid")
"""The first of these properties of market data is its price."""
MAX_NUMBER = 1e100
"""Larger numbers are left out of results: products and sums of these stay within a double."""
REASONS = ("ExitReason", "Reason", "Tag", "OrderType")
"""Properties with the reason of an execution; without any, its parent's ChangeReason is the reason."""
MAX_REASON = 200
"""Characters of a reason that are kept; a longer one ends in an ellipsis."""
_NUMBER = np.dtype([("event", "i4"), ("path", "i4"), ("moment", "i8"), ("value", "f8")])
_MAX_NUMBER = Decimal(MAX_NUMBER)
"""Decimals are compared with a decimal much faster than with a float."""
_SIDES = {"Buy": 1, "Sell": -1}
_ROUNDED = Context(prec=28)
_DECODER = msgspec.json.Decoder(float_hook=Decimal)

_DAYS = """
WITH chunks AS (
  SELECT moments, first_moment, last_moment,
         (first_moment - ((first_moment %% 86400000000) + 86400000000) %% 86400000000) / 86400000000 AS first_day,
         (last_moment - ((last_moment %% 86400000000) + 86400000000) %% 86400000000) / 86400000000 AS last_day
  FROM backtests_lists WHERE run_id = %(run)s AND list = ANY (%(lists)s::text[])
)
SELECT first_day AS day FROM chunks
UNION
SELECT (m - ((m %% 86400000000) + 86400000000) %% 86400000000) / 86400000000
FROM chunks, unnest(moments) AS u (m) WHERE first_day <> last_day
ORDER BY day
"""

_DECISIONS = """
SELECT array_send(array_agg(moment ORDER BY moment, number)), array_send(array_agg(number ORDER BY moment, number))
FROM (
  SELECT u.moment, u.number
  FROM backtests_lists AS c, unnest(c.moments, c.events) AS u (moment, number)
  WHERE c.run_id = %(run)s AND c.list = ANY (%(lists)s::text[])
  UNION ALL
  SELECT moment, number FROM backtests_order_states WHERE run_id = %(run)s AND kind = 0
) AS decided
"""

# LATERAL with a LIMIT looks each event up by an index. A join would read the whole run for every page of it.
_EVENTS = """
SELECT u.moment, u.number, e.event_type, e.properties::text, cause.properties::text
FROM unnest(%(moments)s::bigint[], %(numbers)s::integer[]) WITH ORDINALITY AS u (moment, number, place)
CROSS JOIN LATERAL (
  SELECT event_type, properties, parent_event_id FROM backtests_events
  WHERE run_id = %(run)s AND number = u.number LIMIT 1
) AS e
LEFT JOIN LATERAL (
  SELECT properties FROM backtests_events
  WHERE run_id = %(run)s AND event_id = e.parent_event_id AND event_type = 5 LIMIT 1
) AS cause ON e.event_type = 1
ORDER BY u.place
"""

_LISTED = """
SELECT u.moment, e.properties::text
FROM backtests_lists AS c, unnest(c.moments, c.events) AS u (moment, number)
CROSS JOIN LATERAL (
  SELECT properties FROM backtests_events WHERE run_id = %(run)s AND number = u.number LIMIT 1
) AS e
WHERE c.run_id = %(run)s AND c.list = %(list)s AND c.chunk BETWEEN %(first)s AND %(last)s
ORDER BY u.moment, u.number LIMIT %(most)s
"""

_MEMBERS = """
SELECT array_position(%(lists)s::text[], list), array_send(events)
FROM backtests_lists WHERE run_id = %(run)s AND list = ANY (%(lists)s::text[])
"""

_NUMBERS = """
SELECT array_position(%(lists)s::text[], list), array_send(events), array_send(moments),
       array_send(numbers::float8[])
FROM backtests_lists WHERE run_id = %(run)s AND list = ANY (%(lists)s::text[]) AND last_moment >= %(since)s
"""

# Numbers that a float cannot hold are read as NaN, which is left out.
_ODD_NUMBERS = """
SELECT array_position(%(lists)s::text[], list), array_send(events), array_send(moments), array_send(ARRAY(
  SELECT CASE WHEN x = 0 OR abs(x) BETWEEN 1e-300 AND 1e300 THEN x::float8 ELSE 'NaN' END
  FROM unnest(numbers) WITH ORDINALITY AS u (x, place) ORDER BY place))
FROM backtests_lists WHERE run_id = %(run)s AND list = ANY (%(lists)s::text[]) AND last_moment >= %(since)s
"""


class LoggedDecision(NamedTuple):
    """The event of a decision; `cause` has the properties, as JSON, of the state change that caused an execution."""

    number: int
    moment: int
    event_type: int
    values: dict[str, Any]
    cause: str | None


def read_days(run_id: UUID) -> Days:
    """Return the days on which a run has an event, in order."""
    lists = [severity_list(name, severity=None) for name in TYPE_CODES] + ["t:0"]
    return np.array([day for (day,) in _ask(_DAYS, run=run_id, lists=lists)], dtype=np.int32)


def read_decisions(run_id: UUID) -> Iterator[LoggedDecision]:
    """Yield executions, rejections, states of orders and risk events, in order of time."""
    names = ("TradeExecution", "OrderRejection", "RiskEvent")
    lists = [severity_list(name, severity=None) for name in names]
    packed_moments, packed_numbers = _ask(_DECISIONS, run=run_id, lists=lists)[0]
    if packed_numbers is None:
        return
    moments, numbers = _unpack(packed_moments, ">i8"), _unpack(packed_numbers, ">i4")
    for start in range(0, len(numbers), PAGE_EVENTS):
        part = slice(start, start + PAGE_EVENTS)
        rows = _ask(_EVENTS, run=run_id, moments=_array_text(moments[part]), numbers=_array_text(numbers[part]))
        for moment, number, event_type, properties, cause in rows:
            yield LoggedDecision(number, moment, event_type, decode_properties(properties), cause)


def read_listed(run_id: UUID, *, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield moment and properties of a list's events, in order of time."""
    step = PAGE_EVENTS // CHUNK_EVENTS
    most = step * CHUNK_EVENTS
    for first in count(0, step):
        rows = _ask(_LISTED, run=run_id, list=name, first=first, last=first + step - 1, most=most)
        for moment, properties in rows:
            yield moment, decode_properties(properties)
        if len(rows) < most:  # every chunk but a list's last one is full
            return


def read_execution(logged: LoggedDecision) -> Execution | None:
    """Return the trade of an event; None if it lacks security, direction, quantity or price."""
    values = logged.values
    quantity, price = read_number(values.get("Quantity")), read_number(values.get("Price"))
    side = _SIDES.get(str(values.get("Direction")))
    symbol = values.get("SecuritySymbol")
    if quantity is None or price is None or side is None or symbol is None or not quantity:
        return None
    reason = next((values[name] for name in REASONS if values.get(name) not in (None, "")), None)
    if reason is None and logged.cause is not None:
        reason = decode_properties(logged.cause).get("ChangeReason")
    currency = read_text(values.get("Currency"))
    return Execution(
        number=logged.number, moment=logged.moment, symbol=read_text(symbol),
        position=read_text(values.get("PositionId")), side=side, quantity=abs(quantity), price=price,
        commission=read_number(values.get("Commission")) or Decimal(0), currency=currency,
        commission_currency=read_text(values.get("CommissionCurrency")) or currency,
        multiplier=read_number(values.get("Multiplier")) or Decimal(1),
        reason=cut(read_text(reason), letters=MAX_REASON) if reason not in (None, "") else None,
    )  # fmt: skip


def read_prices(run_id: UUID, *, symbols: Iterable[str], event_count: int, since: int) -> dict[str, Prices]:
    """Return prices by security from a moment on: those of market data and those at which positions were valued."""
    names = [number_list(MARKET, path=path) for path in PRICE_PATHS] + [number_list(POSITION, path="MarkPrice")]
    numbers = _read_numbers(run_id, names, since=since)
    if not len(numbers):
        return {}
    wanted = sorted(symbols)
    owners = _read_owners(run_id, symbols=wanted, event_count=event_count)[numbers["event"]]
    order = np.lexsort((numbers["path"], numbers["event"], numbers["moment"], owners))
    numbers, owners = numbers[order], owners[order]
    ends = owners.searchsorted(np.arange(len(wanted)), side="right")
    starts = owners.searchsorted(np.arange(len(wanted)), side="left")
    return {
        symbol: Prices(numbers["moment"][start:end].copy(), numbers["value"][start:end].copy())
        for symbol, start, end in zip(wanted, starts, ends, strict=True) if end > start
    }  # fmt: skip


def read_text(value: Any) -> str:
    """Return a value as text that PostgreSQL can store; "" for None."""
    text = "" if value is None else str(value).replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def read_close(properties: str) -> float | None:
    """Return the price in market data's properties; None if none is above zero."""
    data = decode_properties(properties).get("Data")
    given = [data.get(name) for name in CLOSES] if isinstance(data, dict) else []
    prices = (float(price) for one in given if (price := read_number(one)) is not None)
    return next((price for price in prices if price > 0), None)


def read_number(value: Any) -> Decimal | None:
    """Return a number, rounded to 28 digits; None if it cannot be computed with."""
    return _ROUNDED.create_decimal(value) if usable(value) and -_MAX_NUMBER <= value <= _MAX_NUMBER else None


def _read_owners(run_id: UUID, *, symbols: Sequence[str], event_count: int) -> NDArray[np.int32]:
    """Return, by event number, the index in `symbols` of the security of an event with a price; -1 for other events."""
    owners = np.full(event_count, -1, dtype=np.int32)
    named = [
        (place, name) for place, symbol in enumerate(symbols)
        for name in entity_lists("SecuritySymbol", value=symbol, event_types=["MarketDataEvent", "PositionUpdate"])
    ]  # fmt: skip
    for at, packed in _ask(_MEMBERS, run=run_id, lists=[name for _, name in named]):
        owners[_unpack(packed, ">i4")] = named[at - 1][0]
    return owners


def _read_numbers(run_id: UUID, lists: Sequence[str], *, since: int) -> NDArray[np.void]:
    """Return the numbers of lists; leaves out numbers that a float cannot hold."""
    try:
        with transaction.atomic():
            rows = _ask(_NUMBERS, run=run_id, lists=list(lists), since=since)
    except DataError:
        rows = _ask(_ODD_NUMBERS, run=run_id, lists=list(lists), since=since)
    parts = [np.empty(0, dtype=_NUMBER)]
    for path, events, moments, values in rows:
        part = np.empty(len(_unpack(events, ">i4")), dtype=_NUMBER)
        part["event"], part["moment"] = _unpack(events, ">i4"), _unpack(moments, ">i8")
        part["path"], part["value"] = path, _unpack(values, ">f8")
        parts.append(part)
    numbers = np.concatenate(parts)
    known: NDArray[np.void] = numbers[np.abs(numbers["value"]) <= MAX_NUMBER]  # NaN is not
    return known


def _unpack(packed: Any, kind: str) -> NDArray[Any]:
    """Parse PostgreSQL's binary form of a one-dimensional array without nulls."""
    element = np.dtype([("size", ">i4"), ("value", kind)])
    return np.frombuffer(packed, dtype=element, offset=ARRAY_HEADER_BYTES)["value"]


def _array_text(values: NDArray[Any]) -> str:
    """Format integers as a PostgreSQL array, which takes a fraction of what adapting a list takes."""
    return "{" + ",".join(map(str, values.tolist())) + "}"


def decode_properties(text: str) -> dict[str, Any]:
    """Parse an event's properties, numbers as decimals."""
    try:
        values = _DECODER.decode(text)
    except msgspec.DecodeError:  # half of a surrogate pair
        values = json.loads(text, parse_float=Decimal)
    return values if isinstance(values, dict) else {}


def _ask(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
