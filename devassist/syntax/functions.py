"""
The functions of a file: which there are, and which one stands around a line.

    code = parsed(text, path="app/Main.kt")     # devassist.syntax.parsing; None for a language that is not read
    functions(code)                             # every one, in the file's order
    functions_named(code, name="refresh")       # several: overloads, the same name in two classes
    enclosing(functions(code), line=51)         # the one whose name a stack trace would show there

Lines count from 1 and are inclusive. `code.column(function.name_start)` is the column of its name as language servers
count. What does not parse may be missing: then `code.is_whole` is False.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from devassist.syntax.grammars import scope_query
from devassist.syntax.parsing import Code, line_span

ANONYMOUS = "<anonymous>"
LONGEST_SIGNATURE = 400
_LONGEST_NAME = 200
_MOST_AROUND = 20
_WRAPPERS = re.compile(r"(.*\.)?(use[A-Z]\w*|with[A-Z]\w*|memo|forwardRef|debounce|throttle)")
_WORDS_BEFORE = ("modifiers",)
_NOT_IN_SIGNATURES = ("annotation", "marker_annotation", "decorator", "comment", "line_comment", "block_comment")


class Kind(StrEnum):
    """What sort of function it is; an accessor is a Kotlin property's get or set."""

    FUNCTION = "function"
    ACCESSOR = "accessor"
    INITIALIZER = "initializer"
    LAMBDA = "lambda"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """
    A function, a method, a constructor, an initialiser, or a lambda with or without a name.

    `qualified_name` has the classes, objects, namespaces and functions around it before the name, and an extension's
    receiver. `name_line` and the offset `name_start` are those of the name, or the function's where it has none.
    `passed_to` is what an anonymous function is an argument of. `start` and `end` are offsets in the code's source.
    """

    name: str
    qualified_name: str
    kind: Kind
    signature: str
    start_line: int
    end_line: int
    name_line: int
    name_start: int
    start: int
    end: int
    passed_to: str = ""

    @property
    def is_named(self) -> bool:
        """Tell whether it has a name of its own."""
        return self.name != ANONYMOUS


def functions(code: Code) -> list[Function]:
    """Give every function of the file in its order, anonymous ones too."""
    found: list[Function] = []
    around: list[_Scope] = []
    for scope in _scopes(code):
        while around and around[-1].end < scope.end:
            around.pop()
        if scope.kind:
            found.append(_function(scope, around=around, code=code))
        around.append(scope)
    return found


def functions_named(code: Code, *, name: str) -> list[Function]:
    """Give the functions of that name, which may be qualified: `refresh`, `NoteList.refresh`."""
    return [
        function
        for function in functions(code)
        if function.name == name or f".{function.qualified_name}".endswith(f".{name}")
    ]


def enclosing(known: Iterable[Function], *, code: Code, line: int) -> Function | None:
    """
    Give the innermost function with a name that stands around the line's first character.

    Where there is none: one with a name that begins on the line, then an anonymous one.
    """
    at, _ = line_span(code, line=line)
    there = [function for function in known if function.start_line <= line <= function.end_line]
    around = [function for function in there if function.start <= at < function.end]
    beginning = [function for function in there if function.start_line == line and function.start > at]
    choices: list[Sequence[Function]] = [
        [function for function in around if function.is_named][::-1],
        [function for function in beginning if function.is_named],
        around[::-1],
        beginning,
    ]
    return next((chosen[0] for chosen in choices if chosen), None)


def innermost_lambda(known: Iterable[Function], *, code: Code, line: int, within: Function) -> Function | None:
    """Give the anonymous function around the line's first character, inside of `within`."""
    at, _ = line_span(code, line=line)
    inside = [one for one in known if within.start <= one.start <= at < one.end <= within.end and not one.is_named]
    return inside[-1] if inside and inside[-1] is not within else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """A match of the scope query; `kind` is empty for a container."""

    node: Node
    span: Node
    kind: str
    name: Node | None
    body: Node | None
    receiver: Node | None
    passed_to: Node | None

    @property
    def start(self) -> int:
        return self.span.start_byte

    @property
    def end(self) -> int:
        return self.span.end_byte

    @classmethod
    def of(cls, captures: dict[str, list[Node]]) -> "_Scope":
        kind = next((kind for kind in Kind if kind in captures), "")
        node = captures[kind or "container"][0]
        one = {name: found[0] for name, found in captures.items()}
        return cls(
            node=node,
            span=one.get("span", node),
            kind=kind,
            name=one.get("name"),
            body=one.get("body"),
            receiver=one.get("receiver"),
            passed_to=one.get("passed_to"),
        )


