"""Build requests to a model server, in each of the ways to offer tools."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel

from toolbox.contract.tool import Tool
from toolbox.model.protocol import Message, RequestRejected, ToolRequest
from toolbox.model.text_calls import make_step_schema, write_tool_instructions

Request = dict[str, Any]
ToolMode = Literal["native", "json_schema", "prompt", "auto"]
_PROMPT_BYTES_A_TOKEN = 3
SchemaForm = Literal["json_schema", "json_object", "none"]


@dataclass(slots=True)
class ModelCapabilities:
    """
    What is known of one model on one server; starts with the best form and learns from refusals.

    `limit_name` is the parameter that limits an answer's length; "" if the server takes none. A mode other than auto is
    never changed.
    """

    mode: ToolMode = "auto"
    tools: Literal["native", "json_schema", "prompt"] = "native"
    schema: SchemaForm = "json_schema"
    counts_tokens: bool = True
    limit_name: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    calls_natively: bool = False

    def __post_init__(self) -> None:
        if self.mode != "auto":
            self.tools = self.mode

    def learn(self, declined: RequestRejected, *, asked: Self, with_tools: bool) -> bool:
        """
        Learn from a refusal what the server cannot do; returns whether another form of the request is left to try.

        `asked` is what was known when the request was made; another refusal may have taught more meanwhile.
        """
        if asked.counts_tokens and "stream_options" in declined.message:
            self.counts_tokens = False
            return True
        if asked.limit_name and asked.limit_name in declined.message:
            self.limit_name = "max_completion_tokens" if asked.limit_name == "max_tokens" else ""
            return True
        if not with_tools or self.mode != "auto":
            return False
        if asked.tools != self.tools:
            return True
        if self.tools == "native" and refuses_tools(declined.message):
            self.tools = "json_schema"
            return True
        if self.tools == "json_schema":
            self.tools = "prompt"
            return True
        return False

    def downgrade_schema_form(self, *, asked: SchemaForm) -> bool:
        """Switch to the next weaker way to ask for a shape after a refusal; returns False if none is left."""
        weaker: dict[SchemaForm, SchemaForm] = {"json_schema": "json_object", "json_object": "none"}
        if asked == "none":
            return False
        if asked == self.schema:
            self.schema = weaker[asked]
        return True

    def record_call(self, *, is_written: bool) -> None:
        """
        Note how the model made a call when tools were offered natively.

        A model that only ever writes calls as text gets the JSON form from then on; for one that has made native calls
        it was an exception.
        """
        if not is_written:
            self.calls_natively = True
        elif self.mode == "auto" and self.tools == "native" and not self.calls_natively:
            self.tools = "json_schema"


def make_step_request(
    messages: Sequence[Message],
    *,
    tools: Sequence[Tool],
    capabilities: ModelCapabilities,
    max_tokens: int | None = None,
) -> Request:
    """Build the request of one step, without the model's name."""
    request: Request = {"stream_options": {"include_usage": True}} if capabilities.counts_tokens else {}
    if max_tokens is not None and capabilities.limit_name:
        request[capabilities.limit_name] = max_tokens
    if not tools or capabilities.tools == "native":
        tool_fields = {"tools": [tool.function_schema for tool in tools]} if tools else {}
        return request | tool_fields | {"messages": _to_native_messages(messages)}
    as_json = capabilities.tools == "json_schema"
    told = [Message.system(write_tool_instructions(tools, with_answer_form=as_json))]
    request["messages"] = _to_text_messages([*told, *messages])
    if as_json:
        request["response_format"] = _response_format("next_step", schema=make_step_schema(tools))
    return request


def make_structured_request(messages: Sequence[Message], *, schema: type[BaseModel], form: SchemaForm) -> Request:
    """Build the request for an answer of a shape, without the model's name."""
    written = schema.model_json_schema()
    told = "Answer with JSON and nothing else, one object that fits this JSON Schema:\n" + json.dumps(written)
    request: Request = {"messages": _to_text_messages([*messages[:-1], Message.system(told), *messages[-1:]])}
    if form == "json_schema":
        request["response_format"] = _response_format(schema.__name__, schema=written)
    elif form == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


def estimate_tokens(request: Request) -> int:
    """
    Estimate the tokens of a request by its length: messages, calls, tools and the form of the answer.

    One token per three bytes is rather too many for JSON and prose in any script, so it is safe for a reservation.
    """
    text = json.dumps(request, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode("utf-8", "replace")) // _PROMPT_BYTES_A_TOKEN)


def _response_format(name: str, *, schema: dict[str, Any]) -> Request:
    return {"type": "json_schema", "json_schema": {"name": name[:64], "schema": schema, "strict": False}}


def _to_native_messages(messages: Sequence[Message]) -> list[Request]:
    return _merge_system_messages([_to_native_message(message) for message in messages])


def _to_native_message(message: Message) -> Request:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _valid_arguments(call)}}
        for call in message.calls
    ]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls}


def _valid_arguments(call: ToolRequest) -> str:
    """Return the arguments if they are a JSON object, else `{}`, because templates of local servers fail on others."""
    with suppress(ValueError):
        if isinstance(json.loads(call.arguments), dict):
            return call.arguments
    return "{}"


def _to_text_messages(messages: Sequence[Message]) -> list[Request]:
    """Write calls and tools' answers as text; joins neighbours of one role, for models that need alternation."""
    written: list[Request] = []
    for message in _merge_system_messages([_to_text_message(message) for message in messages]):
        if written and written[-1]["role"] == message["role"]:
            written[-1]["content"] += "\n\n" + message["content"]
        else:
            written.append(message)
    return written


def _to_text_message(message: Message) -> Request:
    if message.role == "tool":
        return {"role": "user", "content": f"ANSWER OF {message.tool or 'THE TOOL'}:\n{message.text}"}
    calls = [
        json.dumps({"tool": call.name, "parameters": json.loads(_valid_arguments(call))}, ensure_ascii=False)
        for call in message.calls
    ]
    return {"role": message.role, "content": "\n".join(filter(None, (message.text, *calls)))}


def _merge_system_messages(messages: list[Request]) -> list[Request]:
    """Merge system messages into one at the beginning, because many templates allow only that."""
    text = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [message for message in messages if message["role"] != "system"]
    return [{"role": "system", "content": "\n\n".join(text)}, *others] if text else others


def refuses_tools(text: str) -> bool:
    """Return whether an error text refuses tools; Ollama, vLLM, llama.cpp and routers word this differently."""
    return bool(re.search(r"\btool|function.?call", text, re.I))
