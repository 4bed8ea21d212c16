"""
How a domain answers questions in plain language: it reads a question, names the calls, and words what they answer.

A Toolkit may carry an answerer of its own; curated examples answer for every domain (toolbox/examples/answerer.py).
Which of several readings is taken is decided in toolbox/answering.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Outcome = Literal["answered", "asked_back", "not_covered", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One reply to what was asked back, and the whole question that it makes."""

    label: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call of a tool that answers a question, or a part of it."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerText:
    """An answer in words."""

    text: str
    outcome: Outcome = "answered"
    assumptions: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """
    What a domain takes a question for.

    `score` says how sure that is, from 0 to 1, alike in all domains: 1 if each word of the question is understood.
    `understood` is the question in the domain's words. A `covered` question has a `call`; of an `unclear` one
    `clarification` asks what is meant, and `choices` are replies. `leans` tells that it takes its subject from the
    question before. `nearest` are questions like it that can be answered. `names` are what it is about, which "they" in
    the next question means, and `period` is the time that it says, which such a question keeps. `subject` is for the
    answerer alone.
    """

    domain: str
    state: Literal["covered", "unclear", "not_covered"]
    question: str
    score: float = 0.0
    understood: str = ""
    call: PlannedCall | None = None
    clarification: str = ""
    choices: tuple[Choice, ...] = ()
    leans: bool = False
    nearest: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    period: str = ""
    subject: Any = field(default=None, repr=False)


class Answerer(Protocol):
    """Reads the questions of one domain; raises nothing for a question that it does not understand."""

    domain: str

    @property
    def tools(self) -> frozenset[str]:
        """Name the tools that it calls; without one of them it is not asked."""

    async def read(self, question: str, *, before: Interpretation | None = None) -> Interpretation:
        """Read a question; `before` is the reading of the one before it, where that was this answerer's."""

    def word(self, reading: Interpretation, *, answers: Sequence[Any]) -> AnswerText | PlannedCall:
        """Put what the calls answered into words, or give the call that comes next."""
