"""A worker that is asked to end, as every deployment does, hands its runs over and ends at once."""

import signal
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.agents.conversation_client import Observer, Owner, lock_table
from tests.agents.model_server import ModelServer
from tests.agents.processes import IDLE, Broker, Part, starting_worker, take_work
from tests.agents.turns import Gate, calls, says

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workers(environment: dict[str, str], cast: SimpleNamespace) -> Iterator[tuple[Part, Part]]:
    """Start one worker that takes work, and an idle one."""
    with starting_worker(environment) as first, starting_worker(environment, *IDLE) as second:
        first.wait_for("ready.")
        second.wait_for("ready.")
        yield first, second


def test_its_runs_go_on_elsewhere(
    workers: tuple[Part, Part],
    fake_model: ModelServer,
    talk: Owner,
    onlooker: Observer,
    broker: Broker,
) -> None:
    leaving, staying = workers
    gate = Gate()
    fake_model.when("streamed", says("Words that are void.").at(gate, after=2), says("All of it."))
    fake_model.when("called", calls("query_linescore_data", {"teamCode": "CAR"}), says("Called once."))
    streamed = talk.say("streamed")
    assert gate.reached.wait(60)
    with lock_table("linescore_period_results"):
        called = talk.say("called")
        onlooker.until(lambda: onlooker.find_waiting("linescore"))
        leaving.process.send_signal(signal.SIGTERM)
        take_work(staying, broker=broker.address)
        assert onlooker.end_of(streamed)["state"] == "succeeded"

    assert onlooker.end_of(called)["state"] == "succeeded"
    assert leaving.process.wait(15) == 0
    assert onlooker.answer(streamed) == "All of it."
    assert [onlooker.run(run_id)["losses"] for run_id in (streamed, called)] == [0, 0]
    onlooker.until(lambda: onlooker.calls(called))
    assert len(onlooker.calls(called)) == 1
