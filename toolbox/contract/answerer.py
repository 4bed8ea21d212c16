"""
Interface of answerers: a domain reads a question in plain language, names the calls, and words their answers.

A Toolkit may have an answerer of its own; curated examples answer for every domain (toolbox/examples/answerer.py).
toolbox/answering decides between several readings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

Outcome = Literal["answered", "asked_back", "not_covered", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One possible reply to a clarification, and the whole question that it stands for."""

    label: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """
    A part of how a question was understood, and the questions that change it.

    `without` is the whole question without the part, "" if it asks nothing then. `instead` is the whole question with
    another value, up to that value: one of `values` completes it after a space.
    """

    text: str
    without: str = ""
    instead: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A tool call that answers a question, or a part of it."""

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
    One domain's reading of a question.

    `score`, from 0 to 1, says how sure the reading is, on one scale for all domains: 1 if every word of the question is
    understood. `understood` is the question in the domain's words. A `covered` reading has a `call`; an `unclear` one
    has a `clarification` to ask and `choices` as replies. `leans` means that the subject comes from the previous
    question. `nearest` are similar questions that can be answered. `names` are what the question is about: "they" in
    the next question means these. `period` is the time that the question states; a next question with "they" keeps it.
    `alone` is a question that means the same without those before it, where the answerer can list its parts.
    `subject` is private to the answerer.
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
    alone: str = ""
    subject: Any = field(default=None, repr=False)


class Answerer(Protocol):
    """Reads the questions of one domain; raises nothing for a question that it does not understand."""

    domain: str

    @property
    def tools(self) -> frozenset[str]:
        """Return the names of the tools that it calls; it is used only if all of them are available."""

    async def read(self, question: str, *, before: Interpretation | None = None) -> Interpretation:
        """Read a question; `before` is this answerer's reading of the previous one, if it has any."""

    def word(self, reading: Interpretation, *, answers: Sequence[Any]) -> AnswerText | PlannedCall:
        """Word the answers of the calls so far, or return the next call."""


@runtime_checkable
class PartsAnswerer(Protocol):
    """An answerer whose questions can be changed part by part."""

    async def list_parts(self, alone: str) -> Sequence[Part]:
        """Return the parts of an Interpretation's `alone`; empty if it cannot be read any more."""
