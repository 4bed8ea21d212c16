"""A parsed source file: its functions, the function around a place, and what stands at a place."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from devassist.callers.node_kinds import NodeKinds, kinds_of
from devassist.syntax.parsing import Code as Parsed
from devassist.syntax.parsing import ParseOverdue, parsed

TOP_LEVEL = "(top level)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """
    A function, a method, a named closure, or a member with code in it.

    `line` and `character` are where its name stands, as LSP counts. What is not `callable` is not followed further.
    """

    name: str
    qualified: str
    line: int
    character: int
    callable: bool = True


class Stands(StrEnum):
    """What a name is at a place."""

    CALL = "call"
    REFERENCE = "reference"
    IMPORT = "import"
    DECLARATION = "declaration"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place where a name stands as a word; `alias` is where an import gives it another name."""

    line: int
    character: int
    stands: Stands
    caller: Function | None
    alias: tuple[int, int] | None


class Code:
    """One file, parsed; what does not parse is bridged, as well as the grammar can."""

    def __init__(self, parsed_: Parsed, *, kinds: NodeKinds) -> None:
        self._text = parsed_.source
        self._grammar = kinds
        self._tree = parsed_.tree
        self._line_starts = [0, *(found.end() for found in re.finditer(b"\n", self._text))]

    @classmethod
    def of(cls, text: bytes, *, path: str) -> "Code | None":
        """Parse the file; None where its language is not read, or it takes too long."""
        kinds = kinds_of(path)
        try:
            found = parsed(text.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n"), path=path)
        except ParseOverdue:
            return None
        return cls(found, kinds=kinds) if found and kinds else None

    @property
    def is_whole(self) -> bool:
        """Tell whether all of it parsed; the Kotlin grammar sometimes tells of an error and has none to show."""
        if not self._tree.root_node.has_error:
            return True
        return not any(child.is_error or child.is_missing for path in self._paths() for child in path[-1].children)

    def functions(self) -> list[Function]:
        """Give every function that has a name, in the file's order."""
        found = (self._named(path) for path in self._paths())
        return [function for function in found if function and function.callable]

    def classes(self) -> list[Function]:
        """Give every class that has a name."""
        named = ((path, _name_of(path[-1])) for path in self._paths() if path[-1].type in self._grammar.classes)
        return [self._function(name, name=self._said(name), path=path) for path, name in named if name]

    def enclosing(self, line: int, *, character: int) -> Function | None:
        """Give the innermost function with a name around the place; None at the file's top level."""
        return self._around(self._path(self._offset(line, character)))

    def stands_at(self, line: int, *, character: int) -> Stands:
        """Tell what the name is that begins at the place."""
        return self._kind(self._path(self._offset(line, character)))

    def mentions(self, name: str) -> Iterator[Mention]:
        """Give every place where the name stands as a word."""
        for found in re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", self._text):
            path = self._path(found.start())
            stands = self._kind(path)
            alias = _alias(path) if stands is Stands.IMPORT else None
            line, character = self._place(found.start())
            yield Mention(
                line=line,
                character=character,
                stands=stands,
                caller=self._around(path) if stands in (Stands.CALL, Stands.REFERENCE) else None,
                alias=self._place(alias.start_byte) if alias is not None else None,
            )

    def _paths(self) -> Iterator[list[Node]]:
        """Give every node with what it stands in, outermost first."""
        left = [(self._tree.root_node, 0)]
        path: list[Node] = []
        while left:
            node, depth = left.pop()
            del path[depth:]
            path.append(node)
            yield list(path)
            left.extend((child, depth + 1) for child in reversed(node.named_children))

    def _path(self, offset: int) -> list[Node]:
        """Give the nodes around an offset, outermost first. Walked from the top: a node finds its parent slowly."""
        cursor = self._tree.walk()
        path = [self._tree.root_node]
        while cursor.goto_first_child_for_byte(offset) is not None and cursor.node is not None:
            if cursor.node.start_byte > offset:
                break
            path.append(cursor.node)
        return path

    def _around(self, path: list[Node]) -> Function | None:
        return next((found for end in range(len(path), 0, -1) if (found := self._named(path[:end]))), None)

    def _named(self, path: list[Node]) -> Function | None:
        """Read the last node as something that has a name and holds code, if it is one."""
        kinds, node = self._grammar, path[-1]
        if node.type in kinds.functions and (name := _name_of(node)):
            return self._function(name, name=self._said(name), path=path)
        if node.type in kinds.holders and (name := _held(node, kinds.closures)):
            return self._function(name, name=self._said(name), path=path)
        if node.type in kinds.starters and (name := self._class_name(path)):
            word = "constructor" if node.type == "secondary_constructor" else "init"
            return self._function(name, name=word, path=path)
        if node.type in kinds.fields and _is_member(path) and (name := _field_name(node)):
            return self._function(name, name=self._said(name), path=path, callable_=_is_closure_field(node))
        return None

    def _function(self, at: Node, *, name: str, path: list[Node], callable_: bool = True) -> Function:
        line, character = self._place(at.start_byte)
        owners = [*self._owners(path[:-1]), *self._receiver(path[-1]), name]
        return Function(name=name, qualified=".".join(owners), line=line, character=character, callable=callable_)

    def _owners(self, path: list[Node]) -> Iterator[str]:
        """Give the names of what it stands in, outermost first."""
        kinds = self._grammar
        for node in path:
            if node.type in kinds.classes or node.type in kinds.functions:
                name = _name_of(node)
            else:
                name = _held(node, kinds.closures | {"object"}) if node.type in kinds.holders else None
            if name:
                yield self._said(name)

    def _class_name(self, path: list[Node]) -> Node | None:
        return next((_name_of(node) for node in reversed(path) if node.type in self._grammar.classes), None)

    def _kind(self, path: list[Node]) -> Stands:
        *around, leaf = path
        if "comment" in leaf.type or "string" in leaf.type:
            return Stands.TEXT
        if around and around[-1].child_by_field_name("name") == leaf and self._declares(around[-1]):
            return Stands.DECLARATION
        node = leaf
        while around and around[-1].type in self._grammar.members and _ends(around[-1], node):
            node = around.pop()
        if around and around[-1].type in self._grammar.calls and _is_callee(around[-1], node):
            return Stands.CALL
        is_import = any(outer.type in self._grammar.imports for outer in around)
        return Stands.IMPORT if is_import else Stands.REFERENCE

    def _receiver(self, node: Node) -> list[str]:
        """Give the receiver's type of a Kotlin extension function: what stands before its name, with a dot between."""
        name = node.child_by_field_name("name") if node.type == "function_declaration" else None
        previous = name.prev_sibling if name is not None else None
        if previous is None or previous.type != "." or previous.prev_sibling is None:
            return []
        return [self._said(previous.prev_sibling).partition("<")[0].rstrip("?")]

    def _said(self, node: Node) -> str:
        """Give a node's text; the tree, read in parts, is slow to."""
        return self._text[node.start_byte : node.end_byte].decode(errors="replace")

    def _declares(self, node: Node) -> bool:
        kinds = self._grammar
        return node.type in kinds.functions or node.type in kinds.classes or _held(node, kinds.closures) is not None

    def _offset(self, line: int, character: int) -> int:
        """Give the byte of an LSP place; one past the end is the last."""
        if line >= len(self._line_starts):
            return max(len(self._text) - 1, 0)
        start = self._line_starts[line]
        end = self._line_starts[line + 1] if line + 1 < len(self._line_starts) else len(self._text)
        row = self._text[start:end]
        if row.isascii():
            return start + min(character, len(row))
        before = row.decode(errors="replace").encode("utf-16-le")[: character * 2]
        return start + len(before.decode("utf-16-le", errors="ignore").encode())

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset) - 1
        before = self._text[self._line_starts[line] : offset]
        if before.isascii():
            return line, len(before)
        return line, len(before.decode(errors="replace").encode("utf-16-le")) // 2


