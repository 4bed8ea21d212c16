"""Parsing with a time limit. Syntax errors are bridged as well as the grammar can."""

import re
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from devassist.syntax.grammars import KOTLIN, Grammar, grammar_of, language_of

SECONDS = 0.6
"""The time limit of a parse. Broken code takes quadratic time."""
MAX_BYTES = 2 * 1024 * 1024
"""A larger file is generated, not written. Parsing it would only exhaust the time limit."""
_READ_AT_ONCE = 65_536
_MAX_EFFORT = 20_000_000
_MAX_NODES = 60_000
_MAX_DEPTH = 300

_FUN_INTERFACE = re.compile(rb"\bfun(?=[ \t]+interface\b)")
_CLOSED_ON_THE_LINE = re.compile(rb"(?<=\S) (?=\})")


class ParseOverdue(Exception):
    """Parsing exceeded the time limit: the file is very large, or broken in many places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """
    A source file as bytes of UTF-8 whose lines end with a line feed, and its tree.

    Nodes say where something stands; what is written there is said by `text`. Queries hold no predicates and are given
    no callbacks: the binding (0.26.1) dies of those.
    """

    source: bytes
    tree: Tree
    grammar: Grammar
    line_starts: Sequence[int]

    @property
    def is_whole(self) -> bool:
        """Return whether all of it parsed."""
        return not self.tree.root_node.has_error

    def text(self, node: Node | None, *, most: int = 1_000) -> str:
        """Return the beginning of a node's text as written, empty for None. The tree may be of a patched source."""
        return (
            self.source[node.start_byte : min(node.end_byte, node.start_byte + most)].decode("utf-8", "replace")
            if node
            else ""
        )

    def place(self, offset: int) -> tuple[int, int]:
        """Convert an offset to LSP line and character: from 0, in UTF-16 units."""
        line = bisect_right(self.line_starts, offset) - 1
        before = self.source[self.line_starts[line] : offset]
        if before.isascii():
            return line, len(before)
        return line, len(before.decode("utf-8", "replace").encode("utf-16-le")) // 2

    def offset(self, line: int, *, character: int) -> int:
        """Convert an LSP place to an offset. One past the end is the last."""
        if line >= len(self.line_starts):
            return max(len(self.source) - 1, 0)
        start = self.line_starts[line]
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.source)
        row = self.source[start:end]
        if row.isascii():
            return start + min(character, len(row))
        before = row.decode("utf-8", "replace").encode("utf-16-le")[: character * 2]
        return start + len(before.decode("utf-16-le", "ignore").encode())

    def matches(self, query: Query, *, at: int | None = None) -> list[dict[str, list[Node]]]:
        """Return the query's matches in the whole file, or those around an offset and some beside it."""
        cursor = QueryCursor(query)
        if at is not None:
            cursor.set_byte_range(at, at + 1)
        return [captures for _, captures in cursor.matches(self.tree.root_node)]

    def captures(self, query: Query, *, start: int, end: int) -> dict[str, list[Node]]:
        """Return the query's captures between two offsets."""
        cursor = QueryCursor(query)
        cursor.set_byte_range(start, end)
        return cursor.captures(self.tree.root_node)


def parts_of(node: Node) -> list[Node]:
    """Return the named children of a node without comments, which may stand between any two."""
    return [child for child in node.named_children if not child.is_extra]


def parse(text: str, *, path: str, seconds: float = SECONDS) -> Code | None:
    """
    Parse a file with line feeds as line breaks. Returns None for an unsupported extension.

    Raises ParseOverdue.
    """
    grammar = grammar_of(path)
    if grammar is None:
        return None
    until = time.monotonic() + seconds
    source = text.encode("utf-8", "replace")
    if len(source) > MAX_BYTES:
        raise ParseOverdue
    tree = _tree(source, grammar=grammar, until=until)
    if tree.root_node.has_error and grammar is KOTLIN:
        tree = _better(tree, _tree(_patch_kotlin(source), grammar=grammar, until=until))
    _ask_only_what_is_quick(tree)
    starts = (0, *(found.end() for found in re.finditer(b"\n", source)))
    return Code(source=source, tree=tree, grammar=grammar, line_starts=starts)


def line_span(code: Code, *, line: int) -> tuple[int, int]:
    """Return the offsets of a line's first non-space character and of its end, or the file's end past it."""
    if line > len(code.line_starts):
        return len(code.source), len(code.source)
    start = code.line_starts[line - 1]
    end = code.line_starts[line] - 1 if line < len(code.line_starts) else len(code.source)
    text = code.source[start:end]
    return start + len(text) - len(text.lstrip()), end


def _tree(source: bytes, *, grammar: Grammar, until: float) -> Tree:
    """Parse, checking the clock every few hundred steps, which also lets other threads run."""
    parser = Parser(language_of(grammar))
    try:
        return parser.parse(
            lambda offset, _: source[offset : offset + _READ_AT_ONCE],
            progress_callback=lambda _offset, _failed: time.monotonic() > until,
        )
    except ValueError as stopped:
        raise ParseOverdue from stopped


def _ask_only_what_is_quick(tree: Tree) -> None:
    """
    Raise ParseOverdue for a tree on which queries would take too long.

    They take the square of its depth, and of the children of each node that stands for an error; other nodes have
    theirs in layers.
    """
    if tree.root_node.descendant_count > _MAX_NODES or _is_deep(tree):
        raise ParseOverdue
    left, effort = [tree.root_node], 0
    while left:
        node = left.pop()
        effort += node.child_count**2 if node.is_error else 0
        if effort > _MAX_EFFORT:
            raise ParseOverdue
        left.extend(child for child in node.children if child.has_error)


def _is_deep(tree: Tree) -> bool:
    """Return whether nodes are nested deeper than people write, counting up to that depth."""
    cursor, depth = tree.walk(), 0
    if not _may_be_deep(tree):
        return False
    while depth < _MAX_DEPTH:
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1
    return True


def _may_be_deep(tree: Tree) -> bool:
    """Check some nodes in file order. Depth grows by one at most, so a deep node has deep ones before it."""
    cursor = tree.walk()
    for number in range(0, tree.root_node.descendant_count, _MAX_DEPTH // 3):
        cursor.goto_descendant(number)
        if cursor.depth >= _MAX_DEPTH // 2:
            return True
    return False


def _patch_kotlin(source: bytes) -> bytes:
    """
    Rewrite Kotlin so that the grammar can parse it, without moving a character.

    It does not know `fun interface`, nor members on one line with the brace that closes their class.
    """
    return _CLOSED_ON_THE_LINE.sub(b";", _FUN_INTERFACE.sub(b"   ", source))


def _better(tree: Tree, patched: Tree) -> Tree:
    """Return the tree without errors, else the one with less text in errors at the top."""
    lost = [sum(node.end_byte - node.start_byte for node in one.root_node.children if node.is_error)
            for one in (tree, patched)]  # fmt: skip
    return tree if patched.root_node.has_error and lost[0] <= lost[1] else patched
