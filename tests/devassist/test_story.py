"""The story that quickstart tells: from the sample's stack trace to a root cause met before."""

import json
from contextlib import aclosing
from typing import Any

from toolbox.answering.provider import AnswererModel
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.model import CallRequested, Message, TextDelta, ToolRequest

CALLS = ["get_user_error_context", "get_code_context", "find_callers_of_function", "vector_search_db"]


async def _call_tool(made: ToolRequest) -> Message:
    """Call a tool as runs do; the sample editor state is the newest, so the operator gets it."""
    call = Call(
        tool=made.name,
        arguments=made.arguments.encode(),
        credential=LOCAL_OPERATOR,
        transport="test",
        request_id="story",
    )
    reply = await dispatch(call)
    return Message.tool_answer("fenced", request=made, answer=json.loads(reply.body), is_refusal=reply.is_refusal)


async def test_examples_lead_from_the_editor_to_a_past_root_cause(scratch_database: None, fast_client: Any) -> None:
    tools = list(registry.tools(domain="devassist"))
    messages = [Message.user("Why does the app crash?")]
    made: list[str] = []

    while messages[-1].role != "assistant" or messages[-1].calls:
        async with aclosing(AnswererModel().turn(messages, tools=tools)) as events:
            came = [event async for event in events]
        calls = tuple(event.request for event in came if isinstance(event, CallRequested))
        said = "".join(event.text for event in came if isinstance(event, TextDelta))
        messages.append(Message.assistant(said, calls=calls))
        messages += [await _call_tool(call) for call in calls]
        made += [call.name for call in calls]

    assert made == CALLS
    for told in ("NoteListFragment.kt:56, in NoteListFragment.showNotes", "NoteListFragment.refresh", "onDestroyView"):
        assert told in messages[-1].text, messages[-1].text
    assert "[missing" not in messages[-1].text
