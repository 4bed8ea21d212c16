"""Cancelling takes effect at once in every phase, over REST, with a real worker."""

from collections.abc import Iterator
from types import SimpleNamespace
from uuid import UUID

import pytest

from tests.agents.conversation_client import Observer, lock_table
from tests.agents.model_server import ModelServer
from tests.agents.processes import starting_worker, web
from tests.agents.rest import RestClient, connect_person
from tests.agents.turns import Gate, calls, says

pytestmark = pytest.mark.slow
AT_ONCE_SECONDS = 30
"""A second is asked for; a busy machine gets more. What is not cancelled goes on until the test lets it."""


@pytest.fixture(scope="module")
def alice(environment: dict[str, str], cast: SimpleNamespace) -> Iterator[RestClient]:
    """Return alice's client of a web server for this module, with a worker."""
    with starting_worker(environment) as worker, web(environment) as (address, _):
        worker.wait_for("ready.")
        with connect_person(address, key=cast.alice) as person:
            yield person


def _is_cancelled(alice: RestClient, run_id: UUID) -> bool:
    assert alice.do("cancel", run_id).json() == {"state": "cancelled"}
    return bool(alice.read_events(run_id)[-1]["data"]["state"] == "cancelled")


def test_while_it_waits_for_its_turn(alice: RestClient, fake_model: ModelServer) -> None:
    gate = Gate()
    fake_model.when("first", says("First.").at(gate))
    conversation = alice.begin()
    first, second = alice.say("first", to=conversation), alice.say("second", to=conversation)
    assert gate.reached.wait(60)

    assert _is_cancelled(alice, second)

    gate.open()
    assert alice.read_events(first)[-1]["data"]["state"] == "succeeded"
    assert not fake_model.about("second")


@pytest.mark.parametrize("after", [None, 2], ids=["waiting on the model", "streaming"])
def test_while_the_model_is_asked(alice: RestClient, fake_model: ModelServer, after: int | None) -> None:
    gate = Gate()
    fake_model.when(f"gate {after}", says("Words nobody wants any more.").at(gate, after=after))
    run_id = alice.say(f"gate {after}")
    assert gate.reached.wait(60)

    assert _is_cancelled(alice, run_id)

    assert gate.left.wait(AT_ONCE_SECONDS)


def test_inside_a_tool(alice: RestClient, fake_model: ModelServer, onlooker: Observer) -> None:
    fake_model.when("inside", calls("query_linescore_data", {"teamCode": "CAR"}))
    with lock_table("linescore_period_results"):
        run_id = alice.say("inside")
        onlooker.until(lambda: onlooker.find_waiting("linescore"))

        assert _is_cancelled(alice, run_id)

        onlooker.until(lambda: not onlooker.find_waiting("linescore"), seconds=AT_ONCE_SECONDS)
    onlooker.until(lambda: [call["outcome"] for call in onlooker.calls(run_id)] == ["cancelled"])


def test_while_it_awaits_approval(alice: RestClient, fake_model: ModelServer, onlooker: Observer) -> None:
    fake_model.when("approval", calls("list_backtest_runs", {}))
    run_id = alice.say("approval", approveTools=["list_backtest_runs"])
    onlooker.state_of(run_id, state="awaiting_approval")

    assert _is_cancelled(alice, run_id)

    assert alice.do("approve", run_id).status_code == 409


def test_what_was_over_stays_so(alice: RestClient, fake_model: ModelServer) -> None:
    fake_model.when("over", says("It is over."))
    run_id = alice.say("over")
    alice.read_events(run_id)

    assert alice.do("cancel", run_id).status_code == 409
    assert alice.run(run_id)["state"] == "succeeded"
