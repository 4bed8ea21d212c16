"""Breadth-first traversal from a function to its callers. Each function is visited once."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from devassist.callers.code import TOP_LEVEL, Function

MAX_FOLLOWED = 1_000
_AT_ONCE = 8


class FoundBy(StrEnum):
    """How a caller was found, the most reliable way first."""

    CALL_HIERARCHY = "callHierarchy"
    REFERENCE = "reference"
    HIERARCHY = "hierarchy"
    SYNTAX = "syntax"


CONFIDENCE = {
    FoundBy.CALL_HIERARCHY: 0.99, FoundBy.REFERENCE: 0.8, FoundBy.HIERARCHY: 0.7, FoundBy.SYNTAX: 0.4,
}  # fmt: skip
"""The confidence of a call by how it was found, unless its finder sets one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A function in a file of the workspace."""

    path: str
    function: Function

    @property
    def key(self) -> tuple[str, str, int]:
        """The identity of the function."""
        return (self.path, self.function.qualified, self.function.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    A place where a function is called or named, and the function that contains it; None at a file's top level.

    `line` counts from 1, as people do, `character` from 0.
    """

    path: str
    line: int
    character: int
    caller: Function | None
    found_by: FoundBy
    confidence: float = -1.0

    @property
    def sureness(self) -> float:
        """The confidence, from 0 to 1."""
        return self.confidence if self.confidence >= 0 else CONFIDENCE[self.found_by]


@dataclass(slots=True, kw_only=True)
class Caller:
    """A function that reaches the target: its call sites, and the shortest chain of names between them."""

    name: str
    path: str
    lines: list[int]
    chain: list[str]
    found_by: FoundBy
    confidence: float

    @property
    def depth(self) -> int:
        """The number of calls between."""
        return len(self.chain) - 1


Step = tuple[Place, list[str], float]
"""A function to follow, the chain of names from it, and the lowest confidence in the chain."""


class Finder(Protocol):
    """Finds where a function is called."""

    async def sites(self, place: Place) -> list[Site]:
        """Return the call sites. Raises what the finder raises."""


@dataclass(slots=True)
class Walk:
    """The callers found so far. It may be read during the traversal."""

    finder: Finder
    callers: dict[tuple[str, str, int], Caller] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    followed: list[Place] = field(default_factory=list)
    is_cut: bool = False

    async def follow(self, targets: Iterable[tuple[Place, str]], *, depth: int) -> None:
        """Find callers up to `depth` calls away. `targets` are functions with the name that ends their chains."""
        level = [(place, [name], 1.0) for place, name in targets]
        followed = {place.key for place, _, _ in level}
        turns = asyncio.Semaphore(_AT_ONCE)
        for calls_away in range(1, depth + 1):
            steps = await asyncio.gather(*(self._step(step, turns=turns) for step in level))
            level = []
            for step in (found for group in steps for found in group):
                if step[0].key not in followed:
                    followed.add(step[0].key)
                    level.append(step)
            if len(followed) > MAX_FOLLOWED and calls_away < depth:
                self.is_cut = self.is_cut or bool(level)
                level = level[: max(MAX_FOLLOWED - len(followed) + len(level), 0)]

    async def _step(self, step: Step, *, turns: asyncio.Semaphore) -> list[Step]:
        """Record the callers of one function and return those to follow."""
        place, chain, confidence = step
        self.names.add(place.function.name)
        self.followed.append(place)
        async with turns:
            sites = await self.finder.sites(place)
        found = []
        for site in sites:
            name = site.caller.qualified if site.caller else TOP_LEVEL
            weakest = min(confidence, site.sureness)
            self._note(site, chain=[name, *chain], confidence=weakest)
            if site.caller and site.caller.callable:
                found.append((Place(path=site.path, function=site.caller), [name, *chain], weakest))
        return found

    def _note(self, site: Site, *, chain: list[str], confidence: float) -> None:
        key = (site.path, chain[0], site.caller.line if site.caller else -1)
        known = self.callers.get(key)
        if known is None or (len(known.chain), known.chain) > (len(chain), chain):
            self.callers[key] = Caller(
                name=chain[0],
                path=site.path,
                lines=[site.line],
                chain=chain,
                found_by=site.found_by,
                confidence=confidence,
            )
        elif known.chain[1:] == chain[1:]:
            if site.line not in known.lines:
                known.lines.append(site.line)
            known.confidence = max(known.confidence, confidence)
            if list(FoundBy).index(site.found_by) < list(FoundBy).index(known.found_by):
                known.found_by = site.found_by
