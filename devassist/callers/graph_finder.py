"""Callers from the code graph, alone or beside a language server, with the calls that it could not resolve."""

from collections.abc import Container, Sequence

from devassist.bounds import Bounds
from devassist.callers.code import Function
from devassist.callers.traversal import Finder, FoundBy, Place, Site
from devassist.code_graph import queries
from devassist.code_graph.queries import CallRow, OpenCall, SymbolRow

MAX_SITES = 1_000
"""The maximum calls of one function. More are cut, and the answer says so."""
MAX_DOUBTED = 20
MAX_SPOTS = 50
"""The maximum unresolved calls that are read of one name."""
_SHOWN = 5


class GraphFinder:
    """The callers of a function by the graph of a workspace, without calls in files that changed since."""

    def __init__(self, workspace_id: int, *, changed: frozenset[str] = frozenset()) -> None:
        self._workspace_id, self._changed = workspace_id, changed
        self._symbols: dict[object, SymbolRow | None] = {}
        self._called: set[object] = set()
        self._cut: dict[object, str] = {}

    async def sites(self, place: Place) -> list[Site]:
        """Return where the function is called."""
        symbol = await self._symbol(place)
        calls = await queries.find_callers(symbol, limit=MAX_SITES + 1) if symbol is not None else []
        self._called |= {place.key} if calls else set()
        if len(calls) > MAX_SITES:
            self._cut[place.key] = (
                f"'{place.function.name}' has more than {MAX_SITES:,} calls; the others are left out."
            )
        return [_site(call) for call in calls[:MAX_SITES] if call.path not in self._changed]

    async def doubts(self, places: Sequence[Place], *, asked: Container[object] = ()) -> list[str]:
        """
        Return the unresolved calls that may be calls of the functions.

        Calls of the names of those in `asked`, by their keys, are left out: a language server was asked about them.
        """
        bounds = Bounds()
        taken = bounds.take(places, most=MAX_DOUBTED, what="functions followed whose unresolved calls count")
        found = [
            *bounds.take(list(self._cut.values()), most=_SHOWN, what="functions with too many calls"),
            *bounds.reasons,
        ]
        for place in taken:
            symbol = await self._symbol(place)
            if symbol is None:
                continue
            name = symbol.name
            if spots := await self._open_calls(symbol, computed_only=place.key in asked):
                found.append(f"It is not known whether these call '{name}': {_join_places(spots)}.")
            if symbol.kind == "property":
                found.append(f"'{name}' is a property; where it is used on values of unknown type is not known.")
            if symbol.handed_to:
                found.append(
                    f"'{name}' is handed on at {symbol.handed_to} to code that is not followed, which may call it."
                )
            if place.key not in self._called:
                spots = await queries.find_computed_calls(self._workspace_id, limit=MAX_SPOTS)
                found += (
                    [f"These call functions by computed names, of which '{name}' may be one: {_join_places(spots)}."]
                    if spots
                    else []
                )
        return found

    async def _open_calls(self, symbol: SymbolRow, *, computed_only: bool) -> list[OpenCall]:
        if symbol.kind != "method":
            return []
        return await queries.find_open_calls(
            symbol.name, workspace_id=self._workspace_id, computed_only=computed_only, limit=MAX_SPOTS
        )

    async def _symbol(self, place: Place) -> SymbolRow | None:
        if place.key not in self._symbols:
            self._symbols[place.key] = await queries.find_symbol_at(
                place.path, line=place.function.line + 1, name=place.function.name, workspace_id=self._workspace_id
            )
        return self._symbols[place.key]


class JoinedFinder:
    """Combines the results of a server, or a search by name, with those of the graph elsewhere."""

    def __init__(self, server: Finder, *, graph: GraphFinder) -> None:
        self._server, self._graph = server, graph

    async def sites(self, place: Place) -> list[Site]:
        """Return where the function is called. On the same line the server's result wins."""
        told = await self._server.sites(place)
        known = {(site.path, site.line) for site in told}
        return [*told, *(site for site in await self._graph.sites(place) if (site.path, site.line) not in known)]


def _site(call: CallRow) -> Site:
    caller = call.caller
    return Site(
        path=call.path,
        line=call.line,
        character=call.character,
        caller=Function(
            name=caller.name, qualified=caller.qualified_name, line=caller.line - 1, character=caller.character,
            callable=caller.kind not in ("class", "interface"),
        )
        if caller
        else None,
        found_by=FoundBy.HIERARCHY if call.found_by == "hierarchy" else FoundBy.SYNTAX,
        confidence=call.confidence,
    )  # fmt: skip


def _join_places(spots: Sequence[OpenCall]) -> str:
    shown = ", ".join(f"{spot.path}:{spot.line}" for spot in spots[:_SHOWN])
    least = "at least " if len(spots) >= MAX_SPOTS else ""
    return shown + (f" and {least}{len(spots) - _SHOWN} more" if len(spots) > _SHOWN else "")
