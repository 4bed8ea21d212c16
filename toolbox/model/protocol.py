"""What every provider of answers can do, be it a server's model or the curated examples."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from toolbox.contract.tool import Tool

Role = Literal["system", "user", "assistant", "tool"]


class ToolRequest(BaseModel):
    """
    A call that a model asks for.

    `arguments` is the text that the model wrote and may not be valid JSON; the tool call reports that. `id` is unique
    within a run.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    arguments: str = "{}"


class Message(BaseModel):
    """
    One message of a conversation; `model_dump(mode="json", exclude_defaults=True)` stores it.

    An assistant's may carry `calls`. A tool's answers one of them, by `call_id`: `text` is what the model reads, and
    may be fenced or shortened; `answer` is the whole body as data, which is never sent and which only the examples
    provider reads; `is_refusal` says that the body is a refusal, `edited_arguments` what a person put in place of the
    arguments that were asked for.
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
        """Say how the model should behave."""
        return cls(role="system", text=text)

    @classmethod
    def user(cls, text: str) -> Self:
        """Say what a person said."""
        return cls(role="user", text=text)

    @classmethod
    def assistant(cls, text: str = "", *, calls: tuple[ToolRequest, ...] = ()) -> Self:
        """Say what the model said and which tools it asked for."""
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
        """Say what a tool answered to a request."""
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
    """A piece of the text that a person reads, as it comes."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A whole request for a tool; never a part of one."""

    request: ToolRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryNotice:
    """
    The server failed and is asked again after `delay_seconds`: what came of this step so far is void.

    `reason` is a sentence that may be shown.
    """

    reason: str
    delay_seconds: float
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """
    The tokens that the step took so far, failed tries included; the latest counts.

    It comes when the request is sent, then while the answer comes, and before StepEnd, so that a stream that breaks is
    counted too. `is_estimated` says that they were counted by length, because the server did not say, or not yet.
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
    `filtered`: the server kept the rest back. `details` are what a page shows beside the text; a language model gives
    none.
    """

    reason: Reason
    details: Mapping[str, Any] | None = None


ModelEvent = TextDelta | CallRequested | RetryNotice | Used | StepEnd


class ModelFailure(Exception):
    """There is no answer from the model, and asking again now will not help."""


class ModelUnavailable(ModelFailure):
    """The server cannot be reached, refuses, or kept failing however often it was asked."""


class ModelMisbehaved(ModelFailure):
    """The server answered, but not in a form that anything can be made of."""


class ContextOverrun(ModelFailure):
    """What was said is longer than the model can read; a shorter conversation may be answered."""


class RetryableFailure(Exception):
    """
    Something that passes: the same request may be answered in a moment. Stays inside this package.

    `failure` is what it becomes when it does not pass; `after_seconds` is what the server asked for. `is_silence` says
    that the server took the request and did not answer: it may have read the prompt.
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
    """The server refuses the request for what it contains; another form of it may pass. Stays inside this package."""

    def __init__(self, status: int, *, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


Shape = TypeVar("Shape", bound=BaseModel)


class Model(Protocol):
    """Something that takes the next step of a conversation."""

    @property
    def name(self) -> str:
        """The model's name, as a person may see it."""
        ...

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Estimate, rather too high than too low, the tokens that a step with these messages reads."""
        ...

    def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """
        Take one step: events as they come, StepEnd last.

        The step writes `max_tokens` at most: the server is asked to stop there, and one that does not is cut off.

        Raises a ModelFailure. The wire is let go of when the iteration ends or is cancelled, whichever comes first;
        close an iterator that is left early (`contextlib.aclosing`). Waiting for the server is bounded by
        AGENT_MODEL_SILENCE_SECONDS between two pieces, not in whole: put `asyncio.timeout` around it.
        """
        ...

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float
    ) -> Shape:
        """
        Give an answer of the given shape, for domains: one question, no tools, nothing streamed.

        An answer that does not fit is sent back once with what is wrong. Raises a ModelFailure, ModelUnavailable
        also when the deadline passes.
        """
        ...
