"""
A number beyond every double, NaN, and a nested value in each field that a loader reads, one at a time.

The fields are those of the shipped samples and of the records below, so a column that an adapter learns to read is
tried too. Each bad value must be reported in words, or be kept as text where any text is allowed.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from backtests.ingest import engines
from backtests.ingest.check import check
from backtests.ingest.engine_layouts import OPTIONAL, REQUIRED, Layout, TableOptions, find_layout
from backtests.ingest.engine_records import read_table
from backtests.ingest.engines import find_engine, table
from backtests.ingest.engines.zipline import DAYS, FILLS, read_python
from backtests.ingest.fast_parse import read_events
from backtests.ingest.from_engine import read_engine
from backtests.ingest.record import Entry, EventRow, LoggedEvent, RunFacts, Unreadable
from backtests.ingest.source import open_unpacked
from tests.backtests.tool_calls import refuse_constant

pytestmark = pytest.mark.slow

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"
RUN = UUID("5d9ce6a2-5b0d-4c3e-9f0a-33a1f2b7c1de")
BAD = {
    "too large": "1e309", "too small": "-1e309", "not a number": "NaN", "nested": '[{"a":1e309}]',
    "an object": '{"b":{"c":[NaN]}}',
}  # fmt: skip
NUMBERS = {
    "price", "quantity", "commission", "entry_price", "exit_price", "entry_commission", "exit_commission", "equity",
    "return",
}  # fmt: skip
"""Meanings of columns that are numbers."""
TABLES = {
    kind: [role for role in (*needed, *OPTIONAL[kind]) if role in table.NAMES] for kind, needed in REQUIRED.items()
}
"""Columns of plain tables, one for each meaning."""
WRITTEN = ("datetime", "open", "high", "low", "close", "volume", "value")
"""Columns of backtrader's writer that events are made of."""
CELLS = {
    "time": "2024-01-02", "entry_time": "2024-01-02", "exit_time": "2024-01-03", "entry_price": "5", "exit_price": "6",
    "price": "5", "quantity": "10", "symbol": "ACME", "side": "Buy", "commission": "1", "reason": "stop",
    "position": "P-1", "order": "O-1", "currency": "USD", "equity": "100000", "return": "0.01",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a loader made of a source: rows, and the words of what is wrong with it."""

    rows: list[EventRow]
    words: list[str]
    facts: list[RunFacts]

    @property
    def text(self) -> str:
        return "".join(f"{row.moment} {row.properties.decode()}\n" for row in self.rows)

    def says_more_than(self, before: "Outcome") -> bool:
        return bool({*self.words} - {*before.words})

    def holds(self, bad: str) -> bool:
        """Return whether properties hold what is bad, as text."""
        return ("1e309" if "1e309" in bad else "NaN") in self.text


def judge(entries: Iterable[Entry]) -> Outcome:
    """Validate entries as a load does, and check that nothing in them is NaN or infinite."""
    rows, words, facts = [], [], []
    for entry in entries:
        checked = check(entry, run_id=RUN, usual_moment=0) if isinstance(entry, LoggedEvent) else entry
        if isinstance(checked, Unreadable):
            words.append(checked.reason)
        elif isinstance(checked, RunFacts):
            facts.append(checked)
            json.loads(json.dumps(dict(checked.parameters)), parse_constant=refuse_constant)
        else:
            rows.append(checked)
            words += [f"{problem.field}: {problem.error}" for problem in checked.problems]
            json.loads(checked.properties, parse_constant=refuse_constant)
            assert all(Decimal(number).is_finite() and isfinite(float(number)) for number in checked.numbers)
    assert all(words)
    return Outcome(rows, words, facts)


def read_sample(name: str) -> list[bytes]:
    with (SAMPLES / name).open("rb") as stream:
        return list(open_unpacked(stream).stream)


def list_tables() -> Iterator[tuple[str, str, list[bytes], Layout]]:
    """Yield the engine, name, first lines and layout of each table of the samples and of plain tables."""
    for file in sorted([*SAMPLES.glob("*.csv"), *SAMPLES.glob("*.csv.gz")]):
        lines = read_sample(file.name)[:4]
        engine = find_engine(file.name.partition("_")[0])
        header = [] if not engine.layouts or lines[0].startswith(b"=") else list(read_first(lines))
        layout = find_layout(engine.layouts, header=header)
        if layout is not None:
            yield engine.name, file.name, lines, layout
    for kind, names in TABLES.items():
        row = ",".join(CELLS[role] for role in names)
        lines = [f"{line}\n".encode() for line in (",".join(names), row, row, row)]
        yield "table", kind, lines, table.make_layout({role: role for role in names})


def read_first(lines: list[bytes]) -> dict[str, Any]:
    first = next(read_table(lines)).record
    assert isinstance(first, dict)
    return first


def list_table_cases() -> Iterator[Any]:
    for engine, name, lines, layout in list_tables():
        for column in read_first(lines):
            for what, bad in BAD.items():
                yield pytest.param(engine, lines, layout, column, bad, id=f"{name} {column} {what}")


@pytest.mark.parametrize(("engine", "lines", "layout", "column", "bad"), [*list_table_cases()])
def test_a_bad_cell_of_a_table_is_reported_or_kept_as_text(
    engine: str, lines: list[bytes], layout: Layout, column: str, bad: str
) -> None:
    role = {name: role for role, name in layout.columns.items()}.get(column, "")
    given = TableOptions(columns=layout.columns if engine == "table" else {}, symbol="ACME")
    cells = [one.record for one in read_table(lines)]
    assert isinstance(cells[1], dict)
    cells[1] |= {column: bad}
    changed = [lines[0], *(write_row(row) for row in cells)]

    before = judge(read_engine(lines, name=engine, run_id=RUN, given=given))
    after = judge(read_engine(changed, name=engine, run_id=RUN, given=given))

    if role in NUMBERS or role.endswith("time"):
        is_open_trade = role == "exit_time" and bad == "NaN"  # as pandas writes it
        assert is_open_trade or after.says_more_than(before)
    elif role in {"", *OPTIONAL[layout.kind]} and column not in layout.left_out and bad != "NaN":  # an empty cell
        assert after.holds(bad) or after.says_more_than(before)


def write_row(cells: Any) -> bytes:
    return (",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells.values()) + "\n").encode()


def list_writer_cases() -> Iterator[Any]:
    lines = read_sample("backtrader_writer.csv.gz")
    names = lines[1].decode().strip().split(",")
    for name in WRITTEN:
        for what in ("too large", "too small", "not a number"):
            yield pytest.param(names.index(name), BAD[what], id=f"{name} {what}")


@pytest.mark.parametrize(("place", "bad"), [*list_writer_cases()])
def test_a_bad_cell_of_a_writer_is_reported_or_kept_as_text(place: int, bad: str) -> None:
    lines = read_sample("backtrader_writer.csv.gz")[:5]
    cells = lines[3].decode().strip().split(",")
    cells[place] = bad
    changed = [*lines[:3], ",".join(cells).encode() + b"\n", lines[4]]

    before = judge(read_engine(lines, name="backtrader", run_id=RUN))
    after = judge(read_engine(changed, name="backtrader", run_id=RUN))

    assert after.says_more_than(before) or after.holds(bad)


def list_zipline_cases() -> Iterator[Any]:
    for column in FILLS.columns.values():
        for what, bad in BAD.items():
            yield pytest.param("transactions", column, bad, id=f"transactions {column} {what}")
    for column in ("id", "commission"):
        for what, bad in BAD.items():
            yield pytest.param("orders", column, bad, id=f"orders {column} {what}")
    for column in (*DAYS.columns.values(), "starting_cash", "transactions", "orders"):
        for what, bad in BAD.items():
            yield pytest.param("", column, bad, id=f"{column} {what}")


@pytest.mark.parametrize(("within", "column", "bad"), [*list_zipline_cases()])
def test_a_bad_value_in_a_performance_is_reported_or_kept_as_text(within: str, column: str, bad: str) -> None:
    lines = read_sample("zipline_performance.csv.gz")
    days = [one.record for one in read_table(lines)]
    day = next(one for one in days if isinstance(one, dict) and "amount" in one["transactions"])
    header = ",".join(f'"{name}"' for name in day).encode() + b"\n"
    if within:
        [*parts] = read_python(day[within])
        parts[0] |= {column: "@@"}
        changed = day | {within: repr(parts).replace("'@@'", bad.replace("NaN", "nan"))}
    else:
        changed = day | {column: bad}

    before = judge(read_engine([header, write_row(day)], name="zipline", run_id=RUN))
    after = judge(read_engine([header, write_row(changed)], name="zipline", run_id=RUN))

    if column != "commission" or within == "orders":  # a transaction's commission is that of its order
        assert after.says_more_than(before) or after.text != before.text


def list_places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a document; of an array, those of its first two elements."""
    if place:
        yield place
    if isinstance(value, dict):
        for name, part in value.items():
            yield from list_places(part, (*place, name))
    elif isinstance(value, list):
        for number, part in enumerate(value[:2]):
            yield from list_places(part, (*place, number))


def replace(document: Any, place: tuple[Any, ...], bad: str) -> bytes:
    """Write a document with the bad value, as JSON or as what Python's json module writes beyond it."""
    copied = json.loads(json.dumps(document))
    part = copied
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = "@@"
    return json.dumps(copied).replace('"@@"', bad).encode()


def shorten_result() -> Any:
    result = json.loads(b"".join(read_sample("lean_result.json")))
    result["totalPerformance"]["closedTrades"] = result["totalPerformance"]["closedTrades"][:1]
    result["orders"] = dict(list(result["orders"].items())[:2])
    values = result["charts"]["Strategy Equity"]["series"]["Equity"]
    values["values"] = values["values"][:2]
    return result


DOCUMENTS: dict[str, Any] = {
    "order events": json.loads(b"".join(read_sample("lean_order_events.json")))[1::-1], "result": shorten_result(),
}  # fmt: skip
UNREAD = {
    "0 algorithmId", "1 algorithmId", "0 orderEventId", "1 orderEventId", "0 symbol", "1 symbol", "0 quantity",
    "1 fillPrice", "1 fillQuantity", "orders 1 time", "orders 2 time", "rollingWindow",
    "totalPerformance closedTrades 0 profitLoss", "charts Strategy Equity series Equity values 0 1",
    "charts Strategy Equity series Equity values 1 1",
}  # fmt: skip
"""What no event is made of: another member is read instead of it, or none."""


def list_document_cases() -> Iterator[Any]:
    for name, document in DOCUMENTS.items():
        for place in list_places(document):
            for what, bad in BAD.items():
                yield pytest.param(document, place, bad, id=f"{name} {'.'.join(map(str, place))} {what}")


@pytest.mark.parametrize(("document", "place", "bad"), [*list_document_cases()])
def test_a_bad_value_in_a_lean_file_is_reported_or_kept_as_text(
    document: Any, place: tuple[Any, ...], bad: str
) -> None:
    before = judge(read_engine([json.dumps(document).encode()], name="lean", run_id=RUN))
    after = judge(read_engine([replace(document, place, bad)], name="lean", run_id=RUN))

    assert " ".join(map(str, place)) in UNREAD or after.says_more_than(before) or after.text != before.text


AT = 1_359_682_500_000_000_000
_SHARED = {"instrument_id": "AAPL.XNAS", "ts_event": AT, "ts_init": AT}
_ORDER = _SHARED | {"client_order_id": "O-1", "order_side": "BUY"}
RECORDS: dict[str, dict[str, Any]] = {
    "placed": _ORDER | {
        "type": "OrderInitialized", "quantity": "100", "options": {"price": "10.25"}, "event_id": str(UUID(int=1)),
    },
    "updated": _ORDER | {
        "type": "OrderUpdated", "quantity": "100", "price": "10.5", "trigger_price": "11", "event_id": str(UUID(int=2)),
    },
    "filled": _ORDER | {
        "type": "OrderFilled", "position_id": "P-1", "last_qty": "100", "last_px": "10.50", "commission": "1.25 USD",
        "event_id": str(UUID(int=3)),
    },
    "rejected": _ORDER | {
        "type": "OrderRejected", "reason": "no money", "client_order_id": "O-2", "event_id": str(UUID(int=4)),
    },
    "opened": _SHARED | {
        "type": "PositionOpened", "position_id": "P-1", "signed_qty": 100.0, "avg_px_open": 10.5, "last_px": "10.50",
        "realized_pnl": "-1.25 USD", "currency": "USD", "event_id": str(UUID(int=5)),
    },
    "account": {
        "type": "AccountState", "account_type": "MARGIN", "account_id": "A", "base_currency": "USD", "reported": True,
        "balances": [{"total": "1000", "currency": "USD", "locked": "0", "free": "1000"}], "ts_event": AT,
        "event_id": str(UUID(int=6)),
    },
    "bar": {
        "type": "Bar", "bar_type": "AAPL.XNAS-1-DAY-LAST-EXTERNAL", "open": "11", "high": "12", "low": "10",
        "close": "11.00", "volume": "7", "ts_event": AT + 10**9, "ts_init": AT + 10**9,
    },
    "quote": _SHARED | {
        "type": "QuoteTick", "bid_price": "1", "ask_price": "2", "bid_size": "3", "ask_size": "4",
    },
    "indicator": _SHARED | {"type": "IndicatorValue", "name": "EMA", "value": 7.5, "parameters": {"period": 10}},
    "risk": _SHARED | {
        "type": "RiskLimit", "risk_type": "Exposure", "threshold": 10, "current_value": 11.5, "action": "Halt",
    },
    "closed": _SHARED | {
        "type": "PositionClosed", "position_id": "P-1", "signed_qty": 0.0, "last_px": "11", "realized_pnl": "47.5 USD",
        "ts_closed": AT, "duration_ns": 5, "avg_px_close": "11", "event_id": str(UUID(int=7)),
    },
}  # fmt: skip
"""A stream in which each field that the translator reads has a value."""
NOT_READ = ("ts_init", "base_currency", "currency")
"""Fields that no event is made of here: profit names its currency itself."""


def list_record_cases() -> Iterator[Any]:
    for name, record in RECORDS.items():
        for place in list_places(record):
            for what, bad in BAD.items():
                yield pytest.param(name, place, bad, id=f"{name} {'.'.join(map(str, place))} {what}")


@pytest.mark.parametrize(("name", "place", "bad"), [*list_record_cases()])
def test_a_bad_value_in_a_stream_is_reported_or_kept_as_text(name: str, place: tuple[Any, ...], bad: str) -> None:
    lines = {one: json.dumps(record).encode() for one, record in RECORDS.items()}

    before = judge(read_engine(lines.values(), name="nautilus", run_id=RUN))
    after = judge(
        read_engine((lines | {name: replace(RECORDS[name], place, bad)}).values(), name="nautilus", run_id=RUN)
    )

    assert place[0] in NOT_READ or after.says_more_than(before) or after.holds(bad)


EVENTS: dict[str, dict[str, Any]] = {
    "TradeExecution": {
        "OrderId": str(UUID(int=8)), "SecuritySymbol": "AAPL", "Direction": "Buy", "Quantity": 1, "Price": 2.5,
        "Commission": 0, "Slippage": 0,
    },
    "OrderRejection": {
        "OrderId": str(UUID(int=8)), "SecuritySymbol": "AAPL", "RejectionReason": "no money", "RequestedQuantity": 1,
        "RequestedPrice": 2,
    },
    "IndicatorCalculation": {
        "IndicatorName": "EMA", "SecuritySymbol": "AAPL", "Value": 7.5, "Parameters": {"period": 10},
    },
    "PositionUpdate": {
        "SecuritySymbol": "AAPL", "Quantity": 1, "AveragePrice": 2.5, "UnrealizedPnL": 0.5, "RealizedPnL": 1.5,
    },
    "StateChange": {
        "StateType": "PnL", "StateBefore": {"Total": 1}, "ChangeReason": "Mark",
        "StateAfter": {"Total": 2, "Realized": 1, "Unrealized": 1},
    },
    "MarketDataEvent": {"SecuritySymbol": "AAPL", "DataType": "Candle", "Data": {"Close": 5}},
    "RiskEvent": {"RiskType": "Exposure", "Threshold": 1, "CurrentValue": 2, "Action": "Halt"},
}  # fmt: skip


def write_event(kind: str, number: int) -> dict[str, Any]:
    return {
        "EventId": str(UUID(int=number)), "RunId": str(RUN), "Timestamp": "2025-01-01T00:00:00Z", "EventType": kind,
        "Severity": "Info", "Category": "Execution", "Properties": EVENTS[kind], "ParentEventId": str(UUID(int=99)),
    }  # fmt: skip


FACTS: dict[str, Any] = {
    "RunId": str(RUN), "Name": "a", "Engine": "b", "ConfigHash": "c", "StartTime": "2025-01-01T00:00:00Z",
    "EndTime": "2025-01-02T00:00:00Z", "Sweep": "d", "Parameters": {"InitialCapital": 1000}, "Labels": ["e"],
}  # fmt: skip


def list_event_cases() -> Iterator[Any]:
    for kind in EVENTS:
        for place in list_places(write_event(kind, 1)):
            for what, bad in BAD.items():
                yield pytest.param(kind, place, bad, id=f"{kind} {'.'.join(map(str, place))} {what}")


@pytest.mark.parametrize(("kind", "place", "bad"), [*list_event_cases()])
def test_a_bad_value_in_a_logged_event_is_reported_or_kept_as_it_is(
    kind: str, place: tuple[Any, ...], bad: str
) -> None:
    known = [json.dumps(write_event(kind, number)).encode() + b"\n" for number in range(1, 4)]  # a shape is learned
    changed = replace(write_event(kind, 4), place, bad) + b"\n"

    outcome = judge(read_events([*known, changed]))

    anything_goes = place[:2] in {("Properties", "StateBefore"), ("Properties", "Parameters"), ("Properties", "Data")}
    assert outcome.words or (anything_goes and outcome.holds(bad))


def list_fact_cases() -> Iterator[Any]:
    for place in list_places(FACTS):
        for what, bad in BAD.items():
            yield pytest.param(place, bad, id=f"{'.'.join(map(str, place))} {what}")


@pytest.mark.parametrize(("place", "bad"), [*list_fact_cases()])
def test_a_bad_fact_of_a_run_is_reported_or_kept_as_text(place: tuple[Any, ...], bad: str) -> None:
    outcome = judge(read_events([replace(FACTS, place, bad) + b"\n"]))

    said = str(outcome.facts)
    assert outcome.words or "1e309" in said or "NaN" in said
