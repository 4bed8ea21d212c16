"""One batch of one run into the database: all of it or nothing, whatever was stored before."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import md5, sha256
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg.errors import UniqueViolation

from backtests.ingest import statements
from backtests.ingest.linking import CIRCLE, Linked, array_text, link
from backtests.ingest.parse import KEPT_OF_LINE
from backtests.ingest.record import EventRow, Unreadable
from backtests.ingest.report import LoadReport
from backtests.ingest.writing import moment_text, write_events, write_lists, write_orders
from backtests.vocabulary import EVENT_TYPES, SEVERITIES

Cursor = Any
MOST_SYMBOLS = 1000


@dataclass(slots=True)
class RunRow:
    """A run as its row says, locked while a batch is stored."""

    run_id: UUID
    number: int
    event_count: int
    malformed_count: int
    counts_by_type: dict[str, int]
    counts_by_severity: dict[str, int]
    symbols: list[str]


def store_batch(
    run_id: UUID, *, rows: list[EventRow], unreadable: list[Unreadable], report: LoadReport, trusting: bool = False
) -> bool:
    """
    Store what is new of a batch, in one transaction; the run's row is locked, so that loads of one run take turns.

    An event whose id is stored with other contents goes to the quarantine; one that is the same is counted. `trusting`
    leaves finding them to the index on ids, and looks only when that objects. Tells whether all events were new.
    """
    if trusting and len({row.event_id for row in rows}) == len(rows):
        try:
            _store_batch(run_id, rows=rows, unreadable=unreadable, report=report, looks=False)
        except UniqueViolation:
            for row in rows:  # what linking said of a batch that was not stored
                row.problems = tuple(problem for problem in row.problems if problem is not CIRCLE)
        else:
            return True
    return _store_batch(run_id, rows=rows, unreadable=unreadable, report=report, looks=True)


def _store_batch(
    run_id: UUID, *, rows: list[EventRow], unreadable: list[Unreadable], report: LoadReport, looks: bool
) -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        run = lock_run(cursor, run_id=run_id)
        looks = looks and bool(run.event_count or len({row.event_id for row in rows}) < len(rows))
        fresh, conflicts = _new_ones(cursor, run_id, rows) if looks else (rows, [])
        quarantined = _quarantine(cursor, run_id, [*unreadable, *conflicts])
        if fresh:
            _number(fresh, first=run.event_count)
            linked = link(cursor, run_id=run_id, rows=fresh)
            _store(cursor, run, rows=fresh, linked=linked)
            _count(cursor, run, rows=fresh, linked=linked)
    report.stored += len(fresh)
    report.malformed += sum(1 for row in fresh if row.problems)
    report.duplicate += len(rows) + len(unreadable) - len(fresh) - quarantined
    report.quarantined += quarantined
    for line in [*unreadable, *conflicts]:
        report.refuse(line.line_number, reason=line.reason)
    return len(fresh) == len(rows)


def lock_run(cursor: Cursor, *, run_id: UUID) -> RunRow:
    """Lock the run's row, adding it and its partitions when it is new."""
    cursor.execute(statements.LOCK_RUN, [run_id])
    found = cursor.fetchone()
    if found is None:
        cursor.execute(statements.ADD_RUN, [run_id])
        cursor.execute(statements.LOCK_RUN, [run_id])
        found = cursor.fetchone()
    number, events, malformed, *documents = found
    read = [json.loads(document) if isinstance(document, str) else document for document in documents]
    return RunRow(run_id, number, events, malformed, *read)


def analyse(run_id: UUID) -> None:
    """Tell the planner of a run's partitions: their columns that statements look for, which are short."""
    with transaction.atomic(), connection.cursor() as cursor:
        number = lock_run(cursor, run_id=run_id).number
        cursor.execute(statements.ANALYSE.format(number=number))


def _new_ones(cursor: Cursor, run_id: UUID, rows: list[EventRow]) -> tuple[list[EventRow], list[Unreadable]]:
    """Part what is new from what is stored, and from what has a stored event's id and says something else."""
    cursor.execute(statements.STORED, [run_id, array_text(row.event_id for row in rows)])
    known: dict[str, tuple[Any, ...]] = {found[0]: tuple(found[1:]) for found in cursor.fetchall()}
    fresh: list[EventRow] = []
    conflicts: list[Unreadable] = []
    for row in rows:
        before = known.get(row.event_id)
        if before is None:
            known[row.event_id] = (row,)
            fresh.append(row)
        elif _says(row) != (_says(before[0]) if len(before) == 1 else before):
            reason = f"another event has the id {row.event_id}"
            conflicts.append(Unreadable(line_number=row.line_number, line=row.line, reason=reason))
    return fresh, conflicts


def _says(row: EventRow) -> tuple[Any, ...]:
    digest = md5(row.properties, usedforsecurity=False).hexdigest()
    return (row.moment, row.event_type, row.severity, row.parent_event_id, digest)


def _number(rows: list[EventRow], *, first: int) -> None:
    for number, row in enumerate(rows, start=first):
        row.number = number


def _quarantine(cursor: Cursor, run_id: UUID, lines: Iterable[Unreadable]) -> int:
    """Keep lines that are not kept yet; gives how many are new."""
    kept = 0
    for line in lines:
        digest = sha256(line.line).hexdigest()
        values = [run_id, digest, line.line_number, line.line[:KEPT_OF_LINE], len(line.line), line.reason[:200]]
        cursor.execute(statements.QUARANTINE, values)
        kept += cursor.rowcount
    if kept:
        cursor.execute(
            "UPDATE backtests_runs SET quarantined_count = quarantined_count + %s WHERE run_id = %s", [kept, run_id]
        )
    return kept


def _store(cursor: Cursor, run: RunRow, *, rows: list[EventRow], linked: Linked) -> None:
    write_events(cursor, run_id=run.run_id, rows=rows, links=linked.links, table=f"backtests_events_{run.number}")
    ordered = sorted(rows, key=attrgetter("moment"))  # stable, and by number already
    write_lists(cursor, run_id=run.run_id, rows=ordered, linked=linked, table=f"backtests_lists_{run.number}")
    orders = f"backtests_order_states_{run.number}"
    write_orders(cursor, run_id=run.run_id, rows=ordered, first=run.event_count, table=orders)


def _count(cursor: Cursor, run: RunRow, *, rows: list[EventRow], linked: Linked) -> None:
    types, severities = Counter(run.counts_by_type), Counter(run.counts_by_severity)
    for (kind, severity), count in Counter((row.event_type, row.severity) for row in rows).items():
        types[EVENT_TYPES[kind]] += count
        severities[SEVERITIES[severity]] += count
    symbols = _symbols(run.symbols, rows=rows)
    cursor.execute(
        statements.COUNT,
        {
            "run": run.run_id,
            "event_count": run.event_count + len(rows),
            "malformed_count": run.malformed_count + sum(1 for row in rows if row.problems) + linked.newly_malformed,
            "counts_by_type": json.dumps(types),
            "counts_by_severity": json.dumps(severities),
            "symbols": json.dumps(symbols),
            "first": moment_text(min(row.moment for row in rows)),
            "last": moment_text(max(row.moment for row in rows)),
        },
    )


def _symbols(known: list[str], *, rows: list[EventRow]) -> list[str]:
    """Add the batch's symbols, in the order of their arrival, as far as there is room."""
    found = dict.fromkeys(row.symbol for row in rows if row.symbol is not None and "\x00" not in row.symbol)
    written = (symbol.encode("utf-8", "replace").decode() for symbol in found)
    return sorted([*dict.fromkeys([*known, *written])][:MOST_SYMBOLS])
