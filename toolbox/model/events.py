"""What comes from a model during one step of a conversation."""

from dataclasses import dataclass
from typing import Literal

from toolbox.model.messages import ToolRequest

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
class Retrying:
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
    The tokens that the step took, as the server counted them; at most once a step, before Finished.

    `is_estimated` says that the server counted nothing and four characters were taken for a token.
    """

    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """
    The step is over; always the last event.

    `stop`: the text is the answer. `calls`: tools are to be called. `length`: the text was cut at the model's limit.
    `filtered`: the server kept the rest back.
    """

    reason: Reason


ModelEvent = TextDelta | CallRequested | Retrying | Used | Finished
