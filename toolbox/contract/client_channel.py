"""
The other end of a call: what a tool may tell it while it works, and ask of it.

A tool takes part by a second parameter of type Client. Where questions are answered by a second call (MCP of
2026-07-28, tasks), the tool runs anew from its beginning with the answers so far: ask before doing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

from toolbox.contract.caller import CallContext, Caller
from toolbox.contract.errors import ErrorCode, Refusal

LOG_LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
TASKS: Final = "io.modelcontextprotocol/tasks"
CANNOT_ASK = ErrorCode("CLIENT_CANNOT_ANSWER", 422, "The tool has a question that this client cannot be asked.")
MAX_ANSWER_SECONDS = 300.0
"""How long a person may think about a question; the tool's own deadline stands still meanwhile."""

Answers = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRequest:
    """One question to the client, in the protocol's words."""

    method: str
    params: dict[str, Any]

    @property
    def capability(self) -> str:
        """What a client must have declared to be asked this."""
        return self.method.partition("/")[0]

    def to_json(self) -> dict[str, Any]:
        """Give it as the protocol writes it."""
        return {"method": self.method, "params": self.params}


ClientRequests = Mapping[str, ClientRequest]


class SendNotification(Protocol):
    """Sends a message that wants no answer."""

    async def __call__(self, method: str, *, params: dict[str, Any]) -> None:
        """Send it."""


def make_form_request(
    message: str, *, fields: Mapping[str, Any], required: Sequence[str] | None = None
) -> ClientRequest:
    """Ask a person to fill in a form; `fields` are JSON Schemas of its entries, all required unless `required` says."""
    wanted = list(fields) if required is None else list(required)
    schema = {"type": "object", "properties": dict(fields), "required": wanted}
    return ClientRequest(method="elicitation/create", params={"message": message, "requestedSchema": schema})


def read_form_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a person filled in; nothing where the form was declined or closed."""
    content = answer.get("content")
    return dict(content) if answer.get("action") == "accept" and isinstance(content, dict) else {}


def make_sampling_request(prompt: str, *, max_tokens: int) -> ClientRequest:
    """Ask the client's language model."""
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    return ClientRequest(method="sampling/createMessage", params={"messages": [message], "maxTokens": max_tokens})


def make_roots_request() -> ClientRequest:
    """Ask which folders the client works in."""
    return ClientRequest(method="roots/list", params={})


class CallInterrupted(Exception):
    """The call does not end here: it goes on in another way, which the transport arranges."""


class InputRequired(CallInterrupted):
    """The client is to call again, with answers to these questions."""

    def __init__(self, client_requests: ClientRequests) -> None:
        super().__init__("the client is asked")
        self.client_requests = dict(client_requests)


class BecomeTask(CallInterrupted):
    """The rest is done by a worker, as a task."""


class MissingCapability(Refusal):
    """The tool needs something of the client that it has not declared; `lacking` is in the form of capabilities."""

    def __init__(self, lacking: dict[str, Any], *, what: str) -> None:
        super().__init__(
            CANNOT_ASK,
            f"This tool needs a client that {what}.",
            suggestion="Call it from an MCP client that declares the capability, or use another tool.",
        )
        self.lacking = lacking


