"""The scripted model server's protocol: HTTP/1.1, and Chat Completions whole or in chunks."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tests.agents.turns import Turn

HEAD = {"id": "chatcmpl-scripted", "created": 1_760_000_000, "model": "scripted-1"}
_CALLS = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def is_chat(self) -> bool:
        """Return whether it asks for a completion."""
        return self.method == "POST" and self.path.endswith("/chat/completions")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the messages."""
        return list(self.body.get("messages", ()))

    @property
    def text(self) -> str:
        """Return everything that the model reads as one text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def question(self) -> str:
        """Return what users have said in this conversation, the latest last."""
        return "\n".join(str(message.get("content")) for message in self.messages if message["role"] == "user")

    @property
    def tools(self) -> list[str]:
        """Return the names of the natively offered tools."""
        return [native["function"]["name"] for native in self.body.get("tools") or ()]

    @property
    def tool_answers(self) -> int:
        """Return how many tool answers follow the last message of a user."""
        roles = [message["role"] for message in self.messages]
        return roles[len(roles) - roles[::-1].index("user") :].count("tool") if "user" in roles else 0


async def read_request(reader: asyncio.StreamReader) -> ModelRequest | None:
    """Read one request; None if the client has closed."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ModelRequest(method=method, path=path, headers=headers, body=json.loads(body) if body else {})


class Line:
    """One connection during an answer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def answer(self, asked: ModelRequest, turn: Turn | None, *, native: bool) -> bool:
        """Send the answer; False if the connection cannot be used any more."""
        if turn is None:
            return await self._other(asked)
        try:
            if turn.gate and turn.gate_after is None and not await self._passes(turn):
                return False
            await asyncio.sleep(turn.seconds_before)
            if turn.status != 200:
                await self._whole(turn.status, {"error": turn.error}, **turn.headers)
                return True
            if not asked.body.get("stream"):
                await self._whole(200, whole(_as_asked(turn, asked, native=native)))
                return True
            return await self._stream(asked, _as_asked(turn, asked, native=native))
        except ConnectionError:
            if turn.gate:
                turn.gate.left.set()
            return False

    async def _other(self, asked: ModelRequest) -> bool:
        if asked.path.endswith("/models"):
            await self._whole(200, {"object": "list", "data": [{"id": HEAD["model"], "object": "model"}]})
        else:
            await self._whole(404, {"error": {"message": f"no such path: {asked.path}"}})
        return True

    async def _passes(self, turn: Turn) -> bool:
        """Wait at the gate; False if the client disconnected first."""
        assert turn.gate
        passing = asyncio.ensure_future(turn.gate.wait_until_open())
        leaving = asyncio.ensure_future(self._reader.read(1))
        try:
            await asyncio.wait((passing, leaving), return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                turn.gate.left.set()
            return not leaving.done()
        finally:
            for task in (passing, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                    await task

    async def _whole(self, status: int, body: dict[str, Any], **headers: str) -> None:
        written = json.dumps(body).encode()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(written)), **headers}
        self._head(status, lines)
        self._writer.write(written)
        await self._writer.drain()

    def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def _stream(self, asked: ModelRequest, turn: Turn) -> bool:
        self._head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        async for event in self._events(asked, turn):
            if event is None:
                return False
            data = f"data: {event}\n\n".encode()
            self._writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await self._writer.drain()
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
        return True

    async def _events(self, asked: ModelRequest, turn: Turn) -> AsyncIterator[str | None]:
        """Yield the events of the stream; None means to break the connection."""
        limit, is_cut = None if turn.ignores_limit else asked.body.get("max_tokens"), False
        for number, delta in enumerate(_deltas(turn)):
            if is_cut := limit is not None and number >= limit:
                turn = replace(turn, output_tokens=limit)
                break
            if turn.dies_after == number or (turn.gate_after == number and not await self._passes(turn)):
                yield None
            if number:
                await asyncio.sleep(turn.seconds_between)
            yield _chunk(delta)
        if turn.fault:
            yield json.dumps({"error": {"message": turn.fault, "type": "server_error", "code": 500}})
            return
        if turn.garbled:
            yield '{"choices": [{"delta": {"con'
        yield _chunk({}, finish="length" if is_cut else "tool_calls" if turn.calls else "stop")
        if (asked.body.get("stream_options") or {}).get("include_usage"):
            usage = turn.usage if turn.usage is not None else _usage(turn)
            yield json.dumps({**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield "[DONE]"


def _as_asked(turn: Turn, asked: ModelRequest, *, native: bool) -> Turn:
    """Write a call as text unless native calls are requested and supported; use the requested form for text."""
    if turn.calls and native and asked.tools:
        return turn
    if turn.calls:
        made = turn.calls[0]
        return replace(turn, calls=(), text=f'{{"tool": {json.dumps(made.tool)}, "parameters": {made.arguments}}}')
    as_json = '"answer"' in json.dumps(asked.body.get("response_format")) and "{" not in turn.text
    return replace(turn, text=json.dumps({"answer": turn.text})) if as_json else turn


def whole(turn: Turn) -> dict[str, Any]:
    """Build an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [_call(turn, number) for number in range(len(turn.calls))]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if turn.calls else "stop"}
    return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": _usage(turn)}


def _deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    """Split an answer into deltas: its text at blanks, a call's arguments in two."""
    for number, piece in enumerate(turn.pieces()):
        yield {"content": piece} if number else {"role": "assistant", "content": piece}
    while turn.endless:
        yield {turn.endless: "and on and on "}
    for number, made in enumerate(turn.calls):
        middle = len(made.arguments) // 2
        first = _call(turn, number)
        first["function"]["arguments"] = made.arguments[:middle]
        yield {"tool_calls": [{"index": number, **first}]}
        yield {"tool_calls": [{"index": number, "function": {"arguments": made.arguments[middle:]}}]}


def _call(turn: Turn, number: int) -> dict[str, Any]:
    made = turn.calls[number]
    return {
        "id": f"call_{next(_CALLS):08d}",
        "type": "function",
        "function": {"name": made.tool, "arguments": made.arguments},
    }


def _chunk(delta: dict[str, Any], *, finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({**HEAD, "object": "chat.completion.chunk", "choices": [choice]})


def _usage(turn: Turn) -> dict[str, int]:
    total = turn.input_tokens + turn.output_tokens
    return {"prompt_tokens": turn.input_tokens, "completion_tokens": turn.output_tokens, "total_tokens": total}
