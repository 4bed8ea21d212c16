"""
Queries of the code graph of a workspace.

    for symbol in await find_symbols("NoteRepository.save", workspace_id=7):
        await find_callers(symbol)              # direct callers, each call once
        await find_implementations(symbol)      # overrides of a method, subclasses of a class

`read_build` returns the state of the graph. Without a finished build the other queries may miss rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devassist.files.sources import MAX_FILES, Stamp
from toolbox.database.pools import reader

MAX_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolRow:
    """
    A function, a method, a class or an interface.

    `line` is that of its name, from 1; `container` the qualified name of the class or function around it.
    `handed_to` is a place where it is handed, as a value, to code that is not followed.
    `found_by` is "syntax", "hierarchy" or "server"; `confidence` from 0 to 1.
    """

    id: int
    path: str
    line: int
    character: int
    start_line: int
    end_line: int
    name: str
    qualified_name: str
    kind: str
    container: str
    signature: str
    handed_to: str
    is_test: bool
    found_by: str = "syntax"
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """A call: its place, the function around it (None at a file's top level), and how it was resolved."""

    path: str
    line: int
    character: int
    name: str
    receiver: str
    caller: SymbolRow | None
    target_id: int | None
    is_test: bool
    found_by: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A call that may reach more than what was found. A name that ends in `*` is a computed name's prefix."""

    path: str
    line: int
    character: int
    callee_name: str
    receiver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRow:
    """The state of a graph's build; `state` is "reading", "linking", "ready" or "failed"."""

    root: str
    state: str
    files_done: int
    files_total: int
    content_hash: str
    version: int
    is_cut: bool
    note: str


_SYMBOL = """s.id, f.path, s.line, s.character, s.start_line, s.end_line, s.name, s.qualified_name, s.kind,
  coalesce(c.qualified_name, '') AS container, s.signature, s.handed_to, f.is_test"""
_JOINS = """JOIN devassist_graph_files AS f ON f.id = s.file_id
LEFT JOIN devassist_graph_symbols AS c ON c.id = s.container_id"""

_FIND_SYMBOLS = f"""
SELECT {_SYMBOL} FROM devassist_graph_symbols AS s {_JOINS}
WHERE s.workspace_id = %(workspace)s AND s.name = %(name)s
  AND (s.qualified_name = %(qualified)s OR right(s.qualified_name, length(%(ending)s)) = %(ending)s)
  AND (%(path)s::text IS NULL OR f.path = %(path)s)
ORDER BY f.is_test, f.path, s.line LIMIT {MAX_ROWS}
"""

_FIND_PREFIX = f"""
SELECT {_SYMBOL} FROM devassist_graph_symbols AS s {_JOINS}
WHERE s.workspace_id = %(workspace)s AND starts_with(lower(s.name), lower(%(name)s))
ORDER BY length(s.name), f.is_test, f.path, s.line LIMIT %(limit)s
"""

_FIND_SUBCLASSES = f"""
WITH RECURSIVE below (id) AS (
  SELECT symbol_id FROM devassist_graph_bases WHERE base_id = %(id)s
  UNION
  SELECT b.symbol_id FROM devassist_graph_bases AS b JOIN below ON b.base_id = below.id
)
SELECT {_SYMBOL} FROM devassist_graph_symbols AS s {_JOINS}
WHERE s.id IN (SELECT id FROM below) ORDER BY f.path, s.line LIMIT %(limit)s
"""

_FIND_OVERRIDES = f"""
WITH RECURSIVE below (id) AS (
  SELECT b.symbol_id FROM devassist_graph_bases AS b
  JOIN devassist_graph_symbols AS method ON method.container_id = b.base_id WHERE method.id = %(id)s
  UNION
  SELECT b.symbol_id FROM devassist_graph_bases AS b JOIN below ON b.base_id = below.id
)
SELECT {_SYMBOL} FROM devassist_graph_symbols AS s {_JOINS}
WHERE s.container_id IN (SELECT id FROM below) AND s.name = %(name)s ORDER BY f.path, s.line LIMIT %(limit)s
"""

_FIND_CALLERS = """
SELECT f.path, call.line AS call_line, call.character AS call_character, call.callee_name, call.receiver,
  call.target_id, call.found_by, call.confidence, f.is_test, s.id, s.line, s.character, s.start_line, s.end_line,
  s.name, s.qualified_name, s.kind, coalesce(c.qualified_name, '') AS container, s.signature,
  s.handed_to
FROM devassist_graph_calls AS call JOIN devassist_graph_files AS f ON f.id = call.file_id
LEFT JOIN devassist_graph_symbols AS s ON s.id = call.caller_id
LEFT JOIN devassist_graph_symbols AS c ON c.id = s.container_id
WHERE call.target_id = ANY(%(ids)s) ORDER BY f.is_test, f.path, call.line LIMIT %(limit)s
"""

_FIND_OPEN_CALLS = """
SELECT f.path, call.line, call.character, call.callee_name, call.receiver
FROM devassist_graph_calls AS call JOIN devassist_graph_files AS f ON f.id = call.file_id
WHERE call.workspace_id = %(workspace)s AND call.is_open AND call.target_id IS NULL
  AND call.callee_name = ANY(%(names)s)
ORDER BY f.is_test, f.path, call.line LIMIT %(limit)s
"""

_FIND_PROBLEMS = """
SELECT path, problem FROM devassist_graph_files
WHERE workspace_id = %(workspace)s AND problem <> '' ORDER BY path LIMIT %(limit)s
"""

_FIND_AT = f"""
SELECT {_SYMBOL} FROM devassist_graph_symbols AS s {_JOINS}
WHERE s.workspace_id = %(workspace)s AND s.name = %(name)s AND f.path = %(path)s ORDER BY abs(s.line - %(line)s) LIMIT 1
"""

_FIND_STAMPS = f"""
SELECT path, modified_ns, size, calls_hash = '' AS is_unlinked FROM devassist_graph_files
WHERE workspace_id = %(workspace)s LIMIT {MAX_FILES}
"""

_READ_BUILD = """
SELECT root, state, files_done, files_total, content_hash, version, is_cut, note
FROM devassist_graph_builds WHERE workspace_id = %(workspace)s LIMIT 1
"""


async def find_symbols(
    name: str, *, workspace_id: int, path: str | None = None, is_prefix: bool = False, limit: int = 100
) -> list[SymbolRow]:
    """
    Find symbols by name or by the end of their qualified name, as `Class.method`; `#` and `::` count as dots.

    With `is_prefix` also those whose name begins so, in any case.
    """
    plain = name.strip().removesuffix("()").replace("::", ".").replace("#", ".")
    wanted = {
        "workspace": workspace_id, "name": plain.rpartition(".")[2], "qualified": plain, "ending": f".{plain}",
        "path": path, "limit": limit,
    }  # fmt: skip
    found = await _symbols(_FIND_SYMBOLS, wanted)
    if is_prefix and len(found) < limit:
        known = {symbol.id for symbol in found}
        found += [symbol for symbol in await _symbols(_FIND_PREFIX, wanted) if symbol.id not in known]
    return found[:limit]


async def find_implementations(symbol: SymbolRow, *, limit: int = MAX_ROWS) -> list[SymbolRow]:
    """Find implementations: the subclasses of a class or interface, the overrides of a method."""
    is_class = symbol.kind in ("class", "interface")
    statement = _FIND_SUBCLASSES if is_class else _FIND_OVERRIDES
    wanted = {"id": symbol.id, "name": symbol.name, "limit": limit}
    return await _symbols(statement, wanted, found_by="hierarchy")


async def find_callers(*symbols: SymbolRow, limit: int = MAX_ROWS) -> list[CallRow]:
    """Find the calls that reach one of the symbols, however they were resolved. `target_id` tells which."""
    return await find_calls_of([symbol.id for symbol in symbols], limit=limit)


async def find_calls_of(ids: Sequence[int], *, limit: int = MAX_ROWS) -> list[CallRow]:
    """Find the calls that reach one of the symbols of these ids."""
    rows = (await reader.fetch(_FIND_CALLERS, {"ids": list(ids), "limit": limit})).rows
    return [_call(row) for row in rows]


async def find_symbol_at(path: str, *, line: int, name: str, workspace_id: int) -> SymbolRow | None:
    """Find the symbol of a name in a file that is nearest to a line."""
    wanted = {"workspace": workspace_id, "path": path, "line": line, "name": name}
    found = await _symbols(_FIND_AT, wanted)
    return found[0] if found else None


async def find_open_calls(
    name: str, *, workspace_id: int, computed_only: bool = False, limit: int = MAX_ROWS
) -> list[OpenCall]:
    """Find unresolved calls that may reach a method of the name: by a computed name, and else by its own."""
    names = [*([] if computed_only else [name]), *(f"{name[:length]}*" for length in range(1, len(name) + 1))]
    wanted = {"workspace": workspace_id, "names": names, "limit": limit}
    return [OpenCall(**row) for row in (await reader.fetch(_FIND_OPEN_CALLS, wanted)).rows]


async def find_computed_calls(workspace_id: int, *, limit: int = MAX_ROWS) -> list[OpenCall]:
    """Find calls of computed attribute names on something unknown. They may reach any function."""
    wanted = {"workspace": workspace_id, "names": ["*"], "limit": limit}
    return [OpenCall(**row) for row in (await reader.fetch(_FIND_OPEN_CALLS, wanted)).rows]


async def find_problems(workspace_id: int, *, limit: int = MAX_ROWS) -> dict[str, str]:
    """Find files that could not be read completely, with the problem of each."""
    rows = (await reader.fetch(_FIND_PROBLEMS, {"workspace": workspace_id, "limit": limit})).rows
    return {row["path"]: row["problem"] for row in rows}


async def find_changed_files(workspace_id: int, *, stamps: Mapping[str, Stamp]) -> frozenset[str]:
    """Find files whose calls the graph does not have as they are now: changed, created, deleted or not yet linked."""
    rows = (await reader.fetch(_FIND_STAMPS, {"workspace": workspace_id})).rows
    linked = {row["path"]: (row["modified_ns"], row["size"]) for row in rows if not row["is_unlinked"]}
    deleted = {row["path"] for row in rows} - stamps.keys()
    return frozenset(deleted | {path for path, stamp in stamps.items() if linked.get(path) != stamp})


async def read_build(workspace_id: int) -> BuildRow | None:
    """Read the state of the workspace's graph. None if no build has begun."""
    rows = (await reader.fetch(_READ_BUILD, {"workspace": workspace_id})).rows
    return BuildRow(**rows[0]) if rows else None


async def _symbols(statement: str, parameters: dict[str, Any], *, found_by: str = "syntax") -> list[SymbolRow]:
    return [SymbolRow(**row, found_by=found_by) for row in (await reader.fetch(statement, parameters)).rows]


def _call(row: dict[str, Any]) -> CallRow:
    names = (
        "id", "path", "line", "character", "start_line", "end_line", "name", "qualified_name", "kind", "container",
        "signature", "handed_to", "is_test",
    )  # fmt: skip
    return CallRow(
        path=row["path"],
        line=row["call_line"],
        character=row["call_character"],
        name=row["callee_name"],
        receiver=row["receiver"],
        caller=SymbolRow(**{name: row[name] for name in names}) if row["id"] else None,
        target_id=row["target_id"],
        is_test=row["is_test"],
        found_by=row["found_by"],
        confidence=row["confidence"],
    )
