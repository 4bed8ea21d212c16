"""An agent's run as a task, over the real server: other workers go on with it, and its questions reach the client."""

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.agents.conversation_client import Observer
from tests.agents.model_server import ModelServer
from tests.agents.processes import IDLE, Broker, Part, starting_worker, take_work, web
from tests.agents.turns import Gate, calls, says
from tests.conftest import ALICE_KEY
from tests.toolbox.transports import PLAIN_HTTP

MODERN = "2026-07-28"
CAN: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"form": {}}}

pytestmark = pytest.mark.slow


class _Client:
    """A client of the 2026 protocol that knows tasks."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def asks(self, method: str, *, about: str, **params: Any) -> dict[str, Any]:
        headers = {
            "accept": "application/json, text/event-stream", "mcp-protocol-version": MODERN, "mcp-method": method,
            "mcp-name": about,
        }  # fmt: skip
        meta = {
            PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: CAN,
            CLIENT_INFO_META_KEY: {"name": "tests", "version": "1"},
        }  # fmt: skip
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        answered = self._http.post("/mcp", json=message, headers=headers).json()
        assert "result" in answered, answered
        result: dict[str, Any] = answered["result"]
        return result

    def begins(self, question: str) -> str:
        called = self.asks("tools/call", about="ask_agent", name="ask_agent", arguments={"question": question})
        assert called["resultType"] == "task", called
        return str(called["taskId"])

    def task(self, task_id: str) -> dict[str, Any]:
        return self.asks("tasks/get", about=task_id, taskId=task_id)

    def until(self, task_id: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Poll, as the protocol wants it, for 30 s at most."""
        for _ in range(300):
            if is_so(task := self.task(task_id)):
                return task
            time.sleep(0.1)
        raise TimeoutError(str(task))


@pytest.fixture(scope="module")
def client(environment: dict[str, str]) -> Iterator[_Client]:
    headers = {"Authorization": f"Bearer {ALICE_KEY}"}
    with (
        web(environment) as (address, _),
        httpx.Client(base_url=address, headers=headers, timeout=20, verify=PLAIN_HTTP) as http,
    ):
        yield _Client(http)


@pytest.fixture(scope="module")
def workers(environment: dict[str, str], client: _Client) -> Iterator[tuple[Part, Part]]:
    """Start one worker at work, and one that takes none yet."""
    with starting_worker(environment) as first, starting_worker(environment, *IDLE) as second:
        first.wait_for("ready.")
        second.wait_for("ready.")
        yield first, second


def test_a_run_tells_how_far_it_is_asks_and_goes_on_with_another_worker(
    client: _Client, workers: tuple[Part, Part], fake_model: ModelServer, broker: Broker, onlooker: Observer
) -> None:
    leaving, staying = workers
    gate = Gate()
    arguments = {"startDate": "2025-02-01", "endDate": "2025-02-01", "source": "shipped"}
    fake_model.when(
        "Are all games", calls("ingest_linescore_games", arguments), says("All are").at(gate), says("All are")
    )

    task_id = client.begins("Are all games there?")
    asked = client.until(task_id, lambda task: task["status"] != "working")
    name = next(iter(asked["inputRequests"]))
    accepted = {name: {"action": "accept", "content": {"approve": True}}}
    client.asks("tasks/update", about=task_id, taskId=task_id, inputResponses=accepted)
    assert gate.reached.wait(15)
    told = client.until(task_id, lambda task: "statusMessage" in task)
    leaving.process.send_signal(signal.SIGTERM)
    take_work(staying, broker=broker.address)
    ended = client.until(task_id, lambda task: task["status"] != "working")

    assert asked["status"] == "input_required"
    assert told["statusMessage"].endswith("asks the model")
    assert ended["status"] == "completed", ended
    assert ended["result"]["structuredContent"]["answer"] == "All are"
    assert ended["result"]["structuredContent"]["runId"] == task_id
    assert leaving.process.wait(15) == 0


def test_a_cancelled_task_ends_its_run(
    client: _Client, workers: tuple[Part, Part], fake_model: ModelServer, onlooker: Observer, broker: Broker
) -> None:
    gate = Gate()
    fake_model.when("Never ends", says("Well").at(gate))
    take_work(workers[1], broker=broker.address)

    task_id = client.begins("Never ends")
    assert gate.reached.wait(15)
    client.asks("tasks/cancel", about=task_id, taskId=task_id)
    onlooker.until(lambda: onlooker.ask("SELECT 1 FROM agents_runs WHERE id = %s AND state = 'cancelled'", task_id))

    assert client.task(task_id)["status"] == "cancelled"
    assert gate.left.wait(10)
