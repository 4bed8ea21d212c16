"""
Calls of the 2025 protocols that speak before they answer: messages and questions on the connection of the call.

It becomes a stream of events with the first message; a call that says nothing is answered with plain JSON. The answer
to a question comes as a request of its own, to any process: one that does not know it passes it on by NOTIFY.
"""

import asyncio
import secrets
from typing import Any

import orjson
from starlette.types import Send

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientRequest, MissingCapability
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Reply
from toolbox.rest.middleware import send_reply

CHANNEL = "toolroom_client_answers"
MAX_PASSED_ON = 7_900
"""PostgreSQL's bound on what NOTIFY carries, less our own words."""
PING_SECONDS = 15.0

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class StreamedCall:
    """What goes out on one call's connection."""

    def __init__(self, send: Send, *, request_id: str, caller: Caller) -> None:
        self._send, self._request_id, self._caller = send, request_id, caller
        self._has_begun = False
        self._one_at_a_time = asyncio.Lock()

    async def notify(self, method: str, *, params: dict[str, Any]) -> None:
        """Send a message that wants no answer."""
        await self._event(orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def ask(self, client_request: ClientRequest) -> dict[str, Any]:
        """Send a question and wait for its answer; raises CannotAsk where the client answers with an error."""
        async with questions.open(self._caller) as (question_id, answered):
            await self._event(orjson.dumps({"jsonrpc": "2.0", "id": question_id, **client_request.to_json()}))
            while not (await asyncio.wait([answered], timeout=PING_SECONDS))[0]:
                await self._write(b": ping\n\n")
            message = answered.result()
        if not isinstance(message.get("result"), dict):
            raise MissingCapability(
                {client_request.capability: {}}, what=f"answers {client_request.method}; this one gave an error"
            )
        result: dict[str, Any] = message["result"]
        return result

    async def end(self, body: bytes) -> None:
        """Send the answer of the call, the last message; none to one that was cancelled, as the protocol says."""
        if self._has_begun or not body:
            await (self._event(body) if body else self._write(b""))
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await send_reply(self._send, Reply(body=body), request_id=self._request_id)

    async def _event(self, message: bytes) -> None:
        await self._write(b"event: message\ndata: %b\n\n" % message)

    async def _write(self, part: bytes) -> None:
        async with self._one_at_a_time:
            if not self._has_begun:
                headers = [*HEADERS, (b"x-request-id", self._request_id.encode())]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
                self._has_begun = True
            await self._send({"type": "http.response.body", "body": part, "more_body": True})


class PendingElicitations:
    """The questions that this process waits on; an id is a secret of 128 bits, and good for its caller only."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[int | None, asyncio.Future[dict[str, Any]]]] = {}
        dynamic_tools.hear(CHANNEL, hearer=self._heard)

    def open(self, caller: Caller) -> "_OpenQuestion":
        """Make the id and the future answer of a question, for the length of a block."""
        return _OpenQuestion(self._open, key_id=caller.key_id)

    async def answer(self, message: dict[str, Any], *, caller: Caller) -> bool:
        """Bring an answer to whoever waits for it, here or in another process; False for one too large to pass on."""
        if self._deliver(message, key_id=caller.key_id):
            return True
        passed_on = orjson.dumps({"key": caller.key_id, "message": message})
        if len(passed_on) > MAX_PASSED_ON:
            return False
        await owner_pool.fetch("SELECT pg_notify(%s, %s)", [CHANNEL, passed_on.decode()])
        return True

    def _heard(self, payload: str) -> None:
        passed_on = orjson.loads(payload)
        self._deliver(passed_on["message"], key_id=passed_on["key"])

    def _deliver(self, message: dict[str, Any], *, key_id: int | None) -> bool:
        owner, waiting = self._open.get(str(message.get("id")), (None, None))
        if waiting is None or owner != key_id:
            return False
        if not waiting.done():
            waiting.set_result(message)
        return True


class _OpenQuestion:
    """One question, forgotten when nobody waits any more."""

    def __init__(
        self, questions: dict[str, tuple[int | None, asyncio.Future[dict[str, Any]]]], *, key_id: int | None
    ) -> None:
        self._questions, self._key_id, self._id = questions, key_id, f"ask-{secrets.token_hex(16)}"

    async def __aenter__(self) -> tuple[str, asyncio.Future[dict[str, Any]]]:
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._questions[self._id] = (self._key_id, answered)
        return self._id, answered

    async def __aexit__(self, *_: object) -> None:
        del self._questions[self._id]


questions = PendingElicitations()
