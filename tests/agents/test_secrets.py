"""No key ever reaches a log, an event, a page or an answer: not from the server, a client, a model or a tool."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from uuid import UUID

import httpx
import pytest

from tests.agents.conversation_client import Observer
from tests.agents.model_server import KEY, ModelServer
from tests.agents.processes import Part, starting_worker, web
from tests.agents.rest import RestClient, connect_person
from tests.agents.turns import calls, refuses, says

pytestmark = pytest.mark.slow
SAID = "sk" + "-canary-of-the-model-11223344556677889900aabb"


@dataclass
class Traces:
    """Everything written or shown while keys were used, by where it was."""

    found: dict[str, str] = field(default_factory=dict)
    runs: list[UUID] = field(default_factory=list)


@pytest.fixture(scope="module")
def parts(environment: dict[str, str]) -> Iterator[tuple[str, Part, Part]]:
    """Run a worker with few retries, and a web server."""
    hurried = environment | {"AGENT_MODEL_RETRIES": "0"}
    with starting_worker(hurried) as worker, web(hurried) as (address, server):
        worker.wait_for("ready.")
        yield address, server, worker


@pytest.fixture(scope="module")
def traces(parts: tuple[str, Part, Part], cast: SimpleNamespace, fake_model: ModelServer) -> Traces:
    """Use keys in every way, then collect everything that can be read anywhere."""
    address, server, worker = parts
    secrets = {"apiKey": SAID, "query": f'{{ players(q: "Bearer {cast.alice}") {{ edges {{ name }} }} }}'}
    fake_model.when("echoed", refuses(401, message=f"Incorrect API key provided: {KEY}"))
    fake_model.when("in an error", refuses(500, message=f"upstream said: Authorization: Bearer {KEY}"))
    fake_model.when("in arguments", calls("execute_graphql", secrets), says("Done."))
    came = Traces()
    with connect_person(address, key=cast.alice) as alice:
        for question in ("echoed", "in an error", "in arguments"):
            run_id = alice.say(question)
            came.runs.append(run_id)
            came.found[f"events of {question}"] = str(alice.read_events(run_id))
            came.found[f"run of {question}"] = str(alice.run(run_id))
        came.found |= _pages(address, came.runs, alice)
    came.found |= {"the worker's log": "".join(worker.log), "the server's log": "".join(server.log)}
    return came


def _pages(address: str, runs: list[UUID], alice: RestClient) -> dict[str, str]:
    """Return the admin's pages of runs and steps, as the curator sees them."""
    pages = {}
    with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as curator:
        curator.get("/admin/login/")
        login = {"username": "curator", "password": "curator", "csrfmiddlewaretoken": curator.cookies["csrftoken"]}
        assert "Log out" in curator.post("/admin/login/", data=login).text
        for name in ("run", "step", "conversation"):
            pages[f"admin list of {name}s"] = curator.get(f"/admin/agents/{name}/").text
        for run_id in runs:
            page = curator.get(f"/admin/agents/run/{run_id}/change/")
            assert page.status_code == 200
            pages[f"admin page of {run_id}"] = page.text
        pages["admin list of calls"] = curator.get("/admin/toolbox/toolcall/").text
    return pages


@pytest.mark.parametrize("secret", ["the server's key", "a person's key", "what the model said"])
def test_it_stands_nowhere(traces: Traces, cast: SimpleNamespace, secret: str) -> None:
    canary = {"the server's key": KEY, "a person's key": cast.alice, "what the model said": SAID}[secret]

    assert [place for place, text in traces.found.items() if canary in text] == []


@pytest.mark.parametrize("table", ["agents_runs", "agents_events", "agents_messages", "toolbox_tool_calls"])
def test_no_table_that_is_shown_holds_one(
    traces: Traces, onlooker: Observer, cast: SimpleNamespace, table: str
) -> None:
    rows = str(onlooker.ask(f"SELECT entry::text AS entry FROM {table} AS entry"))

    assert [canary for canary in (KEY, SAID, cast.alice) if canary in rows] == []


def test_the_failures_say_what_to_do(traces: Traces) -> None:
    assert "OPENAI_API_KEY" in traces.found["run of echoed"]
    assert "failed (500)" in traces.found["run of in an error"]


def test_what_was_looked_through_shows_the_call(traces: Traces) -> None:
    assert "execute_graphql" in traces.found["events of in arguments"]
    assert "execute_graphql" in traces.found[f"admin page of {traces.runs[-1]}"]
    assert "execute_graphql" in traces.found["admin list of steps"]
