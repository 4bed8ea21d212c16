"""Finds callers by name alone: what a search of the text knows, read with a grammar. Never mixed with what servers say."""

import asyncio
import re
from collections.abc import Iterable

from devassist.callers.code import Stands
from devassist.callers.reading import Reading
from devassist.callers.walk import FoundBy, Place, Site


class NameFinder:
    """Every call of a function of that name counts, whichever function it is."""

    def __init__(self, files: Iterable[str], *, reading: Reading) -> None:
        self._files = sorted(files)
        self._reading = reading
        self._known: dict[str, list[Site]] = {}

    async def sites(self, place: Place) -> list[Site]:
        """Give where a function of the name is called."""
        name = place.function.name
        if name not in self._known:
            self._known[name] = await asyncio.to_thread(self._search, name)
        return self._known[name]

    def _search(self, name: str) -> list[Site]:
        mentions = [path for path in self._files if mentions_any(self._reading.text(path), [name])]
        return [site for path in mentions for site in self._in_file(path, name=name)]

    def _in_file(self, path: str, *, name: str) -> Iterable[Site]:
        code = self._reading.code(path)
        for line, character, stands in code.mentions(name) if code else ():
            if stands is Stands.CALL:
                yield Site(
                    path=path,
                    line=line + 1,
                    character=character,
                    caller=code.enclosing(line, character=character),
                    found_by=FoundBy.SYNTAX,
                )


def mentions_any(text: bytes | None, names: Iterable[str]) -> bool:
    """Tell whether one of the names stands in the text as a word."""
    words = [re.escape(name.encode()) for name in names]
    return bool(text and words and re.search(rb"(?<![\w$])(?:" + b"|".join(words) + rb")(?![\w$])", text))
