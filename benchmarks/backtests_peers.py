"""Peers with the same events: SQLite with the contract's own SQL and suitable indexes, and DuckDB."""

import math
import sqlite3
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import orjson

from benchmarks.backtests_log import Log

PAGE = 100
Work = Callable[[], object]

_SQLITE = """
CREATE TABLE Events (EventId TEXT PRIMARY KEY, RunId TEXT, Timestamp TEXT, EventType TEXT, Severity TEXT, Category TEXT,
  Properties TEXT, ParentEventId TEXT, ValidationErrors TEXT) WITHOUT ROWID;
"""
_SQLITE_INDEXES = """
CREATE INDEX by_type ON Events (RunId, EventType, Timestamp);
CREATE INDEX by_parent ON Events (ParentEventId);
CREATE INDEX by_order ON Events (RunId, json_extract(Properties, '$.OrderId'), Timestamp);
CREATE INDEX by_symbol ON Events (RunId, json_extract(Properties, '$.SecuritySymbol'), Timestamp);
ANALYZE;
"""
_AGGREGATE = """
SELECT COUNT(value), SUM(value), AVG(value), MIN(value), MAX(value), SUM(value * value) FROM (
  SELECT CAST(json_extract(Properties, '$.Quantity') AS REAL) AS value FROM Events
  WHERE RunId = ? AND EventType = 'TradeExecution' AND Timestamp BETWEEN ? AND ?)
"""
_DUCK = """
CREATE TABLE Events AS SELECT EventId, RunId, CAST(Timestamp AS TIMESTAMP) AS Timestamp, EventType, Severity, Category,
  Properties, ParentEventId
FROM read_json(?, format='newline_delimited', columns={EventId: 'UUID', RunId: 'UUID', Timestamp: 'VARCHAR',
  EventType: 'VARCHAR', Severity: 'VARCHAR', Category: 'VARCHAR', Properties: 'JSON', ParentEventId: 'UUID'})
"""
_DUCK_AGGREGATE = """
SELECT count(value), sum(value), avg(value), min(value), max(value), stddev_samp(value) FROM (
  SELECT CAST(json_extract(Properties, '$.Quantity') AS DOUBLE) AS value FROM Events
  WHERE RunId = ? AND EventType = 'TradeExecution' AND Timestamp BETWEEN ? AND ?)
"""
_DUCK_COLUMNS = """
CREATE TABLE Trades AS SELECT RunId, Timestamp, CAST(json_extract(Properties, '$.Quantity') AS DOUBLE) AS Quantity
FROM Events WHERE EventType = 'TradeExecution'
"""
_DUCK_COLUMN_AGGREGATE = """
SELECT count(Quantity), sum(Quantity), avg(Quantity), min(Quantity), max(Quantity), stddev_samp(Quantity)
FROM Trades WHERE RunId = ? AND Timestamp BETWEEN ? AND ?
"""


def sqlite_of(log: Log, *, folder: Path) -> tuple[sqlite3.Connection, float]:
    """Load the log into SQLite in one transaction, with indexes created afterwards; returns the seconds."""
    started = time.perf_counter()
    connection = sqlite3.connect(folder / f"peer_{log.events}.sqlite")
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144;")
    connection.executescript(_SQLITE)
    with connection, log.path.open("rb") as lines:
        connection.executemany("INSERT INTO Events VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", map(_row, lines))
    connection.executescript(_SQLITE_INDEXES)
    return connection, time.perf_counter() - started


def duck_of(log: Log) -> tuple[duckdb.DuckDBPyConnection, float]:
    """Load the log into DuckDB in memory; returns the seconds."""
    started = time.perf_counter()
    connection = duckdb.connect()
    connection.execute(_DUCK, [str(log.path)])
    connection.execute(_DUCK_COLUMNS)
    return connection, time.perf_counter() - started


def aggregate_works(
    log: Log, *, sqlite: sqlite3.Connection, duck: duckdb.DuckDBPyConnection, first: datetime, last: datetime
) -> Mapping[str, Work]:
    """Return each peer's query for the aggregate of traded quantities in a range."""
    run, times = str(log.run_id), (_text(first), _text(last))
    naive = (first.replace(tzinfo=None), last.replace(tzinfo=None))
    return {
        "SQLite": lambda: _deviation(sqlite.execute(_AGGREGATE, (run, *times)).fetchone()),
        "DuckDB": lambda: duck.execute(_DUCK_AGGREGATE, [run, *naive]).fetchone(),
        "DuckDB, own column": lambda: duck.execute(_DUCK_COLUMN_AGGREGATE, [run, *naive]).fetchone(),
    }


def page_works(
    log: Log, *, sqlite: sqlite3.Connection, duck: duckdb.DuckDBPyConnection, page: int
) -> Mapping[str, Work]:
    """Return each peer's query for a page of trades with its exact total."""
    run = str(log.run_id)
    words = "FROM Events WHERE RunId = ? AND EventType = 'TradeExecution'"
    rows = f"SELECT * {words} ORDER BY Timestamp LIMIT {PAGE} OFFSET {page * PAGE}"
    return {
        "SQLite": lambda: (
            sqlite.execute(f"SELECT COUNT(*) {words}", (run,)).fetchone(),
            sqlite.execute(rows, (run,)).fetchall(),
        ),
        "DuckDB": lambda: (
            duck.execute(f"SELECT COUNT(*) {words}", [run]).fetchone(),
            duck.execute(rows, [run]).fetchall(),
        ),
    }


def other_works(log: Log, *, sqlite: sqlite3.Connection, at: datetime) -> Mapping[str, Work]:
    """Return SQLite's queries for an order's events, a sequence, and the state at a moment."""
    run, moment = str(log.run_id), _text(at)
    order = """
    SELECT * FROM Events WHERE RunId = ? AND json_extract(Properties, '$.OrderId') = ? ORDER BY Timestamp LIMIT 100"""
    chain = """
    WITH RECURSIVE chain AS (SELECT *, 0 AS depth FROM Events WHERE EventId = ? UNION ALL
      SELECT e.*, c.depth + 1 FROM Events e JOIN chain c ON e.ParentEventId = c.EventId WHERE c.depth < 10)
    SELECT * FROM chain ORDER BY Timestamp"""
    latest = """
    SELECT json_extract(Properties, '$.SecuritySymbol'), json_extract(Properties, '$.IndicatorName'), MAX(Timestamp),
      Properties FROM Events WHERE RunId = ? AND EventType = ? AND Timestamp <= ? GROUP BY 1, 2"""
    return {
        "order": lambda: sqlite.execute(order, (run, log.order_id)).fetchall(),
        "sequence": lambda: sqlite.execute(chain, (log.root_event_id,)).fetchall(),
        "state": lambda: [
            sqlite.execute(latest, (run, kind, moment)).fetchall()
            for kind in ("PositionUpdate", "IndicatorCalculation")
        ],
    }


def _row(line: bytes) -> tuple[Any, ...]:
    read = orjson.loads(line)
    names = ("EventId", "RunId", "Timestamp", "EventType", "Severity", "Category")
    return (*(read[name] for name in names), orjson.dumps(read["Properties"]).decode(), read["ParentEventId"])


def _deviation(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """Compute the standard deviation, which SQLite leaves to the application."""
    count, total, *rest, squares = found
    spread = (squares - total * total / count) / (count - 1) if count > 1 else 0.0
    return (count, total, *rest, math.sqrt(max(spread, 0.0)))


def _text(moment: datetime) -> str:
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
