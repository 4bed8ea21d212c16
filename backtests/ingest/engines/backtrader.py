"""
backtrader: transactions and returns of its PyFolio analyzer, or the table that `WriterFile` writes with `csv=True`.

| table | becomes |
|---|---|
| `transactions.to_csv()` | executions; the analyzer does not tell commissions |
| `returns.to_csv()` | profit of a capital of 1 |
| the writer's | a candle of each data feed, and the broker's value as profit |

The writer's records of trades have no quantity, so they give no executions.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from uuid import UUID

from backtests.ingest.engine_layouts import (
    Equity,
    Event,
    Layout,
    LayoutTranslator,
    Row,
    TableOptions,
    recognise_table,
)
from backtests.ingest.engine_records import ReadRecord, Record, read_table
from backtests.ingest.engine_values import number

TRANSACTIONS = Layout(
    kind="executions",
    columns={"time": "date", "quantity": "amount", "price": "price", "symbol": "symbol", "value": "value"},
    left_out=("sid",),
)
RETURNS = Layout(kind="returns", columns={"time": "index", "return": "return"})
LAYOUTS = (TRANSACTIONS, RETURNS)
WRITER = Layout(kind="equity", columns={"time": "datetime", "equity": "value"})
RULE = "====="
PRICES = ("open", "high", "low", "close", "volume")


def recognise(head: str) -> bool:
    """Return whether a file begins like the writer's or one of the analyzer's tables."""
    return _is_writer(head) or recognise_table(head, layouts=LAYOUTS)


def find_kind(head: str) -> str:
    """Return the kind of the writer's table, equity."""
    return WRITER.kind if _is_writer(head) else ""


def read_records(lines: Iterable[bytes]) -> Iterator[ReadRecord]:
    """Yield the rows of a table; of the writer's file, those of its first table, with the columns by their places."""
    given = iter(lines)
    head = list(islice(given, 2))
    if not _is_writer(b"".join(head).decode("utf-8", "replace")):
        yield from read_table(chain(head, given))
        return
    columns = [name.strip() for name in head[1].decode("utf-8", "replace").split(",")]
    for line_number, line in enumerate(given, start=len(head) + 1):
        if line.startswith(RULE.encode()):
            return
        cells = line.decode("utf-8", "surrogateescape").strip().split(",")
        if len(cells) != len(columns):
            yield ReadRecord(line_number, line, f"The row has {len(cells):,} cells for {len(columns):,} columns.")
        else:
            yield ReadRecord(line_number, line, {"columns": columns, "cells": cells})


def _is_writer(head: str) -> bool:
    first, _, rest = head.partition("\n")
    return first.startswith(RULE) and rest.startswith("Id,")


class WriterTranslator:
    """Translates rows of the writer into candles and profit; each part of a row begins with a name and `len`."""

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._place = 0
        self._equity = Equity()

    def translate(self, record: Record) -> Iterator[Event]:
        """Yield a candle of each data feed, and the profit."""
        self._place += 1
        parts = _part_columns(record["columns"], cells=record["cells"])
        feeds = [part for part in parts if "close" in part and "datetime" in part]
        if not feeds:
            raise ValueError("The row has no data feed with datetime and close.")
        for place, feed in enumerate(feeds, start=1):
            row = self._row(feed)
            candle = {name.title(): number(feed[name]) for name in PRICES if feed.get(name)}
            fields = {"SecuritySymbol": feed["name"], "DataType": "Candle", "Data": candle}
            yield row.make_event(
                "MarketDataEvent", part=f"feed {place}", time=feed["datetime"], properties=fields, category="MarketData"
            )
        for broker in parts:
            if broker["name"] == "Broker" and broker.get("value"):
                row = self._row({"datetime": feeds[0]["datetime"], "value": broker["value"]})
                yield row.profit(self._equity.add(row.require("equity")))

    def _row(self, record: Record) -> Row:
        return Row(self._run_id, place=self._place, layout=WRITER, record=record, symbol="")


def _part_columns(columns: list[str], *, cells: list[str]) -> list[Record]:
    """Split a row at each column `len`; the column before it names the part that follows."""
    starts = [place - 1 for place, name in enumerate(columns) if name == "len" and place]
    ends = [*starts[1:], len(columns)]
    return [
        {"name": cells[start]} | dict(zip(columns[start + 1 : end], cells[start + 1 : end], strict=True))
        for start, end in zip(starts, ends, strict=True)
    ]


class BacktraderTranslator:
    """Translates rows of the writer's table or of one of the analyzer's."""

    def __init__(self, run_id: UUID, *, given: TableOptions) -> None:
        self._table = LayoutTranslator(run_id, layouts=LAYOUTS, given=given)
        self._writer = WriterTranslator(run_id)

    def translate(self, record: Record) -> Iterator[Event]:
        """Return the events of a row. Raises ValueError if it has none."""
        translate: Callable[[Record], Iterator[Event]] = self._table.translate
        return (self._writer.translate if "cells" in record else translate)(record)


def make_translator(run_id: UUID, *, given: TableOptions) -> BacktraderTranslator:
    """Make the translator of one run's rows."""
    return BacktraderTranslator(run_id, given=given)