def _scopes(code: Code) -> list[_Scope]:
    """Give functions and containers, outer before inner; of several matches about a node, the one that says most."""
    best: dict[int, dict[str, list[Node]]] = {}
    for captures in code.matches(scope_query(code.grammar)):
        if "wrapper" in captures and not _WRAPPERS.fullmatch(code.text(captures["wrapper"][0])):
            continue
        node = next(found[0] for name, found in captures.items() if name == "container" or name in list(Kind))
        known = best.get(node.id)
        if known is None or _weight(known) < _weight(captures):
            best[node.id] = captures
    return sorted(map(_Scope.of, best.values()), key=lambda scope: (scope.start, -scope.end, scope.kind))


def _weight(captures: dict[str, list[Node]]) -> tuple[bool, int]:
    return "name" in captures, len(captures)


def _function(scope: _Scope, *, around: Sequence[_Scope], code: Code) -> Function:
    name = _name(scope, code=code)
    parts = [
        *(_container_name(outer, code=code) for outer in around[-_MOST_AROUND:]),
        *_receiver(scope, code=code),
        name,
    ]
    stands = scope.name or scope.node
    return Function(
        name=name,
        qualified_name=".".join(part for part in parts if part),
        kind=Kind(scope.kind),
        signature=_signature(scope, code=code),
        start_line=scope.span.start_point.row + 1,
        end_line=_last_row(scope.span) + 1,
        name_line=stands.start_point.row + 1,
        name_start=stands.start_byte,
        start=scope.start,
        end=scope.end,
        passed_to=_text(scope.passed_to, code=code),
    )


def _name(scope: _Scope, *, code: Code) -> str:
    """Give its name; where the code is broken, a name may be missing that the language wants."""
    if said := _container_name(scope, code=code):
        return said
    if scope.kind == Kind.INITIALIZER:
        return {"secondary_constructor": "constructor", "static_initializer": "static"}.get(scope.node.type, "init")
    return "default" if _is_exported(scope) else ANONYMOUS


def _container_name(scope: _Scope, *, code: Code) -> str:
    return _text(scope.name, code=code).strip("'\"`")


def _receiver(scope: _Scope, *, code: Code) -> list[str]:
    """Give what goes before the name: a type without its arguments; `this` says nothing."""
    said = re.sub(r"<.*>|\?|\s", "", _text(scope.receiver, code=code), flags=re.DOTALL)
    return [said] if said and said != "this" else []


def _signature(scope: _Scope, *, code: Code) -> str:
    """Give the text up to the body on one line, without annotations, decorators and comments."""
    end = _head_end(scope)
    start = scope.node.start_byte if scope.kind == Kind.FUNCTION and not _is_exported(scope) else scope.start
    if scope.kind == Kind.ACCESSOR and scope.name and scope.name.parent:
        return _joined(code.source[scope.name.parent.start_byte : scope.name.parent.end_byte],
                       code.source[scope.start : end])  # fmt: skip
    kept, at = [], start
    for node in _left_out(scope.node):
        kept.append(code.source[at : max(at, node.start_byte)])
        at = max(at, node.end_byte)
    return _joined(*kept, code.source[at : min(end, at + 4 * LONGEST_SIGNATURE)])


def _head_end(scope: _Scope) -> int:
    """Give where the body begins; the whole of a named lambda is one, where the grammar names no body in it."""
    if scope.body:
        return scope.body.start_byte
    return scope.node.start_byte if scope.node.start_byte > scope.start else scope.node.end_byte


def _is_exported(scope: _Scope) -> bool:
    return scope.span.type == "export_statement"


def _left_out(node: Node) -> list[Node]:
    """Give what stands before or in a signature and is none of it."""
    first = node.children[:1]
    heads = [*(first[0].children if first and first[0].type in _WORDS_BEFORE else []), *node.children]
    return sorted((part for part in heads if part.type in _NOT_IN_SIGNATURES), key=lambda part: part.start_byte)


def _joined(*parts: bytes) -> str:
    said = " ".join(b" ".join(parts).decode("utf-8", "replace").split())
    plain = said.rstrip(" {=:;") if not said.endswith("=>") else said
    return plain if len(plain) <= LONGEST_SIGNATURE else plain[: LONGEST_SIGNATURE - 1] + "…"


def _text(node: Node | None, *, code: Code) -> str:
    said = code.text(node, most=4 * _LONGEST_NAME)
    return said if len(said) <= _LONGEST_NAME else said[: _LONGEST_NAME - 1] + "…"


def _last_row(node: Node) -> int:
    """Give the last row that holds something of the node."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row
