"""What the engine knows of a run, as its rows say."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from agents.models import Step
from toolbox.work.lease import Lease


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How far a run may go; its tokens and cost are held by the database (agents/queries/budgets.py)."""

    steps: int
    answer_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRun:
    """A run as it is when a worker takes it up."""

    lease: Lease
    conversation_id: UUID
    question_number: int
    owner_id: int | None
    owner_name: str
    key_id: int | None
    toolkits: tuple[str, ...]
    model: str
    approve_tools: frozenset[str]
    budgets: Budgets
    seconds_left: float
    asked_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One step; `arguments` are those to call with, a person's where one changed them."""

    number: int
    kind: str
    state: str
    idempotency_key: str
    call_id: str = ""
    tool: str = ""
    arguments: str = ""
    edited_arguments: str = ""
    word: str = ""
    answer: str = ""
    shown: str = ""
    code: str = ""

    @property
    def is_model(self) -> bool:
        """Tell a call of the model from one of a tool."""
        return self.kind == Step.Kind.MODEL

    @property
    def is_over(self) -> bool:
        """Tell whether it has its answer."""
        return self.state in (Step.State.ANSWERED, Step.State.REFUSED, Step.State.REJECTED)

    @property
    def effective_arguments(self) -> str:
        """Give what the tool is called with."""
        return self.edited_arguments or self.arguments

    @property
    def digest(self) -> str:
        """Give the digest of the call as it would be made."""
        return digest_call(self.tool, arguments=self.effective_arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the model said in one step, as it is kept."""

    text: str
    calls: tuple[dict[str, str], ...] = ()
    reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: float = 0.0
    is_estimated: bool = False
    model: str = ""
    ends: dict[str, str] | None = None
    """Set on the last turn of a run that must end: state, code and error of the end, whose text this reply is."""
    details: Mapping[str, Any] | None = None
    """Beside an answer: its outcome, what the question was taken for, what may be replied (StepEnd)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What a tool answered, as it is kept."""

    state: str
    answer: str
    shown: str = ""
    code: str = ""
    milliseconds: float = 0.0
    event: dict[str, Any] = field(default_factory=dict)


def canonical_arguments(arguments: str) -> bytes:
    """Give arguments in one form, however their JSON is written."""
    try:
        return orjson.dumps(orjson.loads(arguments or "{}"), option=orjson.OPT_SORT_KEYS)
    except (ValueError, TypeError):
        return clean(arguments).encode()


def digest_call(tool: str, *, arguments: str) -> str:
    """Give what an approval is bound to: a digest of the tool and its arguments."""
    return hashlib.sha256(tool.encode() + b"\0" + canonical_arguments(arguments)).hexdigest()


def clean(text: str) -> str:
    """Make text fit a column: without U+0000 and lone surrogates."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
