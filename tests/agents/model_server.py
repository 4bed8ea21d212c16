"""
A server of OpenAI's Chat Completions API on a real socket, with scripted answers.

`model_server()` runs it on a thread of its own; `python -m tests.agents.model_server` in a process of its own, where it
calls one tool and then answers, for use from a shell and for benchmarks.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tests.agents.turns import Turn, calls, refuses, says
from tests.agents.wire import Line, ModelRequest, read_request

MODEL = "scripted-1"
KEY = "sk" + "-canary-0f9e8d7c6b5a4938271605f4e3d2c1b0"  # in two parts, or scanners would take it for a secret
"""The only key that the server takes; long enough to be looked for wherever it must not be."""

Script = Callable[[ModelRequest], Turn]


@dataclass
class ModelServer:
    """
    A running server: its address, its requests, and its scripts.

    `native` says how it treats `tools`: "yes" uses them, "ignored" answers calls as text, as small models do, "refused"
    refuses requests that have any.
    """

    address: str = ""
    native: str = "yes"
    asked: list[ModelRequest] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    key: str | None = KEY
    _scripts: list[tuple[str, Script]] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    def when(self, phrase: str, *turns: Turn, again: bool = False) -> None:
        """
        Answer requests whose user messages have the phrase with these turns, one each, in this order.

        The last turn repeats for ever with `again`; otherwise a further request is refused and counts as unexpected. If
        two phrases fit, the later script is used.
        """
        left = iter(turns if not again else itertools.chain(turns, itertools.repeat(turns[-1])))
        self.answer(phrase, lambda asked: next(left, None) or self._surprise(asked))

    def answer(self, phrase: str, script: Script) -> None:
        """Answer requests about the phrase by a function of the request; the newest script that fits is used."""
        self._scripts.insert(0, (phrase, script))

    def wait_for(self, count: int, *, about: str = "", seconds: float = 60) -> list[ModelRequest]:
        """Wait until so many requests about a phrase have come, and return them. Raises TimeoutError."""
        with self._news:
            if not self._news.wait_for(lambda: len(self.about(about)) >= count, seconds):
                raise TimeoutError(f"{len(self.about(about))} of {count} requests came within {seconds:g} s")
            return self.about(about)

    def about(self, phrase: str) -> list[ModelRequest]:
        """Return the requests so far about a phrase."""
        return [asked for asked in self.asked if phrase in asked.question]

    def turn(self, asked: ModelRequest) -> Turn:
        """Choose the answer to a request, and record the request."""
        with self._news:
            self.asked.append(asked)
            self._news.notify_all()
        if self.key is not None and asked.headers.get("authorization") != f"Bearer {self.key}":
            said = asked.headers.get("authorization", "")
            return refuses(401, message=f"Incorrect API key provided: {said.removeprefix('Bearer ')}.")
        if self.native == "refused" and asked.body.get("tools"):
            return refuses(400, message=f"{MODEL} does not support tools")
        return next((script(asked) for phrase, script in self._scripts if phrase in asked.question), None) or (
            self._surprise(asked)
        )

    def _surprise(self, asked: ModelRequest) -> Turn:
        self.surprises.append(f"nothing is scripted for request {len(self.asked)}: {asked.question[-200:]!r}")
        return refuses(418, message="nothing is scripted for this")


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Run a server until the block ends; it needs scripts before it answers."""
    running, loop = ModelServer(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(listen(running, port=0), loop).result(60)
    try:
        yield running
    finally:
        asyncio.run_coroutine_threadsafe(_close(server), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def listen(running: ModelServer, *, port: int) -> asyncio.Server:
    """Start to serve on the loopback interface."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while asked := await read_request(reader):
                turn = running.turn(asked) if asked.is_chat else None
                if not await Line(reader, writer).answer(asked, turn, native=running.native == "yes"):
                    break
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=512, limit=1 << 24)
    running.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    return server


async def _close(server: asyncio.Server) -> None:
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def one_call_then_words(tool: str, arguments: dict[str, Any], *, rounds: int, words: int) -> Script:
    """Call the tool `rounds` times per user turn, each time with another limit; then answer so many words."""

    def script(asked: ModelRequest) -> Turn:
        if asked.tool_answers < rounds:
            return calls(tool, arguments | ({"limit": asked.tool_answers + 1} if rounds > 1 else {}))
        return says(" ".join(["So it is."] + ["word"] * max(words - 3, 0)))

    return script


def main() -> None:
    """Serve until interrupted; the first line printed is the address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tool", default="query_linescore_data")
    parser.add_argument(
        "--arguments", default='{"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}'
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--before", type=float, default=0.0, help="Seconds until it begins to answer.")
    parser.add_argument("--between", type=float, default=0.0, help="Seconds between two words.")
    asked = parser.parse_args()
    running = ModelServer(key=None)
    script = one_call_then_words(asked.tool, json.loads(asked.arguments), rounds=asked.rounds, words=asked.words)
    running.answer("", lambda of: replace(script(of), seconds_before=asked.before, seconds_between=asked.between))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_for_ever(running, port=asked.port))


async def _serve_for_ever(running: ModelServer, *, port: int) -> None:
    server = await listen(running, port=port)
    print(running.address, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
