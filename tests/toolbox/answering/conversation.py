"""Conversations with the provider that needs no model; its tools are called as runs call them."""

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from toolbox.answering.provider import AnswererModel
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.tool import Tool
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.model import CallRequested, Message, ModelEvent, StepEnd, TextDelta, ToolRequest


async def step(messages: Sequence[Message], *, tools: Sequence[Tool]) -> list[ModelEvent]:
    """Run one step."""
    async with aclosing(AnswererModel().turn(messages, tools=tools)) as events:
        return [event async for event in events]


def text(events: Sequence[ModelEvent]) -> str:
    """Join the text."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def request(events: Sequence[ModelEvent]) -> ToolRequest:
    """Return the only call."""
    (made,) = [event.request for event in events if isinstance(event, CallRequested)]
    return made


def end(events: Sequence[ModelEvent]) -> Mapping[str, Any]:
    """Return the details of the step's end."""
    (last,) = [event.details for event in events if isinstance(event, StepEnd)]
    assert last is not None
    return last


async def hold_conversation(*said: str, tools: Sequence[Tool]) -> list[Message]:
    """Hold a whole conversation with tool calls, and return its messages."""
    messages: list[Message] = []
    for words in said:
        messages.append(Message.user(words))
        while messages[-1].role != "assistant" or messages[-1].calls:
            events = await step(messages, tools=tools)
            calls = tuple(event.request for event in events if isinstance(event, CallRequested))
            messages.append(Message.assistant(text(events), calls=calls))
            messages += [await call_tool(call) for call in calls]
    return messages


async def call_tool(made: ToolRequest) -> Message:
    """Call a tool as runs do."""
    sent = made.arguments.encode()
    reply = await dispatch(
        Call(tool=made.name, arguments=sent, credential=LOCAL_OPERATOR, transport="test", request_id="provider")
    )
    body = json.loads(reply.body)
    return Message.tool_answer("fenced", request=made, answer=body, is_refusal=reply.is_refusal)
