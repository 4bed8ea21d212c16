"""Callers found by name alone, by a text search and a grammar. Never mixed with results of servers."""

import asyncio
from collections.abc import Iterable, Mapping

from devassist.callers.code import Stands
from devassist.callers.source_files import SourceFiles, Stamp
from devassist.callers.traversal import FoundBy, Place, Site


class NameFinder:
    """Finds every call of a function of that name, whichever function it is."""

    def __init__(self, files: Mapping[str, Stamp], *, reading: SourceFiles) -> None:
        self._files = files
        self._reading = reading
        self._known: dict[str, list[Site]] = {}

    async def sites(self, place: Place) -> list[Site]:
        """Return where a function of the name is called."""
        name = place.function.name
        if name not in self._known:
            self._known[name] = await asyncio.to_thread(self._search, name)
        return self._known[name]

    def _search(self, name: str) -> list[Site]:
        mentions = self._reading.find_mentioning([name], files=self._files)
        return [site for path in sorted(mentions) for site in self._in_file(path, name=name)]

    def _in_file(self, path: str, *, name: str) -> Iterable[Site]:
        for found in self._reading.mentions(name, path=path, stamp=self._files[path]):
            if found.stands is Stands.CALL:
                yield Site(
                    path=path,
                    line=found.line + 1,
                    character=found.character,
                    caller=found.caller,
                    found_by=FoundBy.SYNTAX,
                )
