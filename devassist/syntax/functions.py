"""
The functions of a file: which there are, and which one stands around a line.

    code = parsed(text, path="app/Main.kt")     # devassist.syntax.parse; None for a language that is not read
    functions(code)                             # every one, in the file's order
    enclosing(functions(code), line=51)         # the one whose name a stack trace would show there
    scopes(code, at=1_204)                      # functions and classes around an offset, outermost first

Lines count from 1 and are inclusive. `code.place(function.name_start)` is where its name stands as language servers
count. What does not parse may be missing: then `code.is_whole` is False.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tree_sitter import Node

from devassist.syntax.grammars import scope_query
from devassist.syntax.parse import Code, line_span

ANONYMOUS = "<anonymous>"
MAX_SIGNATURE = 400
_MAX_NAME = 200
_MAX_AROUND = 20
_WRAPPERS = re.compile(r"(.*\.)?(use[A-Z]\w*|with[A-Z]\w*|memo|forwardRef|debounce|throttle)")
_WORDS_BEFORE = ("modifiers",)
_NOT_IN_SIGNATURES = ("annotation", "marker_annotation", "decorator", "comment", "line_comment", "block_comment")


class Kind(StrEnum):
    """The kind of a scope. An accessor is a Kotlin property's get or set; a container is not a function."""

    FUNCTION = "function"
    ACCESSOR = "accessor"
    INITIALIZER = "initializer"
    LAMBDA = "lambda"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """
    A function, a method, a constructor, an initialiser, a lambda with or without a name; or a class, object, namespace.

    `qualified_name` has the classes, objects, namespaces and functions around it before the name, and an extension's
    receiver. `name_line` and the offset `name_start` are those of the name, of the class's for an initialiser, or the
    scope's where it has none. `passed_to` is what an anonymous function is an argument of. `start` and `end` are
    offsets in the code's source, `own_start` leaves out what decorates it.
    """

    name: str
    qualified_name: str
    kind: Kind
    node_type: str
    start_line: int
    end_line: int
    name_line: int
    name_start: int
    start: int
    own_start: int
    end: int
    passed_to: str = ""
    match: "_Match" = field(repr=False, compare=False)
    code: Code = field(repr=False, compare=False)

    @property
    def is_named(self) -> bool:
        """Return whether it has a name of its own."""
        return self.name not in (ANONYMOUS, "")

    @property
    def signature(self) -> str:
        """Return the text up to the body on one line."""
        return _signature(self.match, code=self.code)


def functions(code: Code) -> list[Scope]:
    """Return every function of the file in order, including anonymous ones."""
    return [scope for scope in scopes(code) if scope.kind != Kind.CONTAINER]


def scopes(code: Code, *, at: int | None = None) -> list[Scope]:
    """Return functions and their containers, outer before inner, of the file or around an offset."""
    found: list[Scope] = []
    around: list[Scope] = []
    for match in _matches(code, at=at):
        while around and around[-1].end < match.end:
            around.pop()
        found.append(_scope(match, around=around, code=code))
        around.append(found[-1])
    return found


def find_enclosing(known: Iterable[Scope], *, code: Code, line: int) -> Scope | None:
    """
    Return the innermost named function around the line's first character.

    Where there is none: one with a name that begins on the line, then an anonymous one.
    """
    at, _ = line_span(code, line=line)
    there = [function for function in known if function.start_line <= line <= function.end_line]
    around = [function for function in there if function.start <= at < function.end]
    beginning = [function for function in there if function.start_line == line and function.start > at]
    choices: list[Sequence[Scope]] = [
        [function for function in around if function.is_named][::-1],
        [function for function in beginning if function.is_named],
        around[::-1],
        beginning,
    ]
    return next((chosen[0] for chosen in choices if chosen), None)


def innermost_lambda(known: Iterable[Scope], *, code: Code, line: int, within: Scope) -> Scope | None:
    """Return the anonymous function around the line's first character, inside of `within`."""
    at, _ = line_span(code, line=line)
    inside = [one for one in known if within.start <= one.start <= at < one.end <= within.end and not one.is_named]
    return inside[-1] if inside and inside[-1] is not within else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    """A match of the scope query."""

    node: Node
    span: Node
    kind: Kind
    name: Node | None
    body: Node | None
    receiver: Node | None
    passed_to: Node | None

    @property
    def start(self) -> int:
        return self.span.start_byte

    @property
    def own_start(self) -> int:
        return self.node.start_byte if self.kind == Kind.FUNCTION and not self.is_exported else self.start

    @property
    def end(self) -> int:
        return self.span.end_byte

    @property
    def is_exported(self) -> bool:
        return self.span.type == "export_statement"

    @classmethod
    def from_captures(cls, captures: dict[str, list[Node]]) -> "_Match":
        kind = next(kind for kind in Kind if kind in captures)
        one = {name: found[0] for name, found in captures.items()}
        return cls(
            node=one[kind],
            span=one.get("span", one[kind]),
            kind=kind,
            name=one.get("name"),
            body=one.get("body"),
            receiver=one.get("receiver"),
            passed_to=one.get("passed_to"),
        )


