"""The interface of model providers: language models, and the answerers without one."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from toolbox.contract.tool import Tool

Role = Literal["system", "user", "assistant", "tool"]


class ToolRequest(BaseModel):
    """
    A tool call that a model requests.

    `arguments` is the model's text and may not be valid JSON; the tool call reports that. `id` is unique within a run.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    arguments: str = "{}"


class Message(BaseModel):
    """
    One message of a conversation, stored as `model_dump(mode="json", exclude_defaults=True)`.

    An assistant's message may have `calls`. A tool's message answers one of them, by `call_id`: `text` is what the
    model reads, perhaps fenced or shortened; `answer` is the whole body as data, never sent to a server and read only
    by the examples provider; `is_refusal` means that the body is a refusal; `edited_arguments` are the arguments that a
    person put in place of the requested ones.
    """

    model_config = ConfigDict(frozen=True)

    role: Role
    text: str = ""
    calls: tuple[ToolRequest, ...] = ()
    call_id: str = ""
    tool: str = ""
    answer: Any = None
    is_refusal: bool = False
    edited_arguments: str = ""

    @classmethod
    def system(cls, text: str) -> Self:
        """Build an instruction to the model."""
        return cls(role="system", text=text)

    @classmethod
    def user(cls, text: str) -> Self:
        """Build a person's message."""
        return cls(role="user", text=text)

    @classmethod
    def assistant(cls, text: str = "", *, calls: tuple[ToolRequest, ...] = ()) -> Self:
        """Build a model's message with the calls that it requests."""
        return cls(role="assistant", text=text, calls=calls)

    @classmethod
    def tool_answer(
        cls,
        text: str,
        *,
        request: ToolRequest,
        answer: Any = None,
        is_refusal: bool = False,
        edited_arguments: str = "",
    ) -> Self:
        """Build a tool's answer to a request."""
        return cls(
            role="tool",
            text=text,
            call_id=request.id,
            tool=request.name,
            answer=answer,
            is_refusal=is_refusal,
            edited_arguments=edited_arguments,
        )


Reason = Literal["stop", "calls", "length", "filtered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the text for people, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A complete request for a tool."""

    request: ToolRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryNotice:
    """
    The server failed and is asked again after `delay_seconds`; discard this step's events so far.

    `reason` is a sentence that may be shown.
    """

    reason: str
    delay_seconds: float
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """
    The tokens that the step used so far, failed attempts included; the latest event counts.

    Sent when the request is sent, while the answer arrives, and before StepEnd, so that a broken stream is counted too.
    `is_estimated` means that they were estimated by length, because the server did not report them, or not yet.
    """

    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool = False

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            is_estimated=self.is_estimated or other.is_estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnd:
    """
    The step is over; always the last event.

    `stop`: the text is the answer. `calls`: tools are to be called. `length`: the text was cut at the model's limit.
    `filtered`: the server withheld the rest. `details` are what a page shows beside the text; a language model gives
    none.
    """

    reason: Reason
    details: Mapping[str, Any] | None = None


ModelEvent = TextDelta | CallRequested | RetryNotice | Used | StepEnd


class ModelFailure(Exception):
    """The model gave no answer, and retrying now will not help."""


class ModelUnavailable(ModelFailure):
    """The server cannot be reached, refuses, or failed on every attempt."""


class ModelMisbehaved(ModelFailure):
    """The server's answer has an unusable form."""


class ContextOverrun(ModelFailure):
    """The conversation is longer than the model can read; a shorter one may be answered."""


class RetryableFailure(Exception):
    """
    A temporary failure: the same request may succeed soon. Not raised outside this package.

    `failure` is what is raised after the last retry; `after_seconds` is what the server asked for. `is_silence` means
    that the server accepted the request and did not answer: it may have read the prompt.
    """

    def __init__(
        self,
        reason: str,
        *,
        failure: type[ModelFailure] = ModelUnavailable,
        after_seconds: float | None = None,
        is_silence: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.failure = failure
        self.after_seconds = after_seconds
        self.is_silence = is_silence


class RequestRejected(Exception):
    """The server refuses the request's content; another form may be accepted. Not raised outside this package."""

    def __init__(self, status: int, *, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


Shape = TypeVar("Shape", bound=BaseModel)


class Model(Protocol):
    """Something that takes the next step of a conversation."""

    @property
    def name(self) -> str:
        """Return the model's name for people."""
        ...

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Estimate how many tokens a step with these messages reads, rather too high than too low."""
        ...

    def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """
        Run one step: yields events as they arrive, StepEnd last.

        The step writes at most `max_tokens`: the server is asked to stop there, and is cut off if it does not. Raises a
        ModelFailure. The connection is released when the iteration ends or is cancelled; close an iterator that is left
        early (`contextlib.aclosing`). AGENT_MODEL_SILENCE_SECONDS limits the wait between two pieces, not the whole
        step: put `asyncio.timeout` around it.
        """
        ...

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float
    ) -> Shape:
        """
        Return an answer of the given shape, for domains: one question, no tools, no streaming.

        An answer that does not fit is sent back once with the problems. Raises a ModelFailure; ModelUnavailable also
        when the deadline passes.
        """
        ...
