"""Storing of one batch of one run: in one transaction, and idempotent."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from hashlib import md5, sha256
from typing import Any
from uuid import UUID

from django.db import ProgrammingError, connection, transaction
from psycopg.errors import UniqueViolation

from backtests.ingest import statements
from backtests.ingest.check import EPOCH
from backtests.ingest.copy_rows import write_events, write_lists, write_orders, write_signatures
from backtests.ingest.format_choice import LoadRefused
from backtests.ingest.links import CIRCLE, array_text, link, link_unlocked
from backtests.ingest.parse import KEPT_OF_LINE
from backtests.ingest.record import EventRow, RunFacts, SourceDigest, Unreadable
from backtests.ingest.report import LoadReport
from backtests.ingest.row_builder import Draft, Ready
from backtests.vocabulary import EVENT_TYPES, SEVERITIES

Cursor = Any
MAX_SYMBOLS = 1000


@dataclass(slots=True)
class RunRow:
    """The row of a run, locked while a batch is stored, and the time of the transaction."""

    run_id: UUID
    number: int
    event_count: int
    malformed_count: int
    time: str
    counts_by_type: dict[str, int]
    counts_by_severity: dict[str, int]
    symbols: list[str]
    open_loads: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    Where a run's next event is stored: the run's number, and its count of events.

    The count is None after a batch with duplicates: more of them may follow, and batches are not drafted ahead.
    """

    number: int
    event_count: int | None


class LoadState(Enum):
    """How far a load of a run is once a batch is stored."""

    OPEN = "more of its log is to come"
    WHOLE = "its log is stored whole"
    BROKEN_OFF = "its log ended early"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadMark:
    """
    A load as its run's row names it while the run lacks a part of its log.

    `key` is the id of the first event that the load has for the run, so a load of the same log has the same key and,
    when it is whole, closes what a killed one left open.
    """

    key: str
    state: LoadState


class RunDeletedError(LoadRefused):
    """A run was deleted while it was being loaded. The rest of its events alone would look like a run."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"The run {run_id} was deleted while it was being loaded. Load it again from its beginning.")


def place_of(run_id: UUID) -> Place | None:
    """Fetch where a run's next event is stored; None if the run does not exist."""
    with connection.cursor() as cursor:
        cursor.execute(statements.PLACE, [run_id])
        found = cursor.fetchone()
    return None if found is None else Place(number=found[0], event_count=found[1])


def make_ready(run_id: UUID, *, draft: Draft) -> Ready | None:
    """Finish a draft; return None if that needs the run's lock."""
    if len({row.event_id for row in draft.rows}) < len(draft.rows):
        return None
    with connection.cursor() as cursor:
        linked = link_unlocked(cursor, run_id=run_id, rows=draft.rows)
    return None if linked is None else draft.ready(linked)


def store_batch(
    run_id: UUID,
    *,
    rows: list[EventRow],
    unreadable: list[Unreadable],
    report: LoadReport,
    place: Place | None = None,
    ready: Ready | None = None,
    facts: Sequence[RunFacts] = (),
    mark: LoadMark | None = None,
) -> Place:
    """
    Store the new events of a batch in one transaction; a lock on the run's row serializes loads of one run.

    An event whose id is stored with other contents goes to the quarantine; an identical one counts as a duplicate.
    `place` is None for a run that the load has not seen yet. `ready` has the rows prepared for `place`, assuming that
    all are new. If the run has changed since, or the unique index on ids fails, the rows are compared with the stored
    ones. `mark` is written with the events. Returns the run's next place. Raises RunDeletedError.
    """
    if ready is not None and place is not None:
        try:
            after = _store_ready(
                run_id, ready=ready, place=place, unreadable=unreadable, report=report, facts=facts, mark=mark
            )  # fmt: skip
        except UniqueViolation:
            after = None
        if after is not None:
            return after
        for row in rows:  # problems that linking added to a batch that was not stored
            row.problems = tuple(problem for problem in row.problems if problem is not CIRCLE)
    return _store_looked_at(
        run_id, rows=rows, unreadable=unreadable, report=report, facts=facts, place=place, mark=mark
    )


def _store_ready(
    run_id: UUID,
    *,
    ready: Ready,
    place: Place,
    unreadable: list[Unreadable],
    report: LoadReport,
    facts: Sequence[RunFacts],
    mark: LoadMark | None,
) -> Place | None:
    with transaction.atomic(), connection.cursor() as cursor:
        run = lock_run(cursor, run_id=run_id, number=place.number)
        if run.event_count != place.event_count:
            return None
        _write_facts(cursor, run_id=run_id, facts=facts)
        quarantined = _quarantine(cursor, run_id, unreadable)
        _store(cursor, run, ready)
        _mark_load(run, mark=mark)
        _count(cursor, run, ready)
    _update_report(report, ready=ready, lines=unreadable, given=ready.amount + len(unreadable), quarantined=quarantined)
    return Place(number=run.number, event_count=run.event_count + ready.amount)


