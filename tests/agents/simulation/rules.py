"""
A model of what the database's statements do to a run: the rules of toolbox/work/lease.py and agents/queries.

Each method is one commit. tests/agents/test_simulation_rules.py compares it with the real SQL.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from agents.queries.rows import ModelReply, StepRow, ToolReply
from agents.queries.steps import build_reply_steps
from toolbox.work.lease import Lease, LeaseLost

STALE_SECONDS, FORGOTTEN_SECONDS = 5.0, 5.0
LIVE = ("queued", "running", "awaiting_approval")


@dataclass
class RunRecord:
    """A run's row, with its steps, events and answers."""

    id: UUID
    conversation: int
    created_at: float
    state: str = "queued"
    attempt: int = 0
    losses: int = 0
    worker: str = ""
    heartbeat_at: float = 0.0
    enqueued_at: float = 0.0
    enqueues: int = 0
    deadline_at: float | None = None
    paused_at: float | None = None
    steps: dict[int, StepRow] = field(default_factory=dict)
    approvals: dict[int, str] = field(default_factory=dict)
    """Of approved steps whose approval is not used up: the digest that it is for."""
    events: list[tuple[int, str]] = field(default_factory=list)
    event_count: int = 0
    answers: list[str] = field(default_factory=list)


class Rules:
    """The tables of runs, and every statement that changes them."""

    def __init__(self, *, max_seconds: float) -> None:
        self.runs: dict[UUID, RunRecord] = {}
        self.now = 0.0
        self._max_seconds = max_seconds

    def post(self, run_id: UUID, *, conversation: int) -> None:
        """Queue a run."""
        run = RunRecord(id=run_id, conversation=conversation, created_at=self.now, enqueued_at=self.now)
        self.runs[run_id] = run
        self._append(run, "run.queued")

    def claim(self, run_id: UUID, *, worker: str) -> tuple[int, int] | None:
        """Claim a free run whose turn it is; returns attempt and losses."""
        run = self.runs[run_id]
        is_free = run.state == "queued" or (run.state == "running" and run.worker == worker)
        if not is_free or not self._is_ready(run):
            return None
        if run.deadline_at is None:
            run.deadline_at = self.now + self._max_seconds
        elif run.paused_at is not None:
            run.deadline_at += self.now - run.paused_at
        run.state, run.worker, run.heartbeat_at, run.enqueues = "running", worker, self.now, 0
        run.attempt += 1
        run.paused_at = None
        return run.attempt, run.losses

    def heartbeat(self, lease: Lease) -> bool:
        """Record that the worker lives; False if the lease is lost."""
        run = self._find_held(lease)
        if run:
            run.heartbeat_at = self.now
        return run is not None

    def release(self, lease: Lease) -> None:
        """Queue the run again, because its worker stops."""
        run = self._hold(lease)
        run.state, run.worker, run.enqueued_at = "queued", "", self.now
        self._append(run, "run.taken_back")

    def reclaim(self) -> list[UUID]:
        """Queue the runs of silent workers again."""
        stale = [
            run for run in self.runs.values() if run.state == "running" and run.heartbeat_at < self.now - STALE_SECONDS
        ]
        for run in stale:
            run.state, run.worker, run.enqueued_at = "queued", "", self.now
            run.losses += 1
            self._append(run, "run.taken_back")
        return [run.id for run in stale]

    def find_forgotten(self) -> list[UUID]:
        """Return queued runs that nobody claimed for a while."""
        found = []
        for run in self.runs.values():
            patience = min(FORGOTTEN_SECONDS * 2 ** min(run.enqueues, 6), 300)
            if run.state == "queued" and run.enqueued_at < self.now - patience and self._is_ready(run):
                run.enqueued_at = self.now
                run.enqueues += 1
                found.append(run.id)
        return found

    def seconds_left(self, lease: Lease) -> float:
        """Return the rest of a held run's time."""
        run = self._hold(lease)
        return (run.deadline_at or self.now) - self.now

    def load_steps(self, run_id: UUID) -> list[StepRow]:
        """Return the steps in order."""
        return [step for _, step in sorted(self.runs[run_id].steps.items())]

    def append_event(self, lease: Lease, *, kind: str) -> None:
        """Append an event under the lease."""
        self._append(self._hold(lease), kind)

    def begin_model(self, lease: Lease, *, number: int) -> None:
        """Record that the model is asked."""
        run = self._hold(lease)
        key = f"{lease.id.hex}-{number}"
        run.steps.setdefault(number, StepRow(number=number, kind="model", state="started", idempotency_key=key))
        self._append(run, "model.asked")

    def save_model_reply(self, lease: Lease, *, number: int, reply: ModelReply) -> None:
        """Save the model's reply and plan its calls."""
        run = self._hold(lease)
        if run.steps[number].state != "started":
            return
        for row in build_reply_steps(lease, number=number, reply=reply):
            if row.number == number or row.number not in run.steps:
                run.steps[row.number] = row
        self._append(run, "model.answered")

    def begin_tool(self, lease: Lease, *, step: StepRow) -> bool:
        """Record that a tool is called; uses up its approval."""
        run = self._hold(lease)
        row = run.steps[step.number]
        if row.state == "approved" and run.approvals.pop(step.number, "") != step.digest:
            return False
        if row.state not in ("planned", "started", "approved"):
            return False
        run.steps[step.number] = replace(row, state="started")
        self._append(run, "tool.called")
        return True

    def save_tool_reply(self, lease: Lease, *, step: StepRow, reply: ToolReply) -> None:
        """Save what a tool answered."""
        run = self._hold(lease)
        row = run.steps[step.number]
        if row.is_over:
            return
        run.steps[step.number] = replace(row, state=reply.state, answer=reply.answer, code=reply.code)
        self._append(run, "tool.answered")

    def pause(self, lease: Lease, *, step: StepRow) -> None:
        """Let the run wait for a person."""
        run = self._hold(lease)
        run.steps[step.number] = replace(run.steps[step.number], state="awaiting_approval")
        run.state, run.worker, run.paused_at = "awaiting_approval", "", self.now
        self._append(run, "approval.needed")

    def decide(self, run_id: UUID, *, is_approved: bool, arguments: str = "") -> bool:
        """Approve the waiting step, perhaps with other arguments, or reject it; False if none waits."""
        run = self.runs[run_id]
        waiting = next((step for step in self.load_steps(run_id) if step.state == "awaiting_approval"), None)
        if run.state != "awaiting_approval" or waiting is None:
            return False
        edited = replace(waiting, edited_arguments=arguments or waiting.edited_arguments)
        if is_approved:
            run.steps[waiting.number] = replace(edited, state="approved")
            run.approvals[waiting.number] = edited.digest
        else:
            run.steps[waiting.number] = replace(waiting, state="rejected", code="REJECTED")
        self._append(run, "approval.given" if is_approved else "approval.refused")
        run.state, run.enqueued_at, run.enqueues = "queued", self.now, 0
        return True

    def finish(self, lease: Lease, *, state: str, text: str) -> UUID | None:
        """End a run under its lease; returns the conversation's next run."""
        return self._end(self._hold(lease), state=state, text=text)

    def cancel(self, run_id: UUID) -> UUID | None:
        """End a run in any state."""
        run = self.runs[run_id]
        return self._end(run, state="cancelled", text="") if run.state in LIVE else None

    def _end(self, run: RunRecord, *, state: str, text: str) -> UUID | None:
        run.state, run.worker = state, ""
        if text:
            run.answers.append(text)
        self._append(run, "run.finished")
        others = [other for other in self.runs.values() if other.conversation == run.conversation]
        if any(other.state in ("running", "awaiting_approval") for other in others):
            return None
        following = min((other for other in others if other.state == "queued"), key=_order, default=None)
        if following is None:
            return None
        following.enqueued_at = self.now
        return following.id

    def _is_ready(self, run: RunRecord) -> bool:
        return not any(
            other.conversation == run.conversation and other.state in LIVE and _order(other) < _order(run)
            for other in self.runs.values()
        )

    def _find_held(self, lease: Lease) -> RunRecord | None:
        run = self.runs[lease.id]
        return run if run.state == "running" and run.attempt == lease.attempt else None

    def _hold(self, lease: Lease) -> RunRecord:
        run = self._find_held(lease)
        if run is None:
            raise LeaseLost
        return run

    @staticmethod
    def _append(run: RunRecord, kind: str) -> None:
        run.event_count += 1
        run.events.append((run.event_count, kind))


def _order(run: RunRecord) -> tuple[float, UUID]:
    return run.created_at, run.id


def describe(run: RunRecord) -> dict[str, Any]:
    """Return the values by which real rows are compared."""
    return {
        "state": run.state,
        "attempt": run.attempt,
        "losses": run.losses,
        "steps": [(number, step.kind, step.state, step.answer != "") for number, step in sorted(run.steps.items())],
        "events": list(run.events),
        "answers": list(run.answers),
    }


def numbers_without_gap(events: Sequence[tuple[int, str]]) -> bool:
    """Return whether event ids are 1, 2, 3 and so on."""
    return [number for number, _ in events] == list(range(1, len(events) + 1))
