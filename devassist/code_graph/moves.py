"""
Edits that only move code, as a comment or a blank line does: stored places follow, and nothing is linked again.

What a call reaches depends on every fact of a file but places, so it stays where all others are equal.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
from psycopg import Connection

from devassist.code_graph.facts import PLACE_BITS, PLACE_MASK, FileFacts, ImportFact, Op, decode, encode

Place = tuple[int, int]
"""A line and a character."""

STORE_LINE = 1
"""The line that stands for what is stored in something unknown, whose place is not kept."""

_MOVE_CALLS = b"""
UPDATE devassist_graph_calls AS call SET line = moved.to_line, character = moved.to_character
FROM unnest(%(lines)s::int[], %(characters)s::int[], %(to_lines)s::int[], %(to_characters)s::int[])
  AS moved (line, character, to_line, to_character)
WHERE call.file_id = %(file)s AND call.line = moved.line AND call.character = moved.character
"""
_MOVE_IMPORTS = b"""
UPDATE devassist_graph_imports AS import SET line = moved.to_line
FROM unnest(%(lines)s::int[], %(modules)s::text[], %(names)s::text[], %(locals)s::text[], %(to_lines)s::int[])
  AS moved (line, module, name, local_name, to_line)
WHERE import.file_id = %(file)s AND import.line = moved.line AND import.module = moved.module
  AND import.name = moved.name AND import.local_name = moved.local_name
"""
_MOVE_HANDED_ON = b"""
UPDATE devassist_graph_symbols AS symbol SET handed_to = %(path)s || ':' || moved.to_line
FROM unnest(%(lines)s::int[], %(to_lines)s::int[]) AS moved (line, to_line)
WHERE symbol.workspace_id = %(workspace)s AND symbol.handed_to = %(path)s || ':' || moved.line
"""
_MARK = b"UPDATE devassist_graph_files SET calls_hash = 'moved' WHERE id = %(file)s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Where what stood at a place stands now: calls, imports by their line and names, and whole lines."""

    calls: dict[Place, Place]
    imports: dict[ImportFact, int]
    lines: dict[int, int]


def find_moves(old: FileFacts, *, new: FileFacts) -> Moves | None:
    """Return where code has moved. None if anything else has changed, or one place became several."""
    if _without_places(old) != _without_places(new):
        return None
    calls = _pair(zip(_call_places(old), _call_places(new), strict=True))
    symbols = zip((one.line for one in old.symbols), (one.line for one in new.symbols), strict=True)
    if calls is None:
        return None
    lines: dict[int, int] = {}
    for line, to in (*((place[0], to[0]) for place, to in calls.items()), *symbols):
        if lines.setdefault(line, to) != to:
            return None
    imports: dict[ImportFact, int] = {}
    for one, other in zip(old.imports, new.imports, strict=True):
        if imports.setdefault(one, other.line) != other.line:
            return None
    return Moves(calls=calls, imports=imports, lines=lines) if lines.get(STORE_LINE, STORE_LINE) == STORE_LINE else None


def write_moves(connection: Connection, *, moves: Moves, workspace: int, path: str, file: int) -> None:
    """Write the new places of a file's calls and imports, and of what is handed on in it."""
    names: tuple[str, ...]
    if calls := [(*place, *to) for place, to in moves.calls.items() if place != to]:
        names = ("lines", "characters", "to_lines", "to_characters")
        connection.execute(_MOVE_CALLS, {"file": file, **_columns(names, rows=calls)})
    if imports := [(one.line, one.module, one.name, one.local_name, to) for one, to in moves.imports.items()]:
        names = ("lines", "modules", "names", "locals", "to_lines")
        connection.execute(_MOVE_IMPORTS, {"file": file, **_columns(names, rows=imports)})
    if lines := [(line, to) for line, to in moves.lines.items() if line != to]:
        found = _columns(("lines", "to_lines"), rows=lines)
        connection.execute(_MOVE_HANDED_ON, {"workspace": workspace, "path": path, **found})
    connection.execute(_MARK, {"file": file})


def _columns(names: Sequence[str], *, rows: Sequence[tuple[object, ...]]) -> dict[str, list[object]]:
    """Turn rows into a list for each column."""
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _pair(places: Iterable[tuple[Place, Place]]) -> dict[Place, Place] | None:
    """Map places one to one. None if two became one, or one became two."""
    there: dict[Place, Place] = {}
    back: dict[Place, Place] = {}
    for place, to in places:
        if there.setdefault(place, to) != to or back.setdefault(to, place) != place:
            return None
    return there


def _call_places(facts: FileFacts) -> Iterator[Place]:
    """Return the places that rows of calls have: of calls, of properties read, of computed names."""
    for call in facts.calls:
        yield call.line, call.character
    for operation, *parts in facts.constraints:
        if operation in (Op.LOAD, Op.GET_ATTRIBUTE):
            yield parts[3] >> PLACE_BITS, parts[3] & PLACE_MASK


def _without_places(facts: FileFacts) -> bytes:
    """Encode facts with every place, and every signature, left out."""
    plain = decode(encode(facts))
    plain.symbols = [
        msgspec.structs.replace(one, line=0, character=0, start_line=0, end_line=0, signature="")
        for one in plain.symbols
    ]
    plain.imports = [msgspec.structs.replace(one, line=0) for one in plain.imports]
    for call in plain.calls:
        call.line = call.character = 0
    for constraint in plain.constraints:
        if constraint[0] in (Op.LOAD, Op.GET_ATTRIBUTE):
            constraint[4] = 0
    return encode(plain)
