"""Warnings about a schema file that can still be used, with their places in the file."""

from bisect import bisect_right
from itertools import accumulate
from typing import TypedDict

from graphql import Node

MAX_WARNINGS = 500
MAX_MESSAGE = 500


class SchemaWarning(TypedDict):
    """One repair or contradiction. Line and column are None for introspection JSON, where only `path` is known."""

    path: str
    line: int | None
    column: int | None
    message: str


class WarningLog:
    """Collects warnings. The first 500 are listed, the rest are counted. `text` is the SDL that nodes refer to."""

    def __init__(self, text: str | None) -> None:
        self._starts = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))] if text else None
        self._listed: list[SchemaWarning] = []
        self._count = 0

    def add(self, message: str, *, path: str = "", node: Node | None = None) -> None:
        """Add a warning about a node of the parsed file."""
        self._count += 1
        if len(self._listed) < MAX_WARNINGS:
            line, column = self._locate(node)
            self._listed.append(
                {"path": path[:300], "line": line, "column": column, "message": flatten_text(message)[:MAX_MESSAGE]}
            )

    def list_all(self) -> list[SchemaWarning]:
        """Return the warnings in the order of the file."""
        listed = sorted(self._listed, key=lambda warning: (warning["line"] or 0, warning["column"] or 0))
        if more := self._count - len(listed):
            listed.append({"path": "", "line": None, "column": None, "message": f"{more:,} more are not listed."})
        return listed

    def _locate(self, node: Node | None) -> tuple[int | None, int | None]:
        if self._starts is None or node is None or node.loc is None:
            return None, None
        line = bisect_right(self._starts, node.loc.start)
        return line, node.loc.start - self._starts[line - 1] + 1


def flatten_text(text: str) -> str:
    """Write a text on one line."""
    return " ".join(text.split())
