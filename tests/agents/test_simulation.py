"""Runs survive what workers, brokers and connections do to them: thousands of seeded histories in virtual time."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest

from agents.runs import execution
from tests.agents.simulation.rules import Rules, RunRecord
from tests.agents.simulation.world import simulate
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.work.lease import Lease

MANY = 10_000
PIECES = 20


@pytest.mark.parametrize("seed", range(25))
def test_no_history_breaks_a_promise(seed: int) -> None:
    assert simulate(seed).problems == []


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_no_history_of_many_breaks_a_promise(piece: int) -> None:
    for seed in range(1_000 + piece * MANY // PIECES, 1_000 + (piece + 1) * MANY // PIECES):
        assert (seed, simulate(seed).problems) == (seed, [])


def test_one_seed_is_one_history() -> None:
    assert simulate(7).history == simulate(7).history
    assert simulate(7).history != simulate(8).history


def test_histories_meet_what_they_are_about() -> None:
    told = "\n".join(line for seed in range(25) for line in simulate(seed).history)

    for event in (
        "lease lost",
        "release",
        "reclaim: [UUID",
        "find forgotten: [UUID",
        "decide: True",
        "cancel: ",
        "effect of write",
        "pause",
        "finish failed",
    ):
        assert event in told, event


class WithoutFence(Rules):
    """A worker that lost its lease continues to write."""

    def _find_held(self, lease: Lease) -> RunRecord | None:
        run = self.runs[lease.id]
        return run if run.state == "running" else None


class WithoutFenceAtTheEnd(Rules):
    """A worker that lost its lease still ends the run."""

    def finish(self, lease: Lease, *, state: str, text: str) -> UUID | None:
        return self._end(self.runs[lease.id], state=state, text=text)


class WithoutPatience(Rules):
    """The sweep does not enqueue work that the broker lost."""

    def find_forgotten(self) -> list[UUID]:
        return []


class WithUncountedEvents(Rules):
    """The event of a cancellation takes its number without increasing the count."""

    def cancel(self, run_id: UUID) -> UUID | None:
        following = super().cancel(run_id)
        run = self.runs[run_id]
        if run.events[-1][1] == "run.finished":
            run.events[-1] = (run.event_count - 1, "run.finished")
        return following


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (WithoutFence, "by an attempt that had lost it"),
        (WithoutFenceAtTheEnd, "by an attempt that had lost it"),
        (WithoutPatience, "never ended"),
        (WithUncountedEvents, "gap"),
    ],
)
def test_planted_faults_of_the_database_are_found(rules: type[Rules], said: str) -> None:
    assert any(said in problem for problem in _problems(rules))


def test_a_planted_fault_of_the_policy_is_found() -> None:
    with patch("agents.runs.execution._may_repeat", lambda _: True):
        assert any("wrote 2 times" in problem for problem in _problems(Rules))


def test_a_planted_fault_of_the_engine_is_found() -> None:
    once = execution.Attempt._use_tool

    async def insist(attempt: Any, step: Any, *, caller: Any) -> None:
        try:
            await once(attempt, step, caller=caller)
        except DatabaseUnavailable:
            await once(attempt, step, caller=caller)

    with patch.object(execution.Attempt, "_use_tool", insist):
        assert any("wrote 2 times" in problem for problem in _problems(Rules))


def _problems(rules: type[Rules]) -> Iterator[str]:
    for seed in range(150):
        yield from simulate(seed, rules=rules).problems
