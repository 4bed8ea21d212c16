"""
Slots: the kinds of things that questions name, and how mentions of them are found in a text.

A Toolkit has slots. `{team}` in an example's question stands for the slot `team`; two of one kind are written
`{first:date}` and `{last:date}`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """
    One thing that a phrase in a text may mean.

    `value` is what a tool takes, `label` what a person reads, and `parts` are further values, such as a month's `start`
    and `end`. `start` and `end` are the phrase's position in the text; candidates at one position are alternative
    readings.
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

    `resolve` finds mentions in a text, best first at each position; without it, the slot takes any words at its
    position. `default` returns what is meant when nothing is said; without it, a person is asked. `samples` returns
    texts that name real things, to show and check examples. `noun` completes "Which … do you mean?".
    """

    name: str
    noun: str
    samples: Callable[[], Awaitable[Sequence[str]]]
    resolve: Resolver | None = None
    default: Callable[[], Awaitable[Candidate | None]] | None = None


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A slot's place in a template: `{team}`, or `{first:date}` if its name differs from the slot's."""

    name: str
    slot: str


PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)(?::([a-z][a-z0-9_]*))?\}")


def find_placeholders(template: str) -> list[Placeholder]:
    """Return the placeholders of a question template, in order."""
    return [Placeholder(found[1], found[2] or found[1]) for found in PLACEHOLDER.finditer(template)]
