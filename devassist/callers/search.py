"""One caller search. It continues after its caller has left, and says what it does not know."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from devassist.bounds import Bounds
from devassist.callers.by_name import NameFinder
from devassist.callers.client import Gone
from devassist.callers.documents import is_wanted
from devassist.callers.graph_finder import GraphFinder, JoinedFinder
from devassist.callers.languages import LanguageServer
from devassist.callers.server_finder import ServerFinder
from devassist.callers.servers import Servers
from devassist.callers.session import Session
from devassist.callers.source_files import SourceFiles
from devassist.callers.traversal import Finder, Place, Walk
from devassist.callers.unresolved_calls import describe, find_unresolved
from devassist.files import sources
from devassist.files.sources import Sources, Stamp

_TRIES = 2
_LATER = "ask again in a few seconds."
_SHOWN = 5
_DOUBTED = 20

BY_NAME = (
    "This is a search by name alone: callers through another name are missing, and callers of other functions of "
    "that name may be among these."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerQuestion:
    """The target functions, each with the name that ends its chains, and the depth."""

    targets: tuple[tuple[Place, str], ...]
    depth: int
    server: LanguageServer | None
    graph: int | None = None
    """The workspace whose code graph is also queried."""
    changed: frozenset[str] | None = None
    """Files that changed since that graph was built, whose calls it does not know. None if it is current."""


@dataclass(slots=True)
class Search:
    """
    One question on its way. `walk` holds what was found so far, `reasons` why there may be more.

    With a server asks it; without one, or until it is ready, the code graph; without that too, searches by name.
    """

    asked: CallerQuestion
    servers: Servers
    reading: SourceFiles
    walk: Walk = field(init=False)
    reasons: list[str] = field(default_factory=list)
    files: Sources = sources.NONE
    session: Session | None = None
    graph: GraphFinder | None = None
    is_passing: bool = False
    """True if a repeated search may find more although no file has changed."""
    _asked: set[object] = field(default_factory=set)
    """Keys of the functions of whose name every call was put to the server."""

    def __post_init__(self) -> None:
        self.walk = Walk(NameFinder({}, reading=self.reading))
        changed = self.asked.changed or frozenset()
        self.graph = GraphFinder(self.asked.graph, changed=changed) if self.asked.graph is not None else None

    async def run(self) -> None:
        """Find the callers. Raises NoCommand and NotNow if the server is unavailable."""
        if self.asked.server is None:
            await self._search()
            return
        if self.graph is not None:
            self.walk = Walk(self.graph)
            await self.walk.follow(self.asked.targets, depth=self.asked.depth)
        for attempt in range(_TRIES):
            try:
                await self._ask(self.asked.server)
                break
            except Gone as gone:
                if attempt == _TRIES - 1:
                    self.is_passing = True
                    self.reasons.append(f"The language server stopped ({str(gone)[:120]}); it is started again.")
        if self.graph is not None:
            self.reasons += await self.graph.doubts(self.walk.followed, asked=self._asked)
        self.reasons += await asyncio.to_thread(self._gaps)

    def is_current(self) -> bool:
        """Return whether the files are unchanged since it began."""
        return sources.look(self.reading.root, wanted=self._is_wanted).files == self.files.files

    def whereabouts(self) -> str:
        """Describe the progress for a caller that cannot wait."""
        if self.asked.server is None:
            return f"The search goes on; {_LATER}"
        if self.session is None or not self.session.is_ready:
            return f"The language server is still starting and indexing; {_LATER}"
        return f"The language server is still answering; {_LATER}"

    async def _ask(self, server: LanguageServer) -> None:
        self.session = session = self.servers.session(server, root=self.reading.root, read=self.reading.text)
        await asyncio.shield(session.ready)
        self.files = await session.keep_up()
        if session.server.guesses:
            await session.at_rest()
        finder = ServerFinder(session, reading=self.reading, files=self.files.files)
        finder.refers_to = {place.key for place, _ in self.asked.targets}
        self.walk = Walk(JoinedFinder(finder, graph=self.graph) if self.graph is not None else finder)
        await self.walk.follow(self.asked.targets, depth=self.asked.depth)
        if finder.refusals:
            self.is_passing = True
            self.reasons.append(f"The language server answered with an error: {finder.refusals[0][:200]}")
        self.reasons += finder.bounds.reasons
        if session.server.guesses and session.is_busy:
            self.is_passing = True
            self.reasons.append(f"The language server was still at work on files; {_LATER}")
        await self._doubt(session, finder=finder)

    async def _doubt(self, session: Session, *, finder: ServerFinder) -> None:
        """Look for calls that the server omits: of the targets, and of every followed function if it guesses."""
        files = {path: stamp for path, stamp in self.files.files.items() if session.server.language_of(path)}
        targets = [place for place, _ in self.asked.targets]
        groups = [targets]
        if finder.doubted:
            self.reasons.append(describe(finder.doubted, name=targets[0].function.name))
        if session.server.guesses:
            bounds = Bounds()
            taken = bounds.take(
                self.walk.followed, most=_DOUBTED, what="functions followed whose unresolved calls count"
            )
            self.reasons += bounds.reasons
            groups += [[place] for place in taken if place not in targets]
            finder = ServerFinder(session, reading=self.reading, files=self.files.files)
        for group in groups:
            self._asked |= {place.key for place in group}
            if spots := await find_unresolved(group, finder=finder, files=files, session=session, reading=self.reading):
                self.reasons.append(describe(spots, name=group[0].function.name))

    async def _search(self) -> None:
        self.files = await asyncio.to_thread(sources.look, self.reading.root, wanted=self._is_wanted)
        self.walk = Walk(self._finder())
        await self.walk.follow(self.asked.targets, depth=self.asked.depth)
        doubts = [BY_NAME] if self.graph is None else await self.graph.doubts(self.walk.followed)
        self.reasons = [*doubts, *await asyncio.to_thread(self._gaps)]

    def _finder(self) -> Finder:
        """Return what searches without a server: the graph, and names in what it does not know or all files."""
        if self.graph is None:
            return NameFinder(self.files.files, reading=self.reading)
        changed = self.asked.changed or frozenset()
        left = {path: stamp for path, stamp in self.files.files.items() if path in changed}
        return JoinedFinder(NameFinder(left, reading=self.reading), graph=self.graph) if left else self.graph

    def _is_wanted(self, path: str) -> bool:
        if self.asked.server is not None:
            return is_wanted(path, server=self.asked.server)
        suffixes = {place.path.rpartition(".")[2].lower() for place, _ in self.asked.targets}
        kin = next((group for group in _KIN if suffixes & group), suffixes)
        return path.rpartition(".")[2].lower() in kin

    def _gaps(self) -> list[str]:
        """List what was not searched or could not be read."""
        found = []
        if self.files.is_cut:
            found.append("The workspace has more source files than are looked at.")
        if self.walk.is_cut:
            found.append("There are more callers than are followed.")
        if broken := self._find_broken(self.files.files):
            found.append(f"Callers may be missing from files that name it and do not parse: {_join(broken)}.")
        if unread := self._find_unread(self.files.files):
            found.append(f"Callers may be missing from files that are too large or not readable: {_join(unread)}.")
        return found

    def _find_broken(self, files: Mapping[str, Stamp]) -> list[str]:
        named = self.reading.find_mentioning(self.walk.names, files=files)
        return [path for path in named if self.reading.is_broken(path, stamp=files[path])]

    def _find_unread(self, files: Mapping[str, Stamp]) -> list[str]:
        """Return the files that were not searched. A server reads files by itself."""
        if self.asked.server is not None:
            return []
        return [path for path, stamp in files.items() if self.reading.words_of(path, stamp=stamp) is None]


_KIN = ({"kt", "kts", "java"}, {"ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"}, {"py", "pyi"})
"""Extensions of languages that call one another."""


def join_reasons(reasons: Iterable[str]) -> str | None:
    """Join reasons into one sentence, or return None without any."""
    return " ".join(dict.fromkeys(reasons)) or None


def _join(paths: Sequence[str]) -> str:
    return ", ".join(paths[:_SHOWN]) + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")
