"""
A worker is killed, and another stopped for a while, in every phase of a run: a third goes on from the last step.

The disaster happens once, to all phases at the same time; the tests then ask what became of each.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from tests.agents.conversation_client import (
    Observer,
    Owner,
    lock_table,
    observe_database,
    reserve_step,
)
from tests.agents.model_server import ModelServer
from tests.agents.processes import IDLE, Broker, Part, starting_worker, take_work
from tests.agents.turns import Gate, calls, says
from tests.mock_upstream import MockUpstream

pytestmark = pytest.mark.slow
TAKEOVER_SECONDS = 10
LIST, LINESCORE, WRITE = "list_backtest_runs", "query_linescore_data", "execute_graphql_mutation"
WRITTEN = '{ players(q: "written once") { edges { name } } }'
PHASES = ("waiting", "streaming", "inside", "between", "approval", "untold")


class Disaster:
    """Runs in each phase, and what was known of them at that moment."""

    def __init__(self, talk: Owner, fake_model: ModelServer, onlooker: Observer) -> None:
        self.talk, self.model, self.onlooker = talk, fake_model, onlooker
        self.runs: dict[str, UUID] = {}
        self.zombie_gate = Gate()
        self.writer = talk
        self.wake: Callable[[], None] = lambda: None

    def stream(self, phase: str, gate: Gate) -> None:
        """Bring a run to where two words are streamed."""
        self.model.when(phase, says("Words that are void.").at(gate, after=2), says(f"All of {phase}."))
        self.runs[phase] = self.talk.say(phase)
        assert gate.reached.wait(60)
        self.onlooker.until(lambda: "text" in self.kinds(phase))

    def wait(self) -> None:
        """Bring a run to where the model is asked and has answered nothing."""
        gate = Gate()
        self.model.when("waiting", says("Never said.").at(gate), says("All of waiting."))
        self.runs["waiting"] = self.talk.say("waiting")
        assert gate.reached.wait(60)

    def pause(self) -> None:
        """Bring a run to where a person is to decide."""
        self.model.when("approval", calls(LIST, {"pageSize": 2}), says("All of approval."))
        self.runs["approval"] = self.talk.say("approval", approve_tools=[LIST])
        self.onlooker.state_of(self.runs["approval"], state="awaiting_approval")

    def lock_inside(self) -> None:
        """Bring a run into a tool whose statement waits; the caller must lock the tool's table."""
        self.model.when("inside", calls(LINESCORE, {"teamCode": "CAR"}), says("All of inside."))
        self.runs["inside"] = self.talk.say("inside")
        self.onlooker.until(lambda: self.onlooker.find_waiting("linescore"))

    def begin_to_write(self, upstream: MockUpstream) -> None:
        """Bring an approved call of a writing tool to where it waits for an upstream."""
        (key,) = self.onlooker.ask("SELECT id, owner_id FROM toolbox_api_keys WHERE name = 'alice'")
        self.writer = Owner(self.talk.broker, owner_id=key["owner_id"], key_id=key["id"])
        self.model.when("writing", calls(WRITE, {"query": WRITTEN}), says("All of writing."))
        self.runs["writing"] = self.writer.say("writing")
        self.onlooker.state_of(self.runs["writing"], state="awaiting_approval")
        self.writer.approve(self.runs["writing"])
        self.onlooker.until(lambda: upstream.times(WRITTEN), about=self.runs["writing"])

    def finish_a_tool(self) -> Gate:
        """Bring a run to where it has a tool's answer and the next model answer is held by the gate."""
        gate = Gate()
        first = calls(LIST, {"pageSize": 1})
        self.model.when("between", first, calls(LIST, {"pageSize": 3}).at(gate), says("All of between."))
        self.runs["between"] = self.talk.say("between")
        assert gate.reached.wait(60)
        return gate

    def is_taken_over(self, run_id: UUID) -> bool:
        """Return whether a living worker has or had the run."""
        run = self.onlooker.run(run_id)
        return bool(run["attempt"] > run["losses"] and run["state"] != "queued")

    def kinds(self, phase: str) -> list[str]:
        """Return the kinds of a run's events."""
        return [event["kind"] for event in self.onlooker.events(self.runs[phase])]


@pytest.fixture(scope="module")
def disaster(
    cast: SimpleNamespace, environment: dict[str, str], fake_model: ModelServer, broker: Broker, mock: MockUpstream
) -> Iterator[Disaster]:
    """Make it all happen; entered when every run has ended, or its time is over."""
    with observe_database() as onlooker, ExitStack() as workers:
        came = Disaster(Owner(broker.address), fake_model, onlooker)
        stopped = workers.enter_context(starting_worker(environment, "--concurrency", "1"))
        killed, rescuer = (workers.enter_context(starting_worker(environment, *IDLE)) for _ in range(2))
        stopped.wait_for("ready.")
        came.stream("zombie", came.zombie_gate)
        take_work(killed, broker=broker.address)
        came.stream("streaming", Gate())
        came.wait()
        came.pause()
        mock.is_open.clear()
        workers.callback(mock.is_open.set)
        came.begin_to_write(mock)
        _strike(came, killed=killed, stopped=stopped)
        came.runs["untold"] = came.talk.say("untold", is_told=False)
        fake_model.when("untold", says("All of untold."))
        mock.is_open.set()
        take_work(rescuer, broker=broker.address)
        came.wake = lambda: stopped.signal(signal.SIGCONT)
        yield came


