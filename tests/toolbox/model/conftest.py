"""Fixtures for tests of the model client."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from tests.agents.model_server import KEY, MODEL, ModelServer, model_server
from tests.toolbox.transports import A_TOOL
from toolbox.contract.tool import Tool
from toolbox.model import CallRequested, Message, ModelEvent, TextDelta
from toolbox.model.openai_client import ChatModel
from toolbox.model.openai_client import ModelServer as Server

QUESTION = [Message.user("How did Carolina do?")]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Run a scripted model server for one test; a request beyond the script fails the test."""
    with model_server() as running:
        yield running
        assert running.surprises == []


@pytest.fixture
def tools() -> list[Tool]:
    """Return linescore's tool that reads."""
    return [A_TOOL]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client retry at once."""
    monkeypatch.setattr("toolbox.model.openai_client.FIRST_RETRY_SECONDS", 0.0)


@pytest.fixture
async def maker(server: ModelServer) -> AsyncIterator["ModelMaker"]:
    """Yield a function that creates models on the scripted server; their connections are closed."""
    maker = ModelMaker(server)
    yield maker
    for model in maker.models:
        await model._client.close()


class ModelMaker:
    """Creates models, and keeps them to close."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self.models: list[ChatModel] = []

    def __call__(
        self, mode: str = "auto", *, silence_seconds: float = 5.0, retries: int = 2, key: str = KEY
    ) -> ChatModel:
        where = Server(base_url=self._server.address, api_key=key, silence_seconds=silence_seconds, retries=retries)
        self.models.append(ChatModel(MODEL, server=where, tool_mode=mode))  # type: ignore[arg-type]
        return self.models[-1]


async def step(
    model: ChatModel, messages: list[Message] = QUESTION, *, tools: list[Tool], max_tokens: int | None = None
) -> list[ModelEvent]:
    """Run one step and return all its events."""
    async with aclosing(model.turn(messages, tools=tools, max_tokens=max_tokens)) as events:
        return [event async for event in events]


def text(events: list[ModelEvent]) -> str:
    """Join the text."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls(events: list[ModelEvent]) -> list[tuple[str, str]]:
    """Return names and arguments of the calls."""
    return [(event.request.name, event.request.arguments) for event in events if isinstance(event, CallRequested)]
