"""A statement cut into strings, comments, names and the rest, so that only names are changed. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import regex

Kind = Literal["string", "quoted", "name", "other"]
_PIECE = regex.compile(
    r"(?P<string>[eE]?'(?:[^'\\]|''|\\.)*'?|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|--[^\n]*|/\*.*?\*/)"
    r'|(?P<quoted>"(?:[^"]|"")*")|(?P<name>[^\W\d]\w*)|(?P<other>\s+|\d[\w.]*|.)',
    regex.DOTALL,
)
_SOURCE = regex.compile(r"^(?:from|join)$", regex.IGNORECASE)
_NO_ALIAS = frozenset(
    [
        "where",
        "join",
        "on",
        "using",
        "group",
        "order",
        "limit",
        "left",
        "right",
        "inner",
        "full",
        "cross",
        "natural",
        "having",
        "union",
        "intersect",
        "except",
        "as",
        "window",
        "offset",
        "fetch",
        "lateral",
    ]
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a statement; strings and comments are one piece each."""

    kind: Kind
    text: str

    @property
    def name(self) -> str:
        """The name as PostgreSQL reads it: folded to lower case unless it is quoted."""
        return self.text[1:-1].replace('""', '"') if self.kind == "quoted" else self.text.lower()

    @property
    def is_name(self) -> bool:
        """Tell whether it is a name, quoted or not."""
        return self.kind in ("name", "quoted")


def pieces(sql: str) -> list[Piece]:
    """Cut a statement; the pieces' texts together are the statement."""
    return [Piece(_kind(found), found[0]) for found in _PIECE.finditer(sql)]


def sources(cut: list[Piece]) -> dict[str, str]:
    """Give the relations after FROM and JOIN by the alias that they go by."""
    found: dict[str, str] = {}
    told = [piece for piece in cut if piece.text.strip()]
    for place, piece in enumerate(told[:-1]):
        if piece.kind == "name" and _SOURCE.match(piece.text) and told[place + 1].is_name:
            after = told[place + 2 : place + 4]
            if after and after[0].text.lower() == "as":
                after = after[1:]
            has_alias = bool(after) and after[0].is_name and after[0].name not in _NO_ALIAS
            found[after[0].name if has_alias else told[place + 1].name] = told[place + 1].name
    return found


def replaced(
    cut: list[Piece], *, name: str, by: str, before: str | None = None, where: Callable[[int], bool] | None = None
) -> str:
    """Write the statement with a name replaced; with `before`, only where it stands behind that name and a dot."""
    return "".join(_each(cut, name=name, by=by, before=before, where=where))


def _each(
    cut: list[Piece], *, name: str, by: str, before: str | None, where: Callable[[int], bool] | None
) -> Iterator[str]:
    for place, piece in enumerate(cut):
        is_it = piece.is_name and piece.name == name and (where is None or where(place))
        owner = cut[place - 2].name if place > 1 and cut[place - 1].text == "." else None
        yield by if is_it and owner == before else piece.text


def _kind(found: regex.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("string", "quoted", "name")
    for kind in kinds:
        if found[kind] is not None:
            return kind
    return "other"
