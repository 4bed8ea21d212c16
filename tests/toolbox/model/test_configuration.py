"""The environment names a model, or none."""

import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as project

from tests.agents.model_server import KEY, MODEL, ModelServer
from tests.agents.turns import says
from tests.toolbox.model.conftest import step, text
from toolbox.model import configured_model
from toolbox.model.openai_client import ChatModel


@pytest.fixture
def configured_server(settings: Any, server: ModelServer) -> None:
    """Configure the scripted server's model."""
    settings.AGENT_MODEL, settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = MODEL, server.address, KEY


def test_nothing_set_is_no_model(settings: Any) -> None:
    settings.AGENT_MODEL = ""

    assert configured_model() is None
    assert configured_model("another") is None


async def test_the_model_that_is_named_answers(server: ModelServer, configured_server: None) -> None:
    server.when("Carolina", says("They won."))
    model = configured_model()
    assert isinstance(model, ChatModel)

    assert text(await step(model, tools=[])) == "They won."
    assert server.asked[0].body["model"] == MODEL
    await model._client.close()


def test_another_model_of_the_server_may_be_named(configured_server: None) -> None:
    another = configured_model("another")

    assert another
    assert another.name == "another"


def test_a_model_is_made_once_and_remembers(configured_server: None) -> None:
    assert configured_model() is configured_model(MODEL)


def test_the_key_is_in_no_representation(configured_server: None) -> None:
    model = configured_model()
    assert isinstance(model, ChatModel)

    assert KEY not in f"{model!r} {vars(model)!r} {vars(model._client)!r}"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"AGENT_MODEL": "x"}, "AGENT_MODEL wants OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "ftp://x"}, "OPENAI_BASE_URL"),
        ({"AGENT_TOOL_MODE": "magic"}, "AGENT_TOOL_MODE"),
    ],
)
def test_an_environment_that_cannot_be_used_ends_with_a_sentence(environment: dict[str, str], said: str) -> None:
    import os

    cleared = dict.fromkeys(("AGENT_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "AGENT_TOOL_MODE"), "")
    ended = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=project.BASE_DIR,
        env=os.environ | cleared | environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode != 0
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
