"""
Slots: what stands for the things that people name in questions, and how they are found there.

A Toolkit carries its slots. `{team}` in an example's question stands for the slot `team`; two of one kind are told
apart as `{first:date}` and `{last:date}`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """
    One thing that a phrase of a text may mean.

    `value` is what a tool takes, `label` what a person reads, `parts` more of both, as a month's `start` and `end`.
    `start` and `end` say where in the text the phrase stands; several candidates at one place are readings of it.
    """

    value: str
    label: str
    score: float = 1.0
    start: int = 0
    end: int = 0
    parts: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


Resolver = Callable[[str], Awaitable[Sequence[Candidate]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """
    One kind of thing that questions name.

    `resolve` finds mentions of it in a text, best first at each place; without one the slot takes whatever words stand
    at its place. `usual` gives what is meant where nothing is said; without it a person is asked. `samples` gives
    texts that name real things, for showing and checking examples. `noun` completes "Which … do you mean?".
    """

    name: str
    noun: str
    samples: Callable[[], Awaitable[Sequence[str]]]
    resolve: Resolver | None = None
    default: Callable[[], Awaitable[Candidate | None]] | None = None


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A slot's place in a template: `{team}`, or `{first:date}` where its own name differs from the slot's."""

    name: str
    slot: str


PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)(?::([a-z][a-z0-9_]*))?\}")


def find_placeholders(template: str) -> list[Placeholder]:
    """Give the placeholders of a question template, in order."""
    return [Placeholder(found[1], found[2] or found[1]) for found in PLACEHOLDER.finditer(template)]