@dataclass(kw_only=True)
class ClientChannel:
    """
    A client that can be told nothing and asked nothing, as over REST; the base of those that can.

    `call` is set when the call begins. `answers` are those given so far. `task_id` names the task that the call is, and
    stays the same however often the tool begins anew; None for other calls.
    """

    capabilities: Mapping[str, Any] = field(default_factory=dict)
    notify: SendNotification | None = None
    progress_token: str | int | None = None
    log_level: str | None = None
    answers: Answers = field(default_factory=dict)
    call: CallContext | None = None
    deadline: asyncio.Timeout | None = None
    task_id: UUID | None = None

    @property
    def caller(self) -> Caller:
        """Who calls; known from the moment that the call begins."""
        if self.call is None:
            raise RuntimeError("the call has not begun")
        return self.call.caller

    @property
    def supports_forms(self) -> bool:
        """Tell whether a person can be asked by a form; a client that only opens addresses declares `url` alone."""
        declared = self.capabilities.get("elicitation")
        return declared is not None and (not declared or "form" in declared)

    def can(self, capability: str) -> bool:
        """Tell whether the client declared it: elicitation, sampling, roots."""
        return capability in self.capabilities

    @property
    def supports_tasks(self) -> bool:
        """Tell whether the client knows what to do with a task."""
        return TASKS in (self.capabilities.get("extensions") or {})

    async def progress(self, done: float, *, total: float | None = None, message: str = "") -> None:
        """Tell how far the work is, if the client wanted to know."""
        if self.notify and self.progress_token is not None:
            known: dict[str, Any] = {"progressToken": self.progress_token, "progress": done}
            known |= {"total": total} if total is not None else {}
            await self.notify("notifications/progress", params=known | ({"message": message} if message else {}))

    async def log(self, text: str, *, level: str = "info") -> None:
        """Tell what happens, to a client that wants to know of this level."""
        wanted = self.log_level in LOG_LEVELS and LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level or "")
        if self.notify and wanted:
            params = {"level": level, "logger": "toolroom", "data": text}
            await self.notify("notifications/message", params=params)

    async def ask(self, client_requests: ClientRequests) -> Answers:
        """
        Ask, and give the answers by the same names, as the protocol writes results; a form's has `action` first.

        Raises CannotAsk where the client has not declared that it can be asked.
        """
        for client_request in client_requests.values():
            if not self.can(client_request.capability):
                raise MissingCapability(
                    {client_request.capability: {}}, what=f"can be asked ({client_request.capability})"
                )
        await self._answer(
            {name: client_request for name, client_request in client_requests.items() if name not in self.answers}
        )
        return {name: self.answers[name] for name in client_requests}

    async def ask_form(self, name: str, *, client_request: ClientRequest) -> dict[str, Any]:
        """Have a person fill in a form; empty where nobody can be asked, or nothing was said."""
        if not self.supports_forms:
            return {}
        try:
            return read_form_answer((await self.ask({name: client_request}))[name])
        except MissingCapability:
            return {}

    async def pick(self, name: str, *, message: str, options: Sequence[str]) -> str | None:
        """Have a person pick one of these; None where nobody can be asked, or none was picked."""
        options = list(dict.fromkeys(options))
        client_request = make_form_request(message, fields={"choice": {"type": "string", "enum": options}})
        given = (await self.ask_form(name, client_request=client_request)).get("choice")
        return given if isinstance(given, str) and given in options else None

    async def continue_as_task(self, *, required: bool = False) -> None:
        """
        Have a worker do the rest, if the client knows tasks; the tool then runs anew there, with the answers so far.

        Where it does not, the tool goes on here, or is refused if a task is `required`.
        """
        if required and not self.supports_tasks:
            raise MissingCapability({"extensions": {TASKS: {}}}, what=f"knows tasks ({TASKS})")

    async def _answer(self, client_requests: ClientRequests) -> None:
        """Put the answers to these into `answers`."""
        raise NotImplementedError


@dataclass(kw_only=True)
class RetriedCall(ClientChannel):
    """A client that answers by calling again."""

    async def _answer(self, client_requests: ClientRequests) -> None:
        if client_requests:
            raise InputRequired(client_requests)

    async def continue_as_task(self, *, required: bool = False) -> None:
        """Have a worker do the rest."""
        await super().continue_as_task(required=required)
        if self.supports_tasks:
            raise BecomeTask


@dataclass(kw_only=True)
class TaskChannel(ClientChannel):
    """
    The client of a task: it reads the questions when it looks after its task, and answers when it likes.

    What it is told of progress stands in the task's row within a second.
    """

    progress_text: str = ""

    async def progress(self, done: float, *, total: float | None = None, message: str = "") -> None:
        """Tell how far the work is."""
        count = f"{done:g} of {total:g}" if total else f"{done:g}"
        self.progress_text = f"{count}: {message}" if message else count

    async def _answer(self, client_requests: ClientRequests) -> None:
        if client_requests:
            raise InputRequired(client_requests)

    async def continue_as_task(self, *, required: bool = False) -> None:
        """Go on: this is the task."""


@dataclass(kw_only=True)
class ConnectedChannel(ClientChannel):
    """A client that answers while the call waits, on the connection that carries it (MCP of 2025)."""

    send: Callable[[ClientRequest], Awaitable[dict[str, Any]]]

    async def _answer(self, client_requests: ClientRequests) -> None:
        left = self._stop_the_clock()
        try:
            async with asyncio.timeout(MAX_ANSWER_SECONDS):
                given = await asyncio.gather(
                    *(self.send(client_request) for client_request in client_requests.values())
                )
        except TimeoutError as nobody:
            raise MissingCapability({}, what="answers within five minutes") from nobody
        finally:
            if self.deadline and left is not None:
                self.deadline.reschedule(asyncio.get_running_loop().time() + left)
        self.answers |= dict(zip(client_requests, given, strict=True))

    def _stop_the_clock(self) -> float | None:
        ends_at = self.deadline.when() if self.deadline else None
        if ends_at is None or self.deadline is None:
            return None
        self.deadline.reschedule(None)
        return ends_at - asyncio.get_running_loop().time()
