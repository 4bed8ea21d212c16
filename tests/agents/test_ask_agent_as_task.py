"""An agent's run as a task, over the real server: other workers go on with it, and its questions reach the client."""

import signal
from collections.abc import Iterator

import pytest

from tests.agents.conversation_client import Observer
from tests.agents.model_server import ModelServer
from tests.agents.processes import IDLE, Broker, Part, starting_worker, take_work, web
from tests.agents.turns import Gate, calls, says
from tests.conftest import ALICE_KEY
from tests.toolbox.task_client import TaskClient, connect_task_client

pytestmark = pytest.mark.slow


def begin_run(client: TaskClient, question: str) -> str:
    return client.begin_task("ask_agent", question=question)


@pytest.fixture(scope="module")
def client(environment: dict[str, str]) -> Iterator[TaskClient]:
    with web(environment) as (address, _), connect_task_client(address, key=ALICE_KEY) as connected:
        yield connected


@pytest.fixture(scope="module")
def workers(environment: dict[str, str], client: TaskClient) -> Iterator[tuple[Part, Part]]:
    """Start one worker at work, and one that takes none yet."""
    with starting_worker(environment) as first, starting_worker(environment, *IDLE) as second:
        first.wait_for("ready.")
        second.wait_for("ready.")
        yield first, second


def test_a_run_tells_how_far_it_is_asks_and_goes_on_with_another_worker(
    client: TaskClient, workers: tuple[Part, Part], fake_model: ModelServer, broker: Broker, onlooker: Observer
) -> None:
    leaving, staying = workers
    gate = Gate()
    arguments = {"startDate": "2025-02-01", "endDate": "2025-02-01", "source": "shipped"}
    fake_model.when(
        "Are all games", calls("ingest_linescore_games", arguments), says("All are").at(gate), says("All are")
    )

    task_id = begin_run(client, "Are all games there?")
    asked = client.wait_until(task_id, lambda task: task["status"] != "working")
    name = next(iter(asked["inputRequests"]))
    accepted = {name: {"action": "accept", "content": {"approve": True}}}
    client.request("tasks/update", about=task_id, taskId=task_id, inputResponses=accepted)
    assert gate.reached.wait(60)
    told = client.wait_until(task_id, lambda task: "statusMessage" in task)
    leaving.process.send_signal(signal.SIGTERM)
    take_work(staying, broker=broker.address)
    ended = client.wait_until(task_id, lambda task: task["status"] != "working")

    assert asked["status"] == "input_required"
    assert told["statusMessage"].endswith("asks the model")
    assert ended["status"] == "completed", ended
    assert ended["result"]["structuredContent"]["answer"] == "All are"
    assert ended["result"]["structuredContent"]["runId"] == task_id
    assert leaving.process.wait(15) == 0


def test_a_cancelled_task_ends_its_run(
    client: TaskClient, workers: tuple[Part, Part], fake_model: ModelServer, onlooker: Observer, broker: Broker
) -> None:
    gate = Gate()
    fake_model.when("Never ends", says("Well").at(gate))
    take_work(workers[1], broker=broker.address)

    task_id = begin_run(client, "Never ends")
    assert gate.reached.wait(60)
    client.request("tasks/cancel", about=task_id, taskId=task_id)
    onlooker.until(lambda: onlooker.ask("SELECT 1 FROM agents_runs WHERE id = %s AND state = 'cancelled'", task_id))

    assert client.read_task(task_id)["status"] == "cancelled"
    assert gate.left.wait(60)