def _strike(came: Disaster, *, killed: Part, stopped: Part) -> None:
    """Bring runs to where locks hold them, kill one worker, pause the other, and release the locks."""
    gate = came.finish_a_tool()
    came.onlooker.until(lambda: came.onlooker.calls(came.runs["between"]))  # the audit's row of the first call is kept
    with lock_table("linescore_period_results"):
        came.lock_inside()
        with reserve_step(came.runs["between"], step=5):
            gate.open()
            came.onlooker.until(came.onlooker.stuck, about=came.runs["between"])
            stopped.signal(signal.SIGSTOP)
            killed.kill()


@pytest.fixture(params=[phase for phase in PHASES if phase != "approval"])
def run_id(request: pytest.FixtureRequest, disaster: Disaster) -> UUID:
    return disaster.runs[request.param]


def test_another_worker_takes_over_and_answers(disaster: Disaster, run_id: UUID) -> None:
    disaster.onlooker.until(lambda: disaster.is_taken_over(run_id), seconds=TAKEOVER_SECONDS, about=run_id)

    assert disaster.onlooker.end_of(run_id)["state"] == "succeeded"
    assert disaster.onlooker.answer(run_id).startswith("All of ")


def test_a_run_that_waits_for_approval_outlives_its_worker(disaster: Disaster) -> None:
    run_id = disaster.runs["approval"]

    disaster.talk.approve(run_id)

    assert disaster.onlooker.end_of(run_id)["state"] == "succeeded"
    disaster.onlooker.until(lambda: disaster.onlooker.calls(run_id))
    assert [call["outcome"] for call in disaster.onlooker.calls(run_id)] == ["answered"]


def test_a_write_that_may_have_been_done_is_left_to_a_person(disaster: Disaster, mock: MockUpstream) -> None:
    run_id = disaster.runs["writing"]
    disaster.onlooker.state_of(run_id, state="awaiting_approval")
    asked, times = disaster.onlooker.events(run_id)[-1], mock.times(WRITTEN)

    disaster.writer.approve(run_id)

    assert asked["kind"] == "approval.needed"
    assert "may have been done already" in asked["data"]["reason"]
    assert disaster.onlooker.end_of(run_id)["state"] == "succeeded"
    assert (times, mock.times(WRITTEN)) == (1, 2)


def test_finished_tools_are_not_called_again(disaster: Disaster) -> None:
    disaster.onlooker.end_of(disaster.runs["between"])

    steps = disaster.onlooker.steps(disaster.runs["between"])
    called = [call["request_id"] for call in disaster.onlooker.calls(disaster.runs["between"])]

    assert called.count(steps[1]["idempotency_key"]) == 1
    assert called.count(steps[3]["idempotency_key"]) <= 1  # the killed worker may not have written its row yet
    assert [step["attempt"] for step in steps] == [1, 1, 1, 1, 2]


def test_the_model_is_asked_again_only_for_the_step_that_was_lost(disaster: Disaster) -> None:
    disaster.onlooker.end_of(disaster.runs["inside"])

    assert len(disaster.model.about("inside")) == 2
    assert len(disaster.model.about("waiting")) == 2
    assert len(disaster.model.about("between")) == 3


def test_watchers_are_told_that_what_was_streamed_is_void(disaster: Disaster) -> None:
    disaster.onlooker.end_of(disaster.runs["streaming"])

    kinds = disaster.kinds("streaming")

    again = kinds.index("run.taken_back")
    assert "text" in kinds[:again]
    assert kinds[again + 1 : again + 3] == ["run.started", "model.asked"]
    text = "".join(event["data"]["text"] for event in _after(disaster, "streaming", again) if event["kind"] == "text")
    assert text == "All of streaming."


def test_a_worker_that_wakes_up_too_late_writes_nothing(disaster: Disaster) -> None:
    run_id = disaster.runs["zombie"]
    disaster.onlooker.end_of(run_id)
    before = disaster.onlooker.events(run_id)

    disaster.wake()

    assert disaster.zombie_gate.left.wait(60)  # it closes its connection to the model
    assert disaster.onlooker.events(run_id) == before
    assert disaster.onlooker.answer(run_id) == "All of zombie."


def _after(disaster: Disaster, phase: str, place: int) -> list[dict[str, Any]]:
    return disaster.onlooker.events(disaster.runs[phase])[place:]