def _matches(code: Code, *, at: int | None) -> list[_Match]:
    """Return functions and containers, outer before inner. Of several matches on a node the most detailed counts."""
    best: dict[int, dict[str, list[Node]]] = {}
    for captures in code.matches(scope_query(code.grammar), at=at):
        if "wrapper" in captures and not _WRAPPERS.fullmatch(code.text(captures["wrapper"][0])):
            continue
        node = next(captures[kind][0] for kind in Kind if kind in captures)
        known = best.get(node.id)
        if known is None or _weight(known) < _weight(captures):
            best[node.id] = captures
    found = (match for match in map(_Match.from_captures, best.values()) if at is None or match.start <= at < match.end)
    return sorted(found, key=lambda match: (match.start, -match.end, match.kind))


def _weight(captures: dict[str, list[Node]]) -> tuple[bool, int]:
    return "name" in captures, len(captures)


def _scope(match: _Match, *, around: Sequence[Scope], code: Code) -> Scope:
    name = _name(match, code=code)
    owners = [outer.name for outer in around[-_MAX_AROUND:] if outer.match.name and outer.is_named]
    line, start = _stands(match, around=around)
    return Scope(
        name=name,
        qualified_name=".".join((*owners, *_receiver(match, code=code), name)),
        kind=match.kind,
        node_type=match.node.type,
        start_line=match.span.start_point.row + 1,
        end_line=_last_row(match.span) + 1,
        name_line=line,
        name_start=start,
        start=match.start,
        own_start=match.own_start,
        end=match.end,
        passed_to=_text(match.passed_to, code=code),
        match=match,
        code=code,
    )


def _stands(match: _Match, *, around: Sequence[Scope]) -> tuple[int, int]:
    """Return line and offset of the name that a person would point at."""
    if match.kind == Kind.INITIALIZER and not match.name:
        for outer in reversed(around):
            if outer.kind == Kind.CONTAINER and outer.is_named:
                return outer.name_line, outer.name_start
    named = match.name or match.node
    return named.start_point.row + 1, named.start_byte


def _name(match: _Match, *, code: Code) -> str:
    """Return the name. In broken code a required name may be missing."""
    if said := _text(match.name, code=code).strip("'\"`"):
        return said
    if match.kind == Kind.CONTAINER:
        return ""
    if match.kind == Kind.INITIALIZER:
        return {"secondary_constructor": "constructor", "static_initializer": "static"}.get(match.node.type, "init")
    return "default" if match.is_exported else ANONYMOUS


def _receiver(match: _Match, *, code: Code) -> list[str]:
    """Return the receiver type without its arguments. `this` is omitted."""
    said = re.sub(r"<.*>|\?|\s", "", _text(match.receiver, code=code), flags=re.DOTALL)
    return [said] if said and said != "this" else []


def _signature(match: _Match, *, code: Code) -> str:
    """Return the text up to the body on one line, without annotations, decorators and comments."""
    end = _head_end(match)
    if match.kind == Kind.ACCESSOR and match.name and match.name.parent:
        return _join_signature(code.source[match.name.parent.start_byte : match.name.parent.end_byte],
                       code.source[match.start : end])  # fmt: skip
    kept, at = [], match.own_start
    for node in _find_excluded(match.node):
        kept.append(code.source[at : max(at, node.start_byte)])
        at = max(at, node.end_byte)
    return _join_signature(*kept, code.source[at : min(end, at + 4 * MAX_SIGNATURE)])


def _head_end(match: _Match) -> int:
    """Return where the body begins. A named lambda without a body in the grammar is one as a whole."""
    if match.body:
        return match.body.start_byte
    return match.node.start_byte if match.node.start_byte > match.start else match.node.end_byte


def _find_excluded(node: Node) -> list[Node]:
    """Return the nodes before or in a signature that are not part of it."""
    first = node.children[:1]
    heads = [*(first[0].children if first and first[0].type in _WORDS_BEFORE else []), *node.children]
    return sorted((part for part in heads if part.type in _NOT_IN_SIGNATURES), key=lambda part: part.start_byte)


def _join_signature(*parts: bytes) -> str:
    said = " ".join(b" ".join(parts).decode("utf-8", "replace").split())
    plain = said.rstrip(" {=:;") if not said.endswith("=>") else said
    return plain if len(plain) <= MAX_SIGNATURE else plain[: MAX_SIGNATURE - 1] + "…"


def _text(node: Node | None, *, code: Code) -> str:
    said = code.text(node, most=4 * _MAX_NAME)
    return said if len(said) <= _MAX_NAME else said[: _MAX_NAME - 1] + "…"


def _last_row(node: Node) -> int:
    """Return the last row with content of the node."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row
