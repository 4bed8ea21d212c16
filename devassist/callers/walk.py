"""From a function to its callers, to theirs, and so on: breadth first, each function once."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from devassist.callers.code import TOP_LEVEL, Function

MAX_FOLLOWED = 1_000
_AT_ONCE = 8


class FoundBy(StrEnum):
    """How a caller was found, the surest first."""

    CALL_HIERARCHY = "callHierarchy"
    REFERENCE = "reference"
    SYNTAX = "syntax"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A function in a file of the workspace."""

    path: str
    function: Function

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from others."""
        return (self.path, self.function.qualified, self.function.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    A place where a function is called or named, and in which function that is; None at a file's top level.

    `line` counts from 1, as people do, `character` from 0.
    """

    path: str
    line: int
    character: int
    caller: Function | None
    found_by: FoundBy


@dataclass(slots=True, kw_only=True)
class Caller:
    """A function that reaches the one asked about: where it calls, and the shortest chain of names between."""

    name: str
    path: str
    lines: list[int]
    chain: list[str]
    found_by: FoundBy

    @property
    def depth(self) -> int:
        """How many calls lie between."""
        return len(self.chain) - 1


class Finder(Protocol):
    """Finds where a function is called."""

    async def sites(self, place: Place) -> list[Site]:
        """Give the places; raises what the finder raises."""


@dataclass(slots=True)
class Walk:
    """What has been found so far; it may be read while the walk goes on."""

    finder: Finder
    callers: dict[tuple[str, str, int], Caller] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    followed: list[Place] = field(default_factory=list)
    is_cut: bool = False

    async def follow(self, targets: Iterable[tuple[Place, str]], *, depth: int) -> None:
        """Find callers up to `depth` calls away; `targets` are functions with the name that ends their chains."""
        level = [(place, [name]) for place, name in targets]
        followed = {place.key for place, _ in level}
        turns = asyncio.Semaphore(_AT_ONCE)
        for calls_away in range(1, depth + 1):
            steps = await asyncio.gather(*(self._step(place, chain=chain, turns=turns) for place, chain in level))
            level = []
            for place, chain in (found for step in steps for found in step):
                if place.key not in followed:
                    followed.add(place.key)
                    level.append((place, chain))
            if len(followed) > MAX_FOLLOWED and calls_away < depth:
                self.is_cut = bool(level)
                level = level[: max(MAX_FOLLOWED - len(followed) + len(level), 0)]

    async def _step(self, place: Place, *, chain: list[str], turns: asyncio.Semaphore) -> list[tuple[Place, list[str]]]:
        """Note the callers of one function, and give those that can be followed."""
        self.names.add(place.function.name)
        self.followed.append(place)
        async with turns:
            sites = await self.finder.sites(place)
        found = []
        for site in sites:
            name = site.caller.qualified if site.caller else TOP_LEVEL
            self._note(site, chain=[name, *chain])
            if site.caller and site.caller.callable:
                found.append((Place(path=site.path, function=site.caller), [name, *chain]))
        return found

    def _note(self, site: Site, *, chain: list[str]) -> None:
        key = (site.path, chain[0], site.caller.line if site.caller else -1)
        known = self.callers.get(key)
        if known is None or (len(known.chain), known.chain) > (len(chain), chain):
            self.callers[key] = Caller(
                name=chain[0], path=site.path, lines=[site.line], chain=chain, found_by=site.found_by
            )
        elif known.chain[1:] == chain[1:]:
            if site.line not in known.lines:
                known.lines.append(site.line)
            if list(FoundBy).index(site.found_by) < list(FoundBy).index(known.found_by):
                known.found_by = site.found_by
