"""Templates of JSON lines: names and punctuation are literal, scalars are patterns. Pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Path = tuple[str | None, ...]
"""The names on the path to a value; None stands for an array."""
Kind = Literal["text", "number", "literal"]
_TOKEN = re.compile(
    r'[ \t\r\n]*(?:([{}\[\],:])|"([^"\\\x00-\x1f\x7f]*)"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)'
    r"|(true|false|null))"
)
_REST = re.compile(r"[ \t\r\n]*").fullmatch


class NotRegularError(Exception):
    """The line has something that templates do not support, such as escapes or a repeated name."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is not an object or array: its position without quotes, and its kind."""

    start: int
    end: int
    path: Path
    kind: Kind


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A line's scalars, and the positions of its objects and arrays."""

    text: str
    scalars: list[Scalar]
    containers: dict[Path, tuple[int, int]]


class _Walk:
    """Walks the tokens of valid JSON and tracks the path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.scalars: list[Scalar] = []
        self.containers: dict[Path, tuple[int, int]] = {}
        self._names: list[str | None] = []
        self._opened: list[tuple[str, int]] = []
        self._wants_name = False
        self._seen: set[Path] = set()

    def go(self) -> ParsedLine:
        place = 0
        while (token := _TOKEN.match(self.text, place)) is not None:
            self._take(token)
            place = token.end()
        if not _REST(self.text, place) or self._opened:
            raise NotRegularError
        return ParsedLine(self.text, self.scalars, self.containers)

    def _take(self, token: re.Match[str]) -> None:
        group = token.lastindex or 0
        if group == 1:
            self._punctuate(token[1], token.start(1))
        elif group == 2 and self._wants_name:  # noqa: PLR2004 - the groups of _TOKEN, in order
            self._name(token[2])
        else:
            kinds: tuple[Kind, ...] = ("literal", "text", "number", "literal")
            self.scalars.append(Scalar(*token.span(group), tuple(self._names), kinds[group - 1]))

    def _punctuate(self, mark: str, place: int) -> None:
        if mark in "{[":
            self._opened.append((mark, place))
            self._names.append(None)
            self._wants_name = mark == "{"
        elif mark in "}]":
            _, start = self._opened.pop()
            self._names.pop()
            self.containers[tuple(self._names)] = (start, place + 1)
            self._wants_name = False
        else:
            self._wants_name = mark == "," and self._opened[-1][0] == "{"

    def _name(self, name: str) -> None:
        self._names[-1] = name
        path = tuple(self._names)
        if path in self._seen and None not in path:
            raise NotRegularError
        self._seen.add(path)
        self._wants_name = False


def parse_line(text: str) -> ParsedLine:
    """Parse valid JSON into scalars and containers. Raises NotRegularError."""
    return _Walk(text).go()


def pattern(
    line: ParsedLine, *, start: int, end: int, scalars: Iterable[Scalar], written: Callable[[Scalar, str], str]
) -> re.Pattern[str]:
    """Compile a part of a line; `written` returns a scalar's pattern without quotes, all else is literal."""
    parts: list[str] = []
    place = start
    for scalar in scalars:
        parts += [re.escape(line.text[place : scalar.start]), written(scalar, line.text[scalar.start : scalar.end])]
        place = scalar.end
    parts.append(re.escape(line.text[place:end]))
    return re.compile("".join(parts))
