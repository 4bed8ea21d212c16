"""Messages and tools as a server wants to hear of them, in each of the ways to offer tools."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel

from toolbox.contract.tool import Tool
from toolbox.model.capabilities import Abilities, SchemaForm
from toolbox.model.messages import Message, ToolRequest
from toolbox.model.text_calls import instructions, step_schema

Request = dict[str, Any]


def step_request(messages: Sequence[Message], *, tools: Sequence[Tool], abilities: Abilities) -> Request:
    """Write the request for one step, without the model's name."""
    request: Request = {"stream_options": {"include_usage": True}} if abilities.counts_tokens else {}
    if not tools or abilities.tools == "native":
        offered = {"tools": [tool.function_schema for tool in tools]} if tools else {}
        return request | offered | {"messages": _native(messages)}
    as_json = abilities.tools == "json_schema"
    told = [Message.system(instructions(tools, with_answer_form=as_json))]
    request["messages"] = _as_text([*told, *messages])
    if as_json:
        request["response_format"] = _response_format("next_step", schema=step_schema(tools))
    return request


def shape_request(messages: Sequence[Message], *, schema: type[BaseModel], form: SchemaForm) -> Request:
    """Write the request for an answer of a shape, without the model's name."""
    written = schema.model_json_schema()
    told = "Answer with JSON and nothing else, one object that fits this JSON Schema:\n" + json.dumps(written)
    request: Request = {"messages": _as_text([*messages[:-1], Message.system(told), *messages[-1:]])}
    if form == "json_schema":
        request["response_format"] = _response_format(schema.__name__, schema=written)
    elif form == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


def characters(request: Request) -> int:
    """Count roughly what is sent, for servers that count no tokens."""
    return sum(len(str(message.get("content") or "")) for message in request["messages"])


def _response_format(name: str, *, schema: dict[str, Any]) -> Request:
    return {"type": "json_schema", "json_schema": {"name": name[:64], "schema": schema, "strict": False}}


def _native(messages: Sequence[Message]) -> list[Request]:
    return _one_system([_native_message(message) for message in messages])


def _native_message(message: Message) -> Request:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _readable(call)}}
        for call in message.calls
    ]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls}


def _readable(call: ToolRequest) -> str:
    """Give the arguments if they are a JSON object; templates of local servers fail on others, so `{}` for those."""
    with suppress(ValueError):
        if isinstance(json.loads(call.arguments), dict):
            return call.arguments
    return "{}"


def _as_text(messages: Sequence[Message]) -> list[Request]:
    """Write calls and tools' answers as text; neighbours of one role are joined, since some models want turns."""
    written: list[Request] = []
    for message in _one_system([_text_message(message) for message in messages]):
        if written and written[-1]["role"] == message["role"]:
            written[-1]["content"] += "\n\n" + message["content"]
        else:
            written.append(message)
    return written


def _text_message(message: Message) -> Request:
    if message.role == "tool":
        return {"role": "user", "content": f"ANSWER OF {message.tool or 'THE TOOL'}:\n{message.text}"}
    calls = [
        json.dumps({"tool": call.name, "parameters": json.loads(_readable(call))}, ensure_ascii=False)
        for call in message.calls
    ]
    return {"role": message.role, "content": "\n".join(filter(None, (message.text, *calls)))}


def _one_system(messages: list[Request]) -> list[Request]:
    """Join the system's messages into the first, since many templates take one, and only there."""
    said = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [message for message in messages if message["role"] != "system"]
    return [{"role": "system", "content": "\n\n".join(said)}, *others] if said else others