def _store_looked_at(
    run_id: UUID,
    *,
    rows: list[EventRow],
    unreadable: list[Unreadable],
    report: LoadReport,
    facts: Sequence[RunFacts],
    place: Place | None,
    mark: LoadMark | None,
) -> Place:
    with transaction.atomic(), connection.cursor() as cursor:
        run = lock_run(cursor, run_id=run_id, number=place.number if place else None)
        _write_facts(cursor, run_id=run_id, facts=facts)
        looks = run.event_count or len({row.event_id for row in rows}) < len(rows)
        fresh, conflicts = _new_ones(cursor, run_id, rows) if looks else (rows, [])
        lines = [*unreadable, *conflicts]
        quarantined = _quarantine(cursor, run_id, lines)
        ready = None
        if fresh:
            draft = Draft(fresh, run_id=run_id, first=run.event_count)
            ready = draft.ready(link(cursor, run_id=run_id, rows=fresh))
            _store(cursor, run, ready)
            _mark_load(run, mark=mark)
            _count(cursor, run, ready)
        elif mark is not None and mark.key in run.open_loads:
            _mark_load(run, mark=mark)
            cursor.execute(statements.WRITE_OPEN_LOADS, [json.dumps(run.open_loads), run_id])
    _update_report(report, ready=ready, lines=lines, given=len(rows) + len(unreadable), quarantined=quarantined)
    all_new = len(fresh) == len(rows)
    return Place(number=run.number, event_count=run.event_count + len(fresh) if all_new else None)


def _update_report(
    report: LoadReport, *, ready: Ready | None, lines: list[Unreadable], given: int, quarantined: int
) -> None:
    stored = ready.amount if ready else 0
    report.stored += stored
    report.malformed += ready.malformed_rows if ready else 0
    report.duplicate += given - stored - quarantined
    report.quarantined += quarantined
    for line in lines:
        report.refuse(line.line_number, reason=line.reason)


def lock_run(cursor: Cursor, *, run_id: UUID, number: int | None) -> RunRow:
    """
    Lock the run's row. Without a number, the row and its partitions are added if there are none.

    Raises RunDeletedError if the run of this number is gone, even if the id has another run by now.
    """
    found = None
    if number is not None:
        cursor.execute(statements.LOCK_RUN, [run_id])
        found = cursor.fetchone()
        if found is None or found[0] != number:
            raise RunDeletedError(run_id)
    while found is None:  # a run that another session adds or deletes meanwhile is looked for again
        cursor.execute(statements.ADD_RUN, [run_id])
        found = cursor.fetchone()
        if found is None:
            cursor.execute(statements.LOCK_RUN, [run_id])
            found = cursor.fetchone()
    number, events, malformed, time, *documents = found
    read = [json.loads(document) if isinstance(document, str) else document for document in documents]
    return RunRow(run_id, number, events, malformed, time, *read)


def source_of(run_id: UUID) -> SourceDigest | None:
    """Fetch the digest of what an engine's run was loaded from; None if unknown."""
    with connection.cursor() as cursor:
        cursor.execute(statements.SOURCE, [run_id])
        found = cursor.fetchone()
    return SourceDigest(size_bytes=found[0], sha256=found[1]) if found and found[1] else None


def delete_empty_run(run_id: UUID) -> bool:
    """Delete a run if it has no event; return whether a row was deleted."""
    with connection.cursor() as cursor:
        cursor.execute(statements.DELETE_EMPTY_RUN, [run_id])
        return bool(cursor.rowcount)


def break_off_load(run_id: UUID, *, key: str) -> None:
    """Note that a load has ended before its log did."""
    with connection.cursor() as cursor:
        cursor.execute(statements.BREAK_OFF_LOAD, {"run": run_id, "load": key})


def _mark_load(run: RunRow, *, mark: LoadMark | None) -> None:
    """Note the load in the run's row while the run lacks a part of its log."""
    if mark is None:
        return
    if mark.state is LoadState.WHOLE:
        run.open_loads.pop(mark.key, None)
    else:
        run.open_loads[mark.key] = {"stored_at": run.time, "is_over": mark.state is LoadState.BROKEN_OFF}


