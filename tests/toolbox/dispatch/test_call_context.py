"""A tool that asks for it learns who calls; a tool may answer in a dialect of its own."""

import orjson
import pytest
from pydantic import Field

from tests.toolbox.transports import A_TOOL
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import CallContext
from toolbox.contract.errors import ErrorCode, ErrorEnvelope, ToolError
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.contract.tool import Toolkit
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, Reply, dispatch

WRONG = ErrorCode("WRONG", 400, "It is wrong.")


class Ask(ToolInput):
    """A question."""

    word: str = Field(description="Any word.")


class Answer(ToolOutput):
    """Who asked what."""

    word: str = Field(description="The word.")
    who: str = Field(description="The caller.")
    owner: bool = Field(description="Whether a person owns the key.")
    upstream: str = Field(description="The key's upstream.")
    request_id: str = Field(description="The call's id.")


class Quiet(ErrorEnvelope):
    """Refusals are successes with an `error`."""

    def refusal(self, error: ToolError) -> object:
        """Return the message alone."""
        return {"error": error.message}


toolkit = Toolkit(domain="words", summary="Words.")


@toolkit.tool(example=Ask(word="hello"))
async def say_who(ask: Ask, call: CallContext) -> Answer:
    """Say who asks."""
    caller = call.caller
    return Answer(
        word=ask.word,
        who=caller.name,
        owner=caller.owner_id is not None,
        upstream=caller.default_upstream,
        request_id=call.request_id,
    )


@toolkit.tool(example=Ask(word="hello"), envelope=Quiet())
async def say_no(ask: Ask) -> Answer:
    """Refuse."""
    raise ToolError(WRONG, f"{ask.word} is wrong.", suggestion="Say another.")


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this module's tools be the catalogue."""
    catalogue = Registry()
    catalogue.register(toolkit)
    monkeypatch.setattr("toolbox.dispatch.dispatch.registry", catalogue)


def _call(tool: str, key: str) -> Reply:
    call = Call(tool=tool, arguments=b'{"word":"x"}', credential=key, transport="test", request_id="context-test")
    return event_loop.run(dispatch(call))


def test_a_tool_is_told_of_its_call(words: None, make_key) -> None:  # type: ignore[no-untyped-def]
    _, key = make_key(name="laptop", scopes=["words:read"], default_upstream="hockey")

    told = orjson.loads(_call("say_who", key).body)

    assert told == {"word": "x", "who": "laptop", "owner": True, "upstream": "hockey", "request_id": "context-test"}


def test_a_tool_may_have_a_dialect_of_its_own(words: None, make_key) -> None:  # type: ignore[no-untyped-def]
    _, key = make_key(scopes=["words:read"])

    reply = _call("say_no", key)

    assert (reply.code, orjson.loads(reply.body)) == ("WRONG", {"error": "x is wrong."})
    assert A_TOOL.envelope is not toolkit.tools[1].envelope
