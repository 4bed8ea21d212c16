"""
Loading of entries into runs, in batches; idempotent, and safe to kill at any point.

A batch is one transaction that stores its events completely: numbered, listed, linked, counted. A killed load is run
again and skips what is stored. The results of a run are built when all of it is stored.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from django.db import DatabaseError

from backtests.ingest.batch import (
    LoadMark,
    LoadState,
    Place,
    analyse,
    break_off_load,
    delete_empty_run,
    make_ready,
    place_of,
    store_batch,
    vacuum_lists,
)
from backtests.ingest.check import check
from backtests.ingest.fast_parse import read_events
from backtests.ingest.gc_settings import set_for_loading
from backtests.ingest.record import Entry, EventRow, LoggedEvent, RunFacts, Unreadable
from backtests.ingest.report import LoadReport
from backtests.ingest.row_builder import Draft, Ready
from backtests.ingest.serial_writer import BackgroundWriter, SerialWriter

logger = logging.getLogger(__name__)

_NO_NAME = object()
OnProgress = Callable[[LoadReport], None]
BATCH_EVENTS = 20_000
BATCH_BYTES = 33_554_432
MAX_LATE_EVENTS, MAX_LATE_BYTES = 60_000, 67_108_864
MAX_WAITING_EVENTS, MAX_WAITING_BYTES = 60_000, 67_108_864
"""Of all runs of a log together; past it the largest of their batches is stored before it is full."""
VACUUM_EVENTS = 160_000
"""Events of a run after which its lists are vacuumed during a load."""
WORTH_ANALYSING = 10_000
"""Events after which a load runs ANALYZE; autovacuum would do it a minute later."""


def ignore_progress(report: LoadReport) -> None:
    """Ignore progress."""


@dataclass(slots=True)
class _PendingRun:
    """
    Entries of one run that wait to be stored.

    Events before `stored_until`, the last moment of a stored batch, are late. They wait, because each batch with late
    events rewrites all lists from the first of them on. They keep their order, also within a moment. `place` is where
    the run's next event goes once the batch in progress is stored; None if the run is new. `coming` is where
    it goes if all events in progress are new. `load_key` names the load in the run's row (see LoadMark).
    """

    rows: list[EventRow] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    facts: list[RunFacts] = field(default_factory=list)
    bytes: int = 0
    last_moment: int = 0
    place: Place | None = None
    coming: int = 0
    is_begun: bool = False
    given: int = 0
    stored_until: int | None = None
    late: list[EventRow] = field(default_factory=list)
    late_bytes: int = 0
    load_key: str | None = None

    def add(self, row: EventRow) -> None:
        self.last_moment = row.moment
        if self.stored_until is None or row.moment >= self.stored_until:
            self.bytes += len(row.line)
            self.rows.append(row)
        else:
            self.late_bytes += len(row.line)
            self.late.append(row)

    def count_waiting(self) -> tuple[int, int]:
        """Return the events that wait, and their bytes."""
        return len(self.rows) + len(self.late), self.bytes + self.late_bytes

    def has_much_late(self) -> bool:
        return len(self.late) >= MAX_LATE_EVENTS or self.late_bytes >= MAX_LATE_BYTES

    def take_late(self) -> None:
        """Move the late events into the next batch."""
        self.rows, self.bytes = self.late, self.late_bytes
        self.late, self.late_bytes = [], 0

    def is_full(self) -> bool:
        return len(self.rows) + len(self.unreadable) >= BATCH_EVENTS or self.bytes >= BATCH_BYTES


class NameRunError(Exception):
    """No line names its run, and the caller names none either."""


def _name_no_run() -> UUID:
    raise NameRunError("No line names its run: give the run's id.")


def load_lines(
    lines: Iterable[bytes],
    *,
    run_id: UUID | None,
    report: LoadReport,
    on_progress: OnProgress = ignore_progress,
    overlaps: bool = False,
    facts: RunFacts | None = None,
    name_run: Callable[[], UUID] = _name_no_run,
) -> LoadReport:
    """Store lines of the contract's format; see load_entries."""
    return load_entries(
        read_events(lines), run_id=run_id, report=report, on_progress=on_progress, overlaps=overlaps, facts=facts,
        name_run=name_run,
    )  # fmt: skip


