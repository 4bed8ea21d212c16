"""Fixtures for conversations: a scripted model, a broker, and workers that are real processes."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.agents.conversation_client import Observer, Owner, observe_database
from tests.agents.model_server import KEY, MODEL, ModelServer, model_server
from tests.agents.own_worker import Script, Scripted
from tests.agents.processes import Broker, Part, own_broker
from tests.agents.processes import worker as running_worker
from tests.conftest import server_environment
from toolbox.work.publisher import publisher


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """Run a scripted model server for one test; a request beyond the script fails the test."""
    with model_server() as running:
        yield running
        assert running.surprises == []


@pytest.fixture(scope="module")
def fake_model() -> Iterator[ModelServer]:
    """Run a scripted model server for all tests of a module."""
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def broker(cast: SimpleNamespace) -> Iterator[Broker]:
    """Run a broker for one module."""
    with own_broker() as running:
        yield running


@pytest.fixture(scope="module")
def environment(broker: Broker, fake_model: ModelServer) -> dict[str, str]:
    """Return the environment of workers: the test's database and broker, the scripted model."""
    return server_environment() | {
        "CELERY_BROKER_URL": broker.address,
        "OPENAI_BASE_URL": fake_model.address,
        "OPENAI_API_KEY": KEY,
        "AGENT_MODEL": MODEL,
    }


@pytest.fixture(scope="module")
def worker(environment: dict[str, str]) -> Iterator[Part]:
    """Run one worker for all tests of a module."""
    with running_worker(environment) as part:
        yield part


@pytest.fixture
def onlooker(cast: SimpleNamespace) -> Iterator[Observer]:
    """Connect an observer to the database."""
    with observe_database() as looking:
        yield looking


@pytest.fixture
def talk(broker: Broker) -> Owner:
    """Hold conversations as the local operator."""
    return Owner(broker.address)


@pytest.fixture
def quiet_talk(cast: SimpleNamespace) -> Owner:
    """Hold conversations as the local operator, without a broker."""
    return Owner("")


@pytest.fixture
def scripted_as(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Let the runs of this process use a script as their model, without a broker."""

    def use(*steps: Any) -> Script:
        script = Script(*steps)
        monkeypatch.setattr("agents.runs.execution.choose_model", lambda _: script)
        monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
        return script

    return use