def _write_facts(cursor: Cursor, *, run_id: UUID, facts: Iterable[RunFacts]) -> None:
    """Write the run's facts to its row."""
    for one in facts:
        values = {
            "run": run_id,
            "name": one.name,
            "engine": one.engine,
            "config_hash": one.config_hash[:64] if one.config_hash else None,
            "started_at": one.started_at,
            "ended_at": one.ended_at,
            "sweep": one.sweep,
            "parameters": json.dumps(dict(one.parameters)),
            "labels": json.dumps(list(one.labels)),
            "source_bytes": one.source.size_bytes if one.source else None,
            "source_sha256": one.source.sha256 if one.source else None,
            "details": json.dumps(dict(one.details)),
        }
        cursor.execute(statements.UPDATE_FACTS, values)


def analyse(run_id: UUID, *, number: int) -> None:
    """Analyse a run's partitions, only the short columns that statements filter by. Raises RunDeletedError."""
    with transaction.atomic(), connection.cursor() as cursor:
        lock_run(cursor, run_id=run_id, number=number)
        cursor.execute(statements.ROUGHLY)
        cursor.execute(statements.ANALYSE.format(number=number))


def vacuum_lists(number: int) -> None:
    """Free the space of rewritten chunks of lists. Does nothing inside a transaction, where it is not allowed."""
    if connection.in_atomic_block:
        return
    with suppress(ProgrammingError), connection.cursor() as cursor:  # a deleted run ends the load at its next batch
        cursor.execute(statements.VACUUM_LISTS.format(number=number))


def _new_ones(cursor: Cursor, run_id: UUID, rows: list[EventRow]) -> tuple[list[EventRow], list[Unreadable]]:
    """Split rows into new events, stored ones, and those with a stored event's id but other contents."""
    cursor.execute(statements.STORED, [run_id, array_text(row.event_id for row in rows)])
    known: dict[str, tuple[Any, ...]] = {found[0]: tuple(found[1:]) for found in cursor.fetchall()}
    fresh: list[EventRow] = []
    conflicts: list[Unreadable] = []
    for row in rows:
        before = known.get(row.event_id)
        if before is None:
            known[row.event_id] = (row,)
            fresh.append(row)
        elif _get_contents(row) != (_get_contents(before[0]) if len(before) == 1 else before):
            reason = f"another event has the id {row.event_id}"
            conflicts.append(Unreadable(line_number=row.line_number, line=row.line, reason=reason))
    return fresh, conflicts


def _get_contents(row: EventRow) -> tuple[Any, ...]:
    digest = md5(row.properties, usedforsecurity=False).hexdigest()
    return (row.moment, row.event_type, row.severity, row.parent_event_id, digest)


def _quarantine(cursor: Cursor, run_id: UUID, lines: Iterable[Unreadable]) -> int:
    """Store lines that are not quarantined yet; return how many are new."""
    new = 0
    for line in lines:
        digest = sha256(line.line).hexdigest()
        values = [run_id, digest, line.line_number, line.line[:KEPT_OF_LINE], len(line.line), line.reason[:200]]
        cursor.execute(statements.QUARANTINE, values)
        new += cursor.rowcount
    if new:
        cursor.execute(
            "UPDATE backtests_runs SET quarantined_count = quarantined_count + %s WHERE run_id = %s", [new, run_id]
        )
    return new


def _store(cursor: Cursor, run: RunRow, ready: Ready) -> None:
    write_events(cursor, ready=ready, table=f"backtests_events_{run.number}")
    write_lists(cursor, ready=ready, run_id=run.run_id, table=f"backtests_lists_{run.number}")
    write_orders(cursor, ready=ready, run_id=run.run_id, table=f"backtests_order_states_{run.number}")
    write_signatures(cursor, ready=ready, run_id=run.run_id)


def _count(cursor: Cursor, run: RunRow, ready: Ready) -> None:
    types, severities = Counter(run.counts_by_type), Counter(run.counts_by_severity)
    for (kind, severity), count in ready.kinds.items():
        types[EVENT_TYPES[kind]] += count
        severities[SEVERITIES[severity]] += count
    first, last = ready.span
    cursor.execute(
        statements.COUNT,
        {
            "run": run.run_id,
            "event_count": run.event_count + ready.amount,
            "malformed_count": run.malformed_count + ready.malformed_rows + ready.newly_malformed,
            "counts_by_type": json.dumps(types),
            "counts_by_severity": json.dumps(severities),
            "symbols": json.dumps(sorted([*dict.fromkeys([*run.symbols, *ready.symbols])][:MAX_SYMBOLS])),
            "first": _moment_text(first),
            "last": _moment_text(last),
            "open_loads": json.dumps(run.open_loads),
        },
    )


def _moment_text(moment: int) -> str:
    """Format microseconds since 1970 as a PostgreSQL timestamp."""
    return (EPOCH + timedelta(microseconds=moment)).isoformat()
