"""A parsed source file for caller search: the role of a name at a place, and the function around it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from devassist.callers.node_kinds import NodeKinds, kinds_of
from devassist.syntax.functions import Kind, Scope, functions, scopes
from devassist.syntax.parse import Code as Parsed
from devassist.syntax.parse import ParseOverdue, parse

TOP_LEVEL = "(top level)"
_MEMBERS_STAND_IN = (
    "class_body", "source_file", "enum_class_body", "interface_body", "enum_body_declarations", "ERROR",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """
    A function, a method, a named closure, a class as its constructor, or a member with code in it.

    `line` and `character` are where its name stands, as LSP counts. What is not `callable` is not followed further.
    """

    name: str
    qualified: str
    line: int
    character: int
    callable: bool = True


class Stands(StrEnum):
    """The role of a name at a place."""

    CALL = "call"
    REFERENCE = "reference"
    IMPORT = "import"
    DECLARATION = "declaration"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An occurrence of a name as a word. `alias` is the other name that an import gives it."""

    line: int
    character: int
    stands: Stands
    caller: Function | None
    alias: tuple[int, int] | None


class Code:
    """One parsed file. Syntax errors are bridged as well as the grammar can."""

    def __init__(self, parsed_: Parsed, *, kinds: NodeKinds) -> None:
        self._code = parsed_
        self._kinds = kinds

    @classmethod
    def parse(cls, text: bytes, *, path: str) -> "Code | None":
        """Parse the file. Returns None if its language is not supported or parsing takes too long."""
        kinds = kinds_of(path)
        try:
            found = parse(text.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n"), path=path)
        except ParseOverdue:
            return None
        return cls(found, kinds=kinds) if found and kinds else None

    @property
    def is_whole(self) -> bool:
        """Return whether all of it parsed. The Kotlin grammar sometimes reports an error without an error node."""
        left = [self._code.tree.root_node]
        while left:
            node = left.pop()
            if node.is_error or node.is_missing:
                return False
            left.extend(child for child in node.children if child.has_error)
        return True

    def functions(self) -> list[Function]:
        """Return every named function in the file's order."""
        named = (self._function(scope) for scope in functions(self._code) if self._is_function(scope))
        return [function for function in named if function.callable]

    def classes(self) -> list[Function]:
        """Return every named class."""
        return [
            self._function(scope)
            for scope in scopes(self._code)
            if scope.kind is Kind.CONTAINER and scope.is_named and scope.node_type in self._kinds.classes
        ]

    def find_enclosing(self, line: int, *, character: int) -> Function | None:
        """Return the innermost named function around the place. None at the file's top level."""
        at = self._code.offset(line, character=character)
        return self._around(at, known=scopes(self._code, at=at), path=self._path(at))

    def stands_at(self, line: int, *, character: int) -> Stands:
        """Return the role of the name that begins at the place."""
        at = self._code.offset(line, character=character)
        return self._kind(self._path(at), known=scopes(self._code, at=at))

    def mentions(self, name: str) -> Iterator[Mention]:
        """Return every place where the name occurs as a word."""
        for found in re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", self._code.source):
            path, known = self._path(found.start()), scopes(self._code, at=found.start())
            stands = self._kind(path, known=known)
            alias = _alias(path) if stands is Stands.IMPORT else None
            line, character = self._code.place(found.start())
            is_used = stands in (Stands.CALL, Stands.REFERENCE)
            yield Mention(
                line=line,
                character=character,
                stands=stands,
                caller=self._around(found.start(), known=known, path=path) if is_used else None,
                alias=self._code.place(alias.start_byte) if alias is not None else None,
            )

    def _path(self, offset: int) -> list[Node]:
        """Return the nodes around an offset, outermost first. Walks from the top, because finding a parent is slow."""
        cursor = self._code.tree.walk()
        path = [self._code.tree.root_node]
        while cursor.goto_first_child_for_byte(offset) is not None and cursor.node is not None:
            if cursor.node.start_byte > offset:
                break
            path.append(cursor.node)
        return path

    def _around(self, at: int, *, known: Sequence[Scope], path: Sequence[Node]) -> Function | None:
        """Return the innermost function or member with code around a place. A decorator is not in what it decorates."""
        named = [scope for scope in known if scope.is_named and scope.own_start <= at]
        inside = [scope for scope in named if self._is_function(scope)]
        function = self._function(inside[-1]) if inside else None
        depth = next((depth for depth in range(len(path) - 1, -1, -1) if self._is_field(path, depth=depth)), None)
        if depth is None or (inside and inside[-1].start >= path[depth].start_byte):
            return function
        return self._field(path[depth], known=named) or function

    def _is_function(self, scope: Scope) -> bool:
        """Return whether servers treat it as a function. Not all treat a closure under a name as one."""
        if scope.kind is Kind.CONTAINER or not scope.is_named:
            return False
        span = scope.match.span
        is_member = span.type in self._kinds.fields and (span.parent is None or span.parent.type in _MEMBERS_STAND_IN)
        return scope.kind is not Kind.LAMBDA or self._kinds.follows_closures or is_member

    def _is_field(self, path: Sequence[Node], *, depth: int) -> bool:
        return path[depth].type in self._kinds.fields and (depth == 0 or path[depth - 1].type in _MEMBERS_STAND_IN)

    def _field(self, node: Node, *, known: Sequence[Scope]) -> Function | None:
        name = _field_name(node)
        if name is None:
            return None
        owners = [scope for scope in known if scope.start < node.start_byte]
        said = self._code.text(name)
        line, character = self._code.place(name.start_byte)
        qualified = f"{owners[-1].qualified_name}.{said}" if owners else said
        return Function(name=said, qualified=qualified, line=line, character=character, callable=False)

    def _function(self, scope: Scope) -> Function:
        line, character = self._code.place(scope.name_start)
        return Function(
            name=scope.name,
            qualified=scope.qualified_name,
            line=line,
            character=character,
            callable=scope.kind is not Kind.ACCESSOR,
        )

    def _kind(self, path: Sequence[Node], *, known: Sequence[Scope]) -> Stands:
        *around, leaf = path
        if "comment" in leaf.type or "string" in leaf.type:
            return Stands.TEXT
        if any(scope.is_named and scope.name_start == leaf.start_byte for scope in known):
            return Stands.DECLARATION
        node = leaf
        while around and around[-1].type in self._kinds.members and _ends(around[-1], node):
            node = around.pop()
        if around and around[-1].type in self._kinds.calls and _is_callee(around[-1], node):
            return Stands.CALL
        is_import = any(outer.type in self._kinds.imports for outer in around)
        return Stands.IMPORT if is_import else Stands.REFERENCE


def _alias(path: list[Node]) -> Node | None:
    """Return the other name that an import gives to the path's last node."""
    for node in reversed(path[-4:-1]):
        if (alias := node.child_by_field_name("alias")) is not None:
            return None if alias == path[-1] else alias
    return None


def _field_name(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    if declarator is not None:
        return declarator.child_by_field_name("name")
    if (name := node.child_by_field_name("name")) is not None:
        return name
    for child in node.named_children:
        if child.type == "variable_declaration":
            return next((part for part in child.named_children if part.type == "identifier"), None)
    return None


def _ends(parent: Node, node: Node) -> bool:
    return bool(parent.named_children) and parent.named_children[-1] == node


def _is_callee(call: Node, node: Node) -> bool:
    for name in ("function", "constructor", "name", "type"):
        if (callee := call.child_by_field_name(name)) is not None:
            return callee == node
    if call.type == "infix_expression":
        return len(call.named_children) > 1 and call.named_children[1] == node
    return bool(call.named_children) and call.named_children[0] == node
