"""Rows of runs and steps, as the execution uses them."""

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
    """Limits of a run that the execution checks; the database checks tokens and cost (agents/queries/budgets.py)."""

    steps: int
    answer_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRun:
    """A run as it is when a worker claims it."""

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
    """One step; `edited_arguments` are a person's, "" if unchanged."""

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
        """Return whether it is a call of the model rather than of a tool."""
        return self.kind == Step.Kind.MODEL

    @property
    def is_over(self) -> bool:
        """Return whether it has its answer."""
        return self.state in (Step.State.ANSWERED, Step.State.REFUSED, Step.State.REJECTED)

    @property
    def effective_arguments(self) -> str:
        """Return the arguments to call with: a person's, or else the model's."""
        return self.edited_arguments or self.arguments

    @property
    def digest(self) -> str:
        """Return the digest of the call as it would be made."""
        return digest_call(self.tool, arguments=self.effective_arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the model said in one step, as it is stored."""

    text: str
    calls: tuple[dict[str, str], ...] = ()
    reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: float = 0.0
    is_estimated: bool = False
    model: str = ""
    ends: dict[str, str] | None = None
    """Set on the last turn of a run that must end: the end's state, code and error; this reply is its text."""
    details: Mapping[str, Any] | None = None
    """Details shown beside an answer: outcome, how the question was understood, possible replies (StepEnd)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What a tool answered, as it is stored."""

    state: str
    answer: str
    shown: str = ""
    code: str = ""
    milliseconds: float = 0.0
    event: dict[str, Any] = field(default_factory=dict)


def canonical_arguments(arguments: str) -> bytes:
    """Return arguments in one form, however their JSON is written."""
    try:
        return orjson.dumps(orjson.loads(arguments or "{}"), option=orjson.OPT_SORT_KEYS)
    except (ValueError, TypeError):
        return clean(arguments).encode()


def digest_call(tool: str, *, arguments: str) -> str:
    """Return the digest of a tool and its arguments; an approval is bound to it."""
    return hashlib.sha256(tool.encode() + b"\0" + canonical_arguments(arguments)).hexdigest()


def clean(text: str) -> str:
    """Replace U+0000 and lone surrogates, which a text column cannot store."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
