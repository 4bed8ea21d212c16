"""
A client of one language server: requests with deadlines over one pair of pipes.

Request ids are never reused, and an abandoned request is forgotten, so a late response is ignored.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from devassist.callers.protocol import Broken, Message, frame, read_message

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

MAX_BYTES_BETWEEN_ANSWERS = 64 * 1024 * 1024
MAX_WAITING_BYTES = 16 * 1024 * 1024
"""The maximum buffered output for a server that does not read."""
_METHOD_NOT_FOUND = -32601
_TRY_AGAIN = {-32603, -32801, -32802}
"""Internal error (some servers, while they index), content modified, server cancelled."""
_MAX_TASKS = 1_000
_PAUSES_SECONDS = (0.2, 0.5)


class Gone(Exception):
    """The server has ended or was stopped because of what it did; the message says why."""


class Silent(Exception):
    """The server did not answer in time."""


class Refused(Exception):
    """The server answered with an error or with an unexpected result."""


class Client:
    """Talks to one server over its pipes. `on_gone` is called once, when no request is possible any more."""

    def __init__(
        self,
        *,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        configuration: Callable[[str], object],
        on_gone: Callable[[str], None],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._configuration = configuration
        self._on_gone = on_gone
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._progress: set[str] = set()
        self._progress_ended = asyncio.Event()
        self._since_answer = 0
        self.gone: str | None = None
        self.notes: deque[str] = deque(maxlen=200)
        self._listening = asyncio.create_task(self._listen())

    @property
    def is_busy(self) -> bool:
        """Return whether the server reports progress on a longer task."""
        return bool(self._progress)

    async def ask(self, method: str, *, params: object, answer: type[Answer], seconds: float) -> Answer:
        """Send a request and return the result as `answer` (any msgspec type). Raises Gone, Silent, Refused."""
        for pause in (*_PAUSES_SECONDS, None):
            message = await self._request(method, params, seconds=seconds)
            if message.error is None:
                return _read(message.result, method=method, answer=answer)
            if message.error.code not in _TRY_AGAIN or pause is None:
                raise Refused(f"{method}: {message.error.message[:200]} ({message.error.code})")
            await asyncio.sleep(pause)
        raise AssertionError("the last turn returns or raises")

    def tell(self, method: str, *, params: object) -> None:
        """Send a notification, which has no response."""
        self._send({"method": method, "params": params})

    async def wait_until_quiet(self, *, seconds: float, quiet: float = 0.2) -> bool:
        """Wait until no progress is reported for a moment. Returns False if that takes longer than `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await asyncio.sleep(quiet)
                    if not self._progress or self.gone:
                        return True
                    self._progress_ended.clear()
                    await self._progress_ended.wait()
        except TimeoutError:
            return False

    def close(self, why: str) -> None:
        """Stop listening. Waiting callers get the reason."""
        self._end(why)
        self._listening.cancel()
        self._writer.close()

    async def wait_until_closed(self) -> None:
        """Wait until it no longer listens, so that another reader may use the pipe."""
        await asyncio.wait({self._listening})

    async def _request(self, method: str, params: object, *, seconds: float) -> Message:
        if self.gone is not None:
            raise Gone(self.gone)
        self._number += 1
        number = self._number
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            self._send({"id": number, "method": method} | ({} if params is None else {"params": params}))
            async with asyncio.timeout(seconds):
                return await future
        except (TimeoutError, asyncio.CancelledError) as late:
            if self.gone is None:
                self._send({"method": "$/cancelRequest", "params": {"id": number}})
            if isinstance(late, TimeoutError):
                raise Silent(f"{method}: no answer within {seconds:g} s") from late
            raise
        finally:
            self._waiting.pop(number, None)

    def _send(self, message: dict[str, Any]) -> None:
        if self.gone is not None:
            raise Gone(self.gone)
        self._writer.write(frame(message))
        if self._writer.transport.get_write_buffer_size() > MAX_WAITING_BYTES:
            self._end("it does not read what it is sent")

    async def _listen(self) -> None:
        why = "it ended"
        try:
            while read := await read_message(self._reader):
                message, size = read
                self._count(message, size=size)
                self._take(message)
        except Broken as broken:
            why = f"it sent {broken}"
        except (OSError, Gone) as lost:
            why = str(lost) or why
        self._end(why)

    def _count(self, message: Message, *, size: int) -> None:
        answers = message.method is None and message.id in self._waiting
        self._since_answer = 0 if answers else self._since_answer + size
        if self._since_answer > MAX_BYTES_BETWEEN_ANSWERS:
            raise Broken("a flood that nobody asked for")

    def _take(self, message: Message) -> None:
        if message.method is not None and message.id is not None:
            self._obey(message)
        elif message.method is not None:
            self._note(message)
        elif (future := self._waiting.get(message.id)) and not future.done():  # type: ignore[arg-type]  # unknown response ids are ignored
            future.set_result(message)

    def _obey(self, message: Message) -> None:
        """Respond to a request of the server. It may change nothing of ours."""
        match message.method:
            case "workspace/configuration":
                sections = _sections(_loose(message.params).get("items"))
                self._send({"id": message.id, "result": [self._configuration(section) for section in sections]})
            case "workspace/applyEdit":
                self._send({"id": message.id, "result": {"applied": False}})
            case "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create":
                self._send({"id": message.id, "result": None})
            case "window/showMessageRequest" | "workspace/workspaceFolders":
                self._send({"id": message.id, "result": None})
            case other:
                error = {"code": _METHOD_NOT_FOUND, "message": f"{other} is not offered"}
                self._send({"id": message.id, "error": error})

    def _note(self, message: Message) -> None:
        if message.method == "$/progress":
            said = _loose(message.params)
            value = said.get("value")
            kind = value.get("kind") if isinstance(value, dict) else None
            if kind == "begin" and len(self._progress) < _MAX_TASKS:
                self._progress.add(str(said.get("token")))
            elif kind == "end":
                self._progress.discard(str(said.get("token")))
                self._progress_ended.set()
        elif message.method != "textDocument/publishDiagnostics":
            self.notes.append(f"{message.method} {bytes(message.params)[:300].decode(errors='replace')}")

    def _end(self, why: str) -> None:
        if self.gone is not None:
            return
        self.gone = why
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Gone(why))
        self._progress_ended.set()
        self._on_gone(why)


def _read(result: msgspec.Raw, *, method: str, answer: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(result, type=answer)
    except msgspec.DecodeError as error:
        raise Refused(f"{method}: an answer of another form: {error}") from error


def _sections(items: object) -> list[str]:
    if not isinstance(items, list):
        return []
    return [str(item.get("section") or "") if isinstance(item, dict) else "" for item in items[:100]]


def _loose(params: msgspec.Raw) -> dict[str, Any]:
    """Decode parameters of a notification. What is not an object becomes an empty one."""
    try:
        found = msgspec.json.decode(params)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