def load_entries(
    entries: Iterable[Entry],
    *,
    run_id: UUID | None,
    report: LoadReport,
    on_progress: OnProgress = ignore_progress,
    overlaps: bool = False,
    facts: RunFacts | None = None,
    name_run: Callable[[], UUID] = _name_no_run,
) -> LoadReport:
    """
    Store entries of any format, into `run_id` or, when that is None, into the run that each event names.

    With `run_id`, events that name another run go to the quarantine of this one, so that no answer mixes two runs. With
    `overlaps` a thread stores one batch while the next is read; it must not be used inside a transaction. `facts` are
    stored for each run. `name_run` returns the id of a run that nothing names. A run without an event is not created,
    and the report then names no run.
    """
    store = SerialWriter() if not overlaps else BackgroundWriter()
    loader = _Loader(run_id=run_id, report=report, on_progress=on_progress, store=store, facts=facts, name_run=name_run)
    try:
        with set_for_loading():
            for entry in entries:
                loader.take(entry)
            loader.finish()
    finally:
        store.close()
        loader.break_off()
    return report


class _Loader:
    """Collects entries into batches and stores them."""

    def __init__(
        self,
        *,
        run_id: UUID | None,
        report: LoadReport,
        on_progress: OnProgress,
        store: SerialWriter,
        facts: RunFacts | None,
        name_run: Callable[[], UUID],
    ) -> None:
        self._batches = store
        self._facts = facts
        self._name_run = name_run
        self._maybe_empty: list[UUID] = []
        self._nameless_facts: list[RunFacts] = []
        self._given = run_id
        self._report = report
        self._on_progress = on_progress
        self._pending: dict[UUID, _PendingRun] = {}
        self._last: UUID | None = run_id
        self._nameless: list[LoggedEvent | EventRow | Unreadable] = []
        self._guids: tuple[object, UUID | None] = (None, None)
        self._usual_name: object = _NO_NAME
        self._usual: tuple[UUID, _PendingRun]
        self._current: _PendingRun | None = None
        self._switches = 0
        self._is_read = False

    def take(self, entry: Entry) -> None:
        """Check one entry, and store a batch when it is full."""
        if type(entry) is EventRow and entry.run_id == self._usual_name:  # a log names its run on every line
            run_id, pending = self._usual
            pending.add(entry)
            if pending.is_full():
                self._store(run_id, pending)
            elif pending.has_much_late():
                self._store_late(run_id, pending)
        else:
            self._usual_name = _NO_NAME
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        if isinstance(entry, RunFacts):
            self._add_facts(entry)
            return
        run_id = self._run_of(entry)
        if run_id is None:
            self._nameless.append(entry)
            if len(self._nameless) >= BATCH_EVENTS:
                self._name_a_run()
            return
        if self._nameless:
            self._place_nameless()
        pending = self._get_pending(run_id)
        if pending is not self._current:
            self._current, self._switches = pending, self._switches + 1
            if self._switches % len(self._pending) == 0:  # so that counting costs the same however many runs there are
                self._limit_waiting()
        self._keep(entry, run_id=run_id, pending=pending)
        if pending.is_full():
            self._store(run_id, pending)
        elif pending.has_much_late():
            self._store_late(run_id, pending)

    def _limit_waiting(self) -> None:
        """Store the largest batches until those of all runs together are within the limits."""
        waiting = {run_id: pending.count_waiting() for run_id, pending in self._pending.items()}
        events, size = (sum(column) for column in zip(*waiting.values(), strict=True))
        for run_id in sorted(waiting, key=lambda one: waiting[one], reverse=True):
            if events <= MAX_WAITING_EVENTS and size <= MAX_WAITING_BYTES:
                return
            self._store(run_id, self._pending[run_id])
            self._store_late(run_id, self._pending[run_id])
            events, size = events - waiting[run_id][0], size - waiting[run_id][1]

    def finish(self) -> None:
        """Store the remaining entries."""
        if self._nameless:
            self._name_a_run()
        for run_id, pending in self._pending.items():
            if pending.rows or pending.is_begun or place_of(run_id) is not None:
                self._store_rest(run_id, pending)
            else:
                self._leave_out(pending)
        self._batches.wait()
        self._is_read = True
        for run_id in self._maybe_empty:
            if delete_empty_run(run_id):
                self._report.run_ids.remove(run_id)
        self._build()
        self._on_progress(self._report)

    def break_off(self) -> None:
        """Note in the runs' rows that this load has ended before its log did; nothing to note after `finish`."""
        for run_id, pending in self._pending.items():
            if pending.load_key is not None and not self._is_read:
                with suppress(DatabaseError):  # the row then says when its last batch was stored
                    break_off_load(run_id, key=pending.load_key)

    def _build(self) -> None:
        """Analyse the partitions and build the results of the runs; a failure keeps the stored events."""
        for run_id, pending in self._pending.items():
            if pending.given >= WORTH_ANALYSING and pending.place is not None:
                analyse(run_id, number=pending.place.number)
        self._batches.run_all([partial(_build_performance, run_id) for run_id in self._pending])

    def _leave_out(self, pending: _PendingRun) -> None:
        """Delete a run that has no event."""
        for line in pending.unreadable:
            self._report.refuse(line.line_number, reason=line.reason)

    def _get_pending(self, run_id: UUID) -> _PendingRun:
        pending = self._pending.get(run_id)
        if pending is None:
            facts = [*([self._facts] if self._facts else []), *self._nameless_facts]
            self._nameless_facts = []
            pending = self._pending[run_id] = _PendingRun(facts=facts)
        return pending

    def _name_a_run(self) -> None:
        """Make the id of the run that no entry names; if all these entries are unreadable, they belong to no run."""
        if all(isinstance(entry, Unreadable) for entry in self._nameless):
            self._leave_out(_PendingRun(unreadable=[one for one in self._nameless if isinstance(one, Unreadable)]))
            self._nameless = []
            return
        self._last = self._name_run()
        self._place_nameless()

    def _place_nameless(self) -> None:
        waiting, self._nameless = self._nameless, []
        for entry in waiting:
            self.take(entry)

    def _keep(self, entry: LoggedEvent | EventRow | Unreadable, *, run_id: UUID, pending: _PendingRun) -> None:
        checked = entry if isinstance(entry, Unreadable) else self._check_entry(entry, run_id=run_id, pending=pending)
        if isinstance(checked, EventRow):
            pending.add(checked)
            if checked is entry:
                self._usual_name, self._usual = checked.run_id, (run_id, pending)
        else:
            pending.bytes += len(checked.line)
            pending.unreadable.append(checked)

    def _check_entry(
        self, entry: LoggedEvent | EventRow, *, run_id: UUID, pending: _PendingRun
    ) -> EventRow | Unreadable:
        named = entry.run_id
        if self._given is not None and named is not None and self._guid(named) != self._given:
            reason = f"it is of another run: {str(named)[:60]}"
            return Unreadable(line_number=entry.line_number, line=entry.line, reason=reason)
        if isinstance(entry, EventRow):
            return entry
        return check(entry, run_id=run_id, usual_moment=pending.last_moment)

    def _run_of(self, entry: LoggedEvent | EventRow | Unreadable) -> UUID | None:
        if self._given is not None:
            return self._given
        if not isinstance(entry, Unreadable) and (named := self._guid(entry.run_id)) is not None:
            self._last = named
        return self._last

    def _guid(self, given: object) -> UUID | None:
        """Parse a run's id; the last one is cached, because a log names its run on every line."""
        if given != self._guids[0] or given is None:
            self._guids = given, _guid(given)
        return self._guids[1]

    def _add_facts(self, facts: RunFacts) -> None:
        run_id = self._given or facts.run_id or self._last
        if run_id is None:
            self._nameless_facts.append(facts)
        else:
            self._last = run_id
            self._get_pending(run_id).facts.append(facts)

    def _store(self, run_id: UUID, pending: _PendingRun, *, state: LoadState = LoadState.OPEN) -> None:
        """Submit a batch for storing; its COPY data is prepared while the previous batch is being stored."""
        rows, unreadable, facts = pending.rows, pending.unreadable, pending.facts
        is_end = state is not LoadState.OPEN and pending.load_key is not None
        if not rows and not unreadable and not facts and not is_end:
            return
        pending.rows, pending.unreadable, pending.facts, pending.bytes = [], [], [], 0
        if not rows and not pending.is_begun:
            self._maybe_empty.append(run_id)
        if rows:
            pending.load_key = pending.load_key or rows[0].event_id
            pending.given += len(rows)
            moments = [row.moment for row in rows]
            pending.stored_until = max(moments if pending.stored_until is None else [*moments, pending.stored_until])
        ready = self._ready(run_id, rows=rows, pending=pending)
        place, given = pending.place, pending.given
        mark = LoadMark(key=pending.load_key, state=state) if pending.load_key else None

        def store() -> None:
            pending.place = store_batch(
                run_id, rows=rows, unreadable=unreadable, report=self._report, place=place, ready=ready, facts=facts,
                mark=mark,
            )  # fmt: skip
            if given // VACUUM_EVENTS > (given - len(rows)) // VACUUM_EVENTS:
                vacuum_lists(pending.place.number)

        self._batches.do(store)
        self._note_run(run_id)
        self._on_progress(self._report)

    def _store_late(self, run_id: UUID, pending: _PendingRun) -> None:
        """Submit the events in order, then the late ones."""
        if pending.late:
            self._store(run_id, pending)
            pending.take_late()
            self._store(run_id, pending)

    def _store_rest(self, run_id: UUID, pending: _PendingRun) -> None:
        """Submit what is left of a run; its last batch says that the log is whole, or ended early."""
        if pending.late:
            self._store(run_id, pending)
            pending.take_late()
        state = LoadState.BROKEN_OFF if self._report.ended_early else LoadState.WHOLE
        self._store(run_id, pending, state=state)

    def _ready(self, run_id: UUID, *, rows: list[EventRow], pending: _PendingRun) -> Ready | None:
        """Draft a batch while the previous one is being stored, and finish it afterwards."""
        if not pending.is_begun:
            pending.is_begun, pending.place = True, place_of(run_id)
            pending.coming = (pending.place.event_count if pending.place else None) or 0
        drafts = rows and pending.place is not None and pending.place.event_count is not None
        draft = Draft(rows, run_id=run_id, first=pending.coming) if drafts else None
        self._batches.wait()
        first = pending.place.event_count if pending.place else None
        if first is None or not rows:
            return None
        pending.coming = first + len(rows)
        if draft is None or draft.first != first:
            draft = Draft(rows, run_id=run_id, first=first)
        return make_ready(run_id, draft=draft)

    def _note_run(self, run_id: UUID) -> None:
        if run_id not in self._report.run_ids:
            self._report.run_ids.append(run_id)


def _build_performance(run_id: UUID) -> None:
    from backtests.performance.build import FAILURES, build_performance  # noqa: PLC0415 - numpy, when needed

    try:
        build_performance(run_id)
    except FAILURES:
        logger.exception("the results of run %s are not built: manage.py build_backtest_performance", run_id)


def _guid(given: object) -> UUID | None:
    if isinstance(given, UUID):
        return given
    try:
        return UUID(given) if isinstance(given, str) else None
    except ValueError:
        return None
