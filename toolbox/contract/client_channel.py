"""
The channel from a tool back to its client: progress, log messages and questions while the call runs.

A tool uses it by a second parameter of type ClientChannel. If the client answers questions by calling again (MCP of
2026-07-28, tasks), the tool runs again from the beginning with the answers so far: ask before doing anything.
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
"""How long a person may take to answer; the tool's deadline is paused meanwhile."""

Answers = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRequest:
    """One question to the client: an MCP method and its parameters."""

    method: str
    params: dict[str, Any]

    @property
    def capability(self) -> str:
        """Return the capability that the client must have declared."""
        return self.method.partition("/")[0]

    def to_json(self) -> dict[str, Any]:
        """Return it as MCP writes it."""
        return {"method": self.method, "params": self.params}


ClientRequests = Mapping[str, ClientRequest]


class SendNotification(Protocol):
    """Sends a message that needs no answer."""

    async def __call__(self, method: str, *, params: dict[str, Any]) -> None:
        """Send it."""


def make_form_request(
    message: str, *, fields: Mapping[str, Any], required: Sequence[str] | None = None
) -> ClientRequest:
    """Build a request for a form; `fields` are JSON Schemas of its entries, all required by default."""
    wanted = list(fields) if required is None else list(required)
    schema = {"type": "object", "properties": dict(fields), "required": wanted}
    return ClientRequest(method="elicitation/create", params={"message": message, "requestedSchema": schema})


def read_form_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a person filled in; empty if the form was declined or closed."""
    content = answer.get("content")
    return dict(content) if answer.get("action") == "accept" and isinstance(content, dict) else {}


def make_sampling_request(prompt: str, *, max_tokens: int) -> ClientRequest:
    """Build a request for a completion by the client's language model."""
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    return ClientRequest(method="sampling/createMessage", params={"messages": [message], "maxTokens": max_tokens})


def make_roots_request() -> ClientRequest:
    """Build a request for the folders that the client works in."""
    return ClientRequest(method="roots/list", params={})


class CallInterrupted(Exception):
    """The call continues in another way, which the transport arranges; not an error."""


class InputRequired(CallInterrupted):
    """The client must call again with answers to these requests."""

    def __init__(self, client_requests: ClientRequests) -> None:
        super().__init__("the client is asked")
        self.client_requests = dict(client_requests)


class BecomeTask(CallInterrupted):
    """A worker does the rest, as a task."""


class MissingCapability(Refusal):
    """The tool needs a capability that the client has not declared; `lacking` has the form of MCP's capabilities."""

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
    A channel without a way back, as over REST; the base class of the others.

    `call` is set when the call begins. `answers` are those given so far. `task_id` names the task that the call is, and
    stays the same when the tool runs again; None for other calls.
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
        """Return the caller; raises RuntimeError before the call has begun."""
        if self.call is None:
            raise RuntimeError("the call has not begun")
        return self.call.caller

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds until the call's deadline. None without one."""
        ends_at = self.deadline.when() if self.deadline else None
        return None if ends_at is None else ends_at - asyncio.get_running_loop().time()

    @property
    def supports_forms(self) -> bool:
        """Return whether a person can fill in a form; a client that only opens URLs declares `url` alone."""
        declared = self.capabilities.get("elicitation")
        return declared is not None and (not declared or "form" in declared)

    def can(self, capability: str) -> bool:
        """Return whether the client declared the capability: elicitation, sampling, roots."""
        return capability in self.capabilities

    @property
    def supports_tasks(self) -> bool:
        """Return whether the client declared the extension for tasks."""
        return TASKS in (self.capabilities.get("extensions") or {})

    async def progress(self, done: float, *, total: float | None = None, message: str = "") -> None:
        """Report progress, if the client asked for it."""
        if self.notify and self.progress_token is not None:
            known: dict[str, Any] = {"progressToken": self.progress_token, "progress": done}
            known |= {"total": total} if total is not None else {}
            await self.notify("notifications/progress", params=known | ({"message": message} if message else {}))

    async def log(self, text: str, *, level: str = "info") -> None:
        """Send a log message, if the client wants messages of this level."""
        wanted = self.log_level in LOG_LEVELS and LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level or "")
        if self.notify and wanted:
            params = {"level": level, "logger": "toolroom", "data": text}
            await self.notify("notifications/message", params=params)

    async def ask(self, client_requests: ClientRequests) -> Answers:
        """
        Ask the client and return the answers by the same names, in MCP's form of results; a form's has an `action`.

        Raises MissingCapability if the client has not declared a capability that the requests need.
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
        """Ask a person to fill in a form; empty if there is no answer or the client cannot be asked."""
        if not self.supports_forms:
            return {}
        try:
            return read_form_answer((await self.ask({name: client_request}))[name])
        except MissingCapability:
            return {}

    async def pick(self, name: str, *, message: str, options: Sequence[str]) -> str | None:
        """Ask a person to pick an option; None if none was picked or the client cannot be asked."""
        options = list(dict.fromkeys(options))
        client_request = make_form_request(message, fields={"choice": {"type": "string", "enum": options}})
        given = (await self.ask_form(name, client_request=client_request)).get("choice")
        return given if isinstance(given, str) and given in options else None

    async def continue_as_task(self, *, required: bool = False) -> None:
        """
        Let a worker do the rest if the client supports tasks; the tool runs again there, with the answers so far.

        If the client does not, the tool goes on here, or MissingCapability is raised if a task is `required`.
        """
        if required and not self.supports_tasks:
            raise MissingCapability({"extensions": {TASKS: {}}}, what=f"knows tasks ({TASKS})")

    async def _answer(self, client_requests: ClientRequests) -> None:
        """Put the answers to these requests into `answers`."""
        raise NotImplementedError


@dataclass(kw_only=True)
class RetriedCall(ClientChannel):
    """Channel to a client that answers by calling again."""

    async def _answer(self, client_requests: ClientRequests) -> None:
        if client_requests:
            raise InputRequired(client_requests)

    async def continue_as_task(self, *, required: bool = False) -> None:
        """Raise BecomeTask if the client supports tasks."""
        await super().continue_as_task(required=required)
        if self.supports_tasks:
            raise BecomeTask


@dataclass(kw_only=True)
class TaskChannel(ClientChannel):
    """
    Channel to the client of a task, which reads questions when it polls the task and answers at any time.

    Progress is written to the task's row within a second.
    """

    progress_text: str = ""

    async def progress(self, done: float, *, total: float | None = None, message: str = "") -> None:
        """Keep the progress as text for the task's row."""
        count = f"{done:g} of {total:g}" if total else f"{done:g}"
        self.progress_text = f"{count}: {message}" if message else count

    async def _answer(self, client_requests: ClientRequests) -> None:
        if client_requests:
            raise InputRequired(client_requests)

    async def continue_as_task(self, *, required: bool = False) -> None:
        """Do nothing: this is the task."""


@dataclass(kw_only=True)
class ConnectedChannel(ClientChannel):
    """Channel to a client that answers while the call waits, on the connection that carries it (MCP of 2025)."""

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
        left = self.seconds_left
        if self.deadline and left is not None:
            self.deadline.reschedule(None)
        return left
