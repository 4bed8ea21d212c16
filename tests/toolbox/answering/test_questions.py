"""
What the box answers is what the domain itself answers; what nothing covers is not answered.

The questions in tests/data/ask/questions.json were written after the scores were set; those that the scores were set by
are in tests/toolbox/examples/test_matching.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.toolbox.answering.conversation import end, hold_conversation, step
from tests.toolbox.upstream_table import upstream_table
from toolbox.answering.decision import NOT_COVERED, decide_conversation
from toolbox.answering.provider import load_answerers
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.tool import Tool
from toolbox.model import Message

pytestmark = pytest.mark.usefixtures("shipped_run_alone")

QUESTIONS: dict[str, list[Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "ask" / "questions.json").read_text(encoding="utf-8")
)
BY_TOOL = [
    pytest.param(domain, asked, id=asked["question"])
    for domain in ("linescore", "backtests", "graphql_proxy", "devassist")
    for asked in QUESTIONS[domain]
]
VOLATILE = {"runtimeMs", "runtime_ms"}


@pytest.fixture(autouse=True, scope="module")
def data(cast: object) -> Iterator[None]:
    """Use the shipped data, with teams of the league in the upstream's table."""
    with upstream_table():
        yield


async def load_tools() -> list[Tool]:
    """Return every tool there is."""
    await dynamic_tools.wait_until_loaded()
    return registry.visible_to(LOCAL_OPERATOR)


def test_there_are_enough_questions_of_each_kind() -> None:
    counts = {name: len(asked) for name, asked in QUESTIONS.items()}

    assert counts == {
        "sprints": 25, "linescore": 25, "backtests": 25, "graphql_proxy": 25, "devassist": 25, "across": 15,
        "uncovered": 25,
    }  # fmt: skip


@pytest.mark.parametrize("asked", QUESTIONS["sprints"], ids=lambda asked: asked["question"])
async def test_a_question_about_sprints_is_answered_as_the_chat_answers_it(
    asked: dict[str, str], ninja_client: httpx.AsyncClient
) -> None:
    chat = (await ninja_client.post("/api/sprints/chat", json=asked)).json()

    told = await hold_conversation(asked["question"], tools=await load_tools())

    box = told[2].answer
    assert not chat["isAmbiguous"]
    assert {name: box[name] for name in box.keys() - VOLATILE} == {name: chat[name] for name in box.keys() - VOLATILE}
    assert told[-1].text.endswith(chat["answer"])


@pytest.mark.parametrize(("domain", "asked"), BY_TOOL)
async def test_a_question_becomes_the_call_of_its_domain(domain: str, asked: dict[str, Any]) -> None:
    decision = await decide_conversation([asked["question"]], answerers=await load_answerers(await load_tools()))

    assert decision.reading
    assert decision.reading.domain == domain
    call = decision.reading.call
    assert call
    assert (call.tool, call.arguments) == (asked["tool"], asked["arguments"])


@pytest.mark.parametrize("asked", QUESTIONS["across"], ids=lambda asked: asked["said"][-1])
async def test_a_conversation_stays_with_its_domain_until_another_is_meant(asked: dict[str, Any]) -> None:
    decision = await decide_conversation(asked["said"], answerers=await load_answerers(await load_tools()))

    if choices := asked.get("choices"):
        assert [choice.question.partition(":")[0] for choice in decision.choices] == choices
    else:
        assert decision.reading
        assert (decision.reading.domain, decision.reading.understood) == (asked["domain"], asked["understood"])


@pytest.mark.parametrize("question", QUESTIONS["uncovered"])
async def test_what_nothing_covers_is_not_answered(question: str) -> None:
    events = await step([Message.user(question)], tools=await load_tools())

    told = end(events)
    assert told["outcome"] == "not_covered"
    assert any(NOT_COVERED in getattr(event, "text", "") for event in events)
