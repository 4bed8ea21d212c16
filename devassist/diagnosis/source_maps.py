"""Source maps (version 3): places in generated JavaScript to places in its sources. Pure except for `find_map`."""

import json
import posixpath
import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

MAX_MAP_BYTES = 10 * 1024 * 1024
_DIGITS = {
    digit: value for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_WITH_SOURCE = 4
"""The numbers in a segment with a source. A fifth number is its name."""
_COMMENT = re.compile(r"//[#@] ?sourceMappingURL=(\S+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedPlace:
    """The source of generated code. The path is relative to the workspace's root, or as in the map."""

    path: str
    line: int
    function: str


def map_place(path: str, *, line: int, column: int, read: Callable[[str], str | None]) -> MappedPlace | None:
    """
    Return the source of a place in a generated file, lines and columns from 1. None without a mapping.

    `read` reads a file of the workspace by its path, or gives None.
    """
    text = read(f"{path}.map")
    base = path
    if text is None:
        generated = read(path)
        found = _COMMENT.search(generated[-4_000_000:].rstrip()) if generated else None
        if found is None:
            return None
        if found[1].startswith("data:"):
            text = _decode_inline(found[1])
        else:
            base = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))
            text = None if base.startswith(("..", "/")) else read(base)
    try:
        content = json.loads(text.removeprefix(")]}'")) if text else None
        return _find(content, line=line, column=column, base=base) if isinstance(content, dict) else None
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return None


def _decode_inline(address: str) -> str | None:
    head, _, body = address.partition(",")
    try:
        return b64decode(body, validate=True).decode() if head.endswith(";base64") else None
    except ValueError:
        return None


def _find(content: dict[str, object], *, line: int, column: int, base: str) -> MappedPlace | None:
    """Return the last mapping of the line that begins at or before the column."""
    mappings, sources, names = content["mappings"], content["sources"], content.get("names") or []
    if not isinstance(mappings, str) or not isinstance(sources, list) or not isinstance(names, list):
        return None
    source = source_line = name = 0
    best: tuple[int, int, int | None] | None = None
    for number, row in enumerate(mappings.split(";"), start=1):
        if number > line:
            break
        generated_column = 0
        for segment in filter(None, row.split(",")):
            values = _decode(segment)
            generated_column += values[0]
            if len(values) >= _WITH_SOURCE:
                source, source_line = source + values[1], source_line + values[2]
                name += values[4] if len(values) > _WITH_SOURCE else 0
            if number == line and len(values) >= _WITH_SOURCE and (best is None or generated_column <= column - 1):
                best = (source, source_line, name if len(values) > _WITH_SOURCE else None)
    if best is None:
        return None
    root = str(content.get("sourceRoot") or "")
    written = str(sources[best[0]])
    place = written if "://" in written else posixpath.join(posixpath.dirname(base), root, written)
    function = str(names[best[2]]) if best[2] is not None else ""
    return MappedPlace(path=posixpath.normpath(place.partition("?")[0]), line=best[1] + 1, function=function)


def _decode(segment: str) -> list[int]:
    """Decode base64 VLQ."""
    values: list[int] = []
    digits: list[int] = []
    for character in segment:
        digit = _DIGITS[character]
        digits.append(digit & 31)
        if not digit & 32:
            number = reduce(lambda so_far, one: so_far << 5 | one, reversed(digits), 0)
            values.append(-(number >> 1) if number & 1 else number >> 1)
            digits = []
    return values
