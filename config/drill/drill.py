"""The drill: bring runs into every phase, kill a part, and follow the runs to their end."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg

from config.drill.fake_model import PHASES, FakeModel
from config.drill.findings import FINAL_STATES, Outcome, find_violations, make_outcome, read_runs
from config.drill.journal import Journal
from config.drill.processes import DrillFailed, Fleet, Part

_CONVERSATIONS = "/api/agents/conversations"
_LOOK_SECONDS = 0.1
_OF_A_WORKER = frozenset(PHASES) - {"approval"}
"""Phases in which a worker has the run; before a person, none has."""
_RETRIED_STATUSES = (502, 503)


@dataclass(kw_only=True)
class Row:
    """One line of the table: what was killed, how many runs there were, and what went wrong."""

    disaster: str
    runs: int = 0
    seconds: float | None = None
    seconds_of: str = ""
    violations: list[str] = field(default_factory=list)
    skipped: str = ""


@dataclass(frozen=True, kw_only=True)
class _Run:
    run_id: UUID
    phase: str
    token: str
    address: str


class Drill:
    """Runs in every phase, and the ways to kill the parts under them."""

    def __init__(self, fleet: Fleet, *, model: FakeModel, journal: Journal, database_url: str, key: str) -> None:
        self.fleet, self.model, self.journal = fleet, model, journal
        self.each = 3
        self.patience_seconds = 180.0
        self._database_url = database_url
        self._web, self._port = fleet.start_web()
        self._worker = fleet.start_worker()
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{self._port}", headers=headers, timeout=30)

    def kill_worker(self) -> Row:
        """Kill the worker that holds every run; another takes over."""
        heir = self.fleet.start_worker(is_idle=True)
        with self._runs("worker killed", seconds_of="take-over") as (row, runs):
            self._worker.kill()
            row.seconds = self._time_takeover(runs, heir=heir)
        self._worker = heir
        return row

    def pause_worker(self) -> Row:
        """Pause the worker past its lease; another takes over; when the first resumes, it must write nothing."""
        heir, paused = self.fleet.start_worker(is_idle=True), self._worker
        with self._runs("worker paused", seconds_of="take-over") as (row, runs):
            paused.signal(signal.SIGSTOP)
            row.seconds = self._time_takeover(runs, heir=heir)
        before = self._read(runs)
        paused.signal(signal.SIGCONT)
        paused.stop()
        after = self._read(runs)
        row.violations += [f"{one.phase} {one.run_id}: the paused worker wrote to it" for one in runs
                           if before[one.run_id] != after[one.run_id]]  # fmt: skip
        self._worker = heir
        return row

    def kill_web(self) -> Row:
        """Kill the web process and restart it."""
        with self._runs("web killed", seconds_of="web is back", was_worker_killed=False) as (row, _):
            self._web.kill()
            started = time.monotonic()
            self._web, _ = self.fleet.start_web(port=self._port)
            row.seconds = time.monotonic() - started
        return row

    def restart(self, disaster: str, *, restart: Callable[[], object]) -> Row:
        """Restart a part that the drill did not start."""
        with self._runs(disaster, seconds_of="ready again", was_worker_killed=False) as (row, _):
            started = time.monotonic()
            restart()
            self._wait("ready", self._is_ready)
            row.seconds = time.monotonic() - started
        return row

    def queue(self, count: int) -> Row:
        """Queue many short runs on two workers: each must be executed once."""
        second = self.fleet.start_worker()
        row = Row(disaster="queue, two workers", seconds_of="all done")
        started = time.monotonic()
        runs = [self._post("queue") for _ in range(count)]
        self._settle(runs)
        row.seconds = time.monotonic() - started
        self._judge(row, runs, killed=frozenset())
        row.violations += [
            f"queue {one.run_id}: the model was asked for it {times} times" for one in runs
            if (times := self.journal.count_lines()[f"read {one.token}"]) != 1
        ]  # fmt: skip
        second.stop()
        return row

    @contextmanager
    def _runs(
        self, disaster: str, *, seconds_of: str, was_worker_killed: bool = True
    ) -> Iterator[tuple[Row, list[_Run]]]:
        """Bring runs into every phase, let the block kill a part, then follow the runs to their ends."""
        self.model.hold()
        self.journal.hold()
        try:
            runs = [self._post(phase) for phase in PHASES for _ in range(self.each)]
            self._wait("awaiting approval", lambda: self._have(runs, phases={"writing", "approval"}))
            for one in runs:
                if one.phase == "writing":
                    self._send(f"{one.address}/approve")
            self._wait("every phase", lambda: self._are_reached(runs))
            inside = frozenset(one.run_id for one in runs if one.phase == "writing" and was_worker_killed)
            row = Row(disaster=disaster, seconds_of=seconds_of)
            yield row, runs
        finally:
            self.model.release()
            self.journal.release()
        self._settle(runs)
        self._judge(row, runs, killed=inside)

    def _post(self, phase: str) -> _Run:
        token = uuid4().hex
        conversation = self._send(_CONVERSATIONS, toolkits=["drill"])["id"]
        accepted = self._send(f"{_CONVERSATIONS}/{conversation}/messages", text=f"drill {phase} {token}")
        return _Run(run_id=UUID(accepted["runId"]), phase=phase, token=token, address=accepted["run"])

    def _send(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a POST, waiting while parts are unavailable."""
        until = time.monotonic() + self.patience_seconds
        while True:
            with suppress(httpx.TransportError):
                answered = self._http.post(path, json=body)
                if answered.is_success:
                    values: dict[str, Any] = answered.json()
                    return values
                if answered.status_code not in _RETRIED_STATUSES:
                    raise DrillFailed(f"{path}: {answered.status_code} {answered.text[:500]}")
            if time.monotonic() > until:
                raise DrillFailed(f"{path} was not answered within {self.patience_seconds:g} s")
            time.sleep(_LOOK_SECONDS)

    def _read(self, runs: Sequence[_Run]) -> dict[UUID, dict[str, Any]]:
        with psycopg.connect(self._database_url, autocommit=True) as connection:
            return read_runs(connection, runs=[one.run_id for one in runs])

    def _have(self, runs: Sequence[_Run], *, phases: set[str]) -> bool:
        rows = self._read(runs)
        return all(rows[one.run_id]["state"] == "awaiting_approval" for one in runs if one.phase in phases)

    def _are_reached(self, runs: Sequence[_Run]) -> bool:
        lines = self.journal.count_lines()
        verbs = {"inside": "read", "writing": "write"}
        return all(
            lines[f"{verbs[one.phase]} {one.token}"] if one.phase in verbs else one.token in self.model.reached
            for one in runs
            if one.phase != "approval"
        )

    def _time_takeover(self, runs: Sequence[_Run], *, heir: Part) -> float:
        started = time.monotonic()
        self.fleet.take_work(heir)
        held = [one for one in runs if one.phase in _OF_A_WORKER]

        def are_taken_over() -> bool:
            rows = self._read(held)
            return all(row["losses"] and row["attempt"] > row["losses"] and row["state"] != "queued"
                       for row in rows.values())  # fmt: skip

        self._wait("take-over", are_taken_over)
        return time.monotonic() - started

    def _settle(self, runs: Sequence[_Run]) -> None:
        """
        Decide waiting approvals until every run has ended, or none has ended for long.

        What may have been done already is rejected.
        """
        until, left = time.monotonic() + self.patience_seconds, len(runs)
        while time.monotonic() < until:
            try:
                rows = self._read(runs)
            except psycopg.OperationalError:
                time.sleep(_LOOK_SECONDS)
                continue
            unfinished = sum(row["state"] not in FINAL_STATES for row in rows.values())
            if not unfinished:
                return
            if unfinished < left:
                until, left = time.monotonic() + self.patience_seconds, unfinished
            for one in runs:
                if rows[one.run_id]["state"] == "awaiting_approval":
                    self._decide(one, is_in_doubt=rows[one.run_id]["doubts"] > 0)
            time.sleep(_LOOK_SECONDS)

    def _decide(self, one: _Run, *, is_in_doubt: bool) -> None:
        with suppress(DrillFailed):  # just decided, and not claimed yet
            self._send(f"{one.address}/{'reject' if is_in_doubt else 'approve'}")

    def _judge(self, row: Row, runs: Sequence[_Run], *, killed: frozenset[UUID]) -> None:
        rows, lines = self._read(runs), self.journal.count_lines()
        outcomes: list[Outcome] = [
            make_outcome(
                rows[one.run_id], phase=one.phase, token=one.token, journal=lines,
                was_killed_inside=one.run_id in killed,
            )
            for one in runs
        ]  # fmt: skip
        row.runs = len(runs)
        row.violations += find_violations(outcomes)

    def _is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return self._http.get("/readyz").is_success
        return False

    def _wait(self, what: str, is_there: Callable[[], bool]) -> None:
        until = time.monotonic() + self.patience_seconds
        while True:
            with suppress(psycopg.OperationalError):
                if is_there():
                    return
            if time.monotonic() > until:
                raise DrillFailed(f"{what}: not within {self.patience_seconds:g} s")
            time.sleep(_LOOK_SECONDS)
