"""
Calls by name that a server did not resolve and may have omitted.

A server that cannot resolve a call omits it without notice. This module finds such calls and reports them.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from devassist.callers.by_name import NameFinder
from devassist.callers.client import Refused
from devassist.callers.code import Stands
from devassist.callers.server_finder import ServerFinder
from devassist.callers.session import Session
from devassist.callers.source_files import SourceFiles, Stamp
from devassist.callers.traversal import Place, Site

MAX_ASKED = 200
"""The maximum calls whose definition is requested. Further calls stay unresolved."""
MAX_NAMESAKES = 10
_SHOWN = 5

Spot = tuple[str, int]


async def find_unresolved(
    targets: Sequence[Place],
    *,
    finder: ServerFinder,
    files: Mapping[str, Stamp],
    session: Session,
    reading: SourceFiles,
) -> list[Spot]:
    """Return file and line of calls that may be calls of the targets and that the server omits."""
    names = {place.function.name for place in targets}
    by_name = NameFinder(files, reading=reading)
    called = [site for place in targets[:1] for site in await by_name.sites(place)]
    reported = await _find_reported(targets, finder=finder)
    left = [site for site in called if (site.path, site.line) not in reported]
    if not left:
        return []
    if session.server.guesses:
        left = [site for site in left if PurePosixPath(site.path).suffix in session.server.guesses]
        namesakes = await asyncio.to_thread(_namesakes, names, files=files, reading=reading)
        others = [place for place in namesakes if place.key not in {target.key for target in targets}]
        claimed = await _find_reported(others[:MAX_NAMESAKES], finder=finder) if left else set()
        return _spots(site for site in left if (site.path, site.line) not in claimed)
    known = await asyncio.gather(*(_means_something(site, session=session) for site in left[:MAX_ASKED]))
    return _spots([*(site for site, is_known in zip(left, known, strict=False) if not is_known), *left[MAX_ASKED:]])


def describe(spots: Sequence[Spot], *, name: str) -> str:
    """Describe the unresolved calls in a sentence."""
    shown = ", ".join(f"{path}:{line}" for path, line in spots[:_SHOWN])
    more = f" and {len(spots) - _SHOWN} more" if len(spots) > _SHOWN else ""
    return f"The language server cannot tell whether these call it or another '{name}': {shown}{more}."


async def _find_reported(places: Sequence[Place], *, finder: ServerFinder) -> set[Spot]:
    found = await asyncio.gather(*(finder.sites(place) for place in places))
    return {(site.path, site.line) for sites in found for site in sites}


async def _means_something(site: Site, *, session: Session) -> bool:
    """Return whether the server knows any definition of the called function."""
    at = await session.place(site.path, line=site.line - 1, character=site.character)
    try:
        return bool(await session.ask("textDocument/definition", params=at, answer=object))
    except Refused:
        return False


def _namesakes(names: set[str], *, files: Mapping[str, Stamp], reading: SourceFiles) -> list[Place]:
    """Return the functions of these names anywhere in the workspace."""
    places = []
    for path in reading.find_mentioning(names, files=files):
        declared = {
            (found.line, found.character)
            for name in names
            for found in reading.mentions(name, path=path, stamp=files[path])
            if found.stands is Stands.DECLARATION
        }
        code = reading.code(path, stamp=files[path]) if declared else None
        functions = [one for one in code.functions() if (one.line, one.character) in declared] if code else []
        places += [Place(path=path, function=function) for function in functions]
    return places


def _spots(sites: Iterable[Site]) -> list[Spot]:
    return list(dict.fromkeys((site.path, site.line) for site in sites))