def _alias(path: list[Node]) -> Node | None:
    """Give the other name that an import gives to the path's last node."""
    for node in reversed(path[-4:-1]):
        if (alias := node.child_by_field_name("alias")) is not None:
            return None if alias == path[-1] else alias
    return None


def _name_of(node: Node) -> Node | None:
    name = node.child_by_field_name("name")
    if name is None or name.type == "string":
        return None
    return name


def _held(node: Node, closures: frozenset[str]) -> Node | None:
    """Give the name that a declaration or an assignment gives to a closure."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in closures:
        return None
    name = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("left")
    name = node.child_by_field_name("property") if name is None else name
    if name is not None and name.type in ("member_expression", "attribute"):
        name = name.named_children[-1]
    return name if name is not None and name.type.endswith("identifier") else None


def _is_member(path: list[Node]) -> bool:
    return len(path) == 1 or path[-2].type in (
        "class_body", "source_file", "enum_class_body", "interface_body", "enum_body_declarations", "ERROR",
    )  # fmt: skip


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


def _is_closure_field(node: Node) -> bool:
    return any(child.type == "lambda_literal" for child in node.named_children)


def _ends(parent: Node, node: Node) -> bool:
    return bool(parent.named_children) and parent.named_children[-1] == node


def _is_callee(call: Node, node: Node) -> bool:
    for name in ("function", "constructor", "name", "type"):
        if (callee := call.child_by_field_name(name)) is not None:
            return callee == node
    if call.type == "infix_expression":
        return len(call.named_children) > 1 and call.named_children[1] == node
    return bool(call.named_children) and call.named_children[0] == node
