"""Callers from a language server: its call hierarchy, and its references read with our own grammar."""

import asyncio
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from devassist.bounds import Bounds
from devassist.callers.client import Refused
from devassist.callers.code import Code, Mention, Stands
from devassist.callers.protocol import IncomingCall, Location
from devassist.callers.session import Session
from devassist.callers.source_files import SourceFiles, Stamp
from devassist.callers.traversal import FoundBy, Place, Site

MAX_SITES = 10_000
"""The maximum call sites of one function. More are cut, and the answer says so."""

MAX_ITEMS = 20
"""The maximum declarations of one place whose calls are asked for."""

MAX_SHOWN = 100
"""The maximum files opened at a server because they mention one function."""

MAX_ALIASES = 50
"""The maximum import aliases of one function."""

Row = TypeVar("Row")
DEFINED: Any = Location | list[Location] | None
_Spot = tuple[str, int, int]


class ServerFinder:
    """
    The callers of a function by one server.

    Where the calls are known, references are asked for `refers_to` only, if that is set, and for what is somewhere
    named without a call: servers search every file for each. A reference is a caller where a function's name is called
    or handed on, not where it is imported or declared.
    """

    def __init__(self, session: Session, *, reading: SourceFiles, files: Mapping[str, Stamp]) -> None:
        self._session = session
        self._reading = reading
        self._files = files
        self.refers_to: Container[object] | None = None
        self.refusals: list[str] = []
        self.bounds = Bounds()
        self.doubted: list[tuple[str, int]] = []
        self._known: dict[object, list[Site]] = {}

    async def sites(self, place: Place) -> list[Site]:
        """Return where the function is called, with one request for each function. Raises Gone."""
        if place.key not in self._known:
            self._known[place.key] = await self._sites(place)
        return self._known[place.key]

    async def _sites(self, place: Place) -> list[Site]:
        function = place.function
        if self._session.server.opens == "project":
            # A project file may leave out the very file that calls, as tests often are.
            naming = await asyncio.to_thread(self._reading.find_mentioning, [function.name], files=self._files)
            shown = self.bounds.take(naming, most=MAX_SHOWN, what=f"files that mention '{function.name}'")
            await self._session.show(shown)
        at = await self._session.place(place.path, line=function.line, character=function.character)
        hierarchy = await self._hierarchy(at)
        found = dict.fromkeys(hierarchy or (), FoundBy.CALL_HIERARCHY)
        is_asked = hierarchy is None or self.refers_to is None or place.key in self.refers_to
        if is_asked or await asyncio.to_thread(self._is_handed_on, function.name):
            for spot in await self._find_names(place, at=at, matters=hierarchy is None):
                found.setdefault(spot, FoundBy.REFERENCE)
        spots = self.bounds.take(list(found.items()), most=MAX_SITES, what=f"places that name '{function.name}'")
        return await asyncio.to_thread(self._place_spots, spots)

    async def _hierarchy(self, at: dict[str, Any]) -> list[_Spot] | None:
        """Return the calls that the server knows. None if it does not support this or refuses."""
        if not self._session.has_call_hierarchy:
            return None
        try:
            items = await self._ask("textDocument/prepareCallHierarchy", at, answer=list[dict[str, Any]])
            calls: list[IncomingCall] = []
            for item in self.bounds.take(items, most=MAX_ITEMS, what="declarations that the language server gives"):
                calls += await self._ask("callHierarchy/incomingCalls", {"item": item}, answer=list[IncomingCall])
        except Refused as refused:
            self.refusals.append(str(refused))
            return None
        spots = [(call.caller.get("uri"), found) for call in calls for found in call.ranges]
        return self._inside((str(uri), found.start.line, found.start.character) for uri, found in spots)

    async def _find_names(self, place: Place, *, at: dict[str, Any], matters: bool) -> list[_Spot]:
        """Return where it is named, including aliases of imports, which not every server follows."""
        spots = await self._references(at, matters=matters)
        aliased = await asyncio.to_thread(self._find_aliases, place.function.name)
        left = [spot for spot in aliased if spot not in spots]
        self.doubted += [(path, line + 1) for path, line, _ in left[MAX_ALIASES:]]
        more = await asyncio.gather(
            *(self._by_alias(place, at=spot, alias=aliased[spot]) for spot in left[:MAX_ALIASES])
        )
        return spots + [spot for found in more for spot in found]

    async def _by_alias(self, place: Place, *, at: _Spot, alias: tuple[int, int]) -> list[_Spot]:
        path, line, character = at
        meant = await self._definitions(await self._session.place(path, line=line, character=character))
        if not meant:
            self.doubted.append((path, line + 1))
        if (place.path, place.function.line) not in {(found, row) for found, row, _ in meant}:
            return []
        return await self._references(await self._session.place(path, line=alias[0], character=alias[1]), matters=True)

    async def _definitions(self, at: dict[str, Any]) -> list[_Spot]:
        try:
            found = await self._session.ask("textDocument/definition", params=at, answer=DEFINED)
        except Refused:
            return []
        locations = [found] if isinstance(found, Location) else found or []
        return self._inside((place.uri, place.range.start.line, place.range.start.character) for place in locations)

    def _is_handed_on(self, name: str) -> bool:
        """Return whether the name occurs without being called."""
        return any(found.stands is Stands.REFERENCE or found.alias for _, found in self._mentions(name))

    def _find_aliases(self, name: str) -> dict[_Spot, tuple[int, int]]:
        """Return where imports give the name an alias, and where the alias occurs."""
        return {(path, found.line, found.character): found.alias for path, found in self._mentions(name) if found.alias}

    def _mentions(self, name: str) -> Iterator[tuple[str, Mention]]:
        for path in self._reading.find_mentioning([name], files=self._files):
            for found in self._reading.mentions(name, path=path, stamp=self._files[path]):
                yield path, found

    async def _references(self, at: dict[str, Any], *, matters: bool) -> list[_Spot]:
        """Return the references. A refusal is ignored if the calls are known."""
        question = {**at, "context": {"includeDeclaration": False}}
        try:
            locations = await self._ask("textDocument/references", question, answer=list[Location])
        except Refused as refused:
            self.refusals += [str(refused)] if matters else []
            return []
        return self._inside((place.uri, place.range.start.line, place.range.start.character) for place in locations)

    async def _ask(self, method: str, params: dict[str, Any], *, answer: type[list[Row]]) -> list[Row]:
        found: list[Row] | None = await self._session.ask(method, params=params, answer=answer | None)  # type: ignore[arg-type]  # a union is a type to msgspec
        return found or []

    def _inside(self, spots: Iterable[_Spot]) -> list[_Spot]:
        """Convert paths to paths in the workspace and leave out those outside of it."""
        named = ((self._session.path(uri), line, character) for uri, line, character in spots)
        return [(path, line, character) for path, line, character in named if path is not None]

    def _place_spots(self, spots: list[tuple[_Spot, FoundBy]]) -> list[Site]:
        sites = []
        codes: dict[str, Code | None] = {}
        for (path, line, character), found_by in sorted(spots):
            if path not in codes:
                codes[path] = self._reading.code(path, stamp=self._files.get(path))
            if min(line, character) < 0 or (code := codes[path]) is None:
                continue
            stands = code.stands_at(line, character=character)
            if found_by is FoundBy.REFERENCE and stands not in (Stands.CALL, Stands.REFERENCE):
                continue
            caller = code.find_enclosing(line, character=character)
            sites.append(Site(path=path, line=line + 1, character=character, caller=caller, found_by=found_by))
        return sites
