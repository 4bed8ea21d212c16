"""A chart with tables of its figures, for pages and the admin. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?: ?%)?")
NOTHING = "Nothing to draw."


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A table: what it is of, its head, its rows; the first cell of a row names it."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def numeric(self) -> list[bool]:
        """Tell of each column whether it holds numbers alone."""
        cells = [[str(cell) for cell in column if cell not in ("", None)] for column in zip(*self.rows, strict=True)]
        return [bool(column) and all(map(_NUMBER.fullmatch, column)) for column in cells] or [False] * len(self.head)

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Give the head, each name with whether its column holds numbers."""
        return list(zip(self.head, self.numeric, strict=True))

    @property
    def lines(self) -> list[list[tuple[Any, bool]]]:
        """Give the rows, each cell with whether its column holds numbers."""
        numeric = self.numeric
        return [list(zip(row, numeric, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A chart, a sentence about it, and its tables; `nothing` is said where there is nothing to draw."""

    title: str
    drawing: SafeString | str
    note: str
    tables: Sequence[Figures] = ()
    nothing: str = NOTHING

    @property
    def has_rows(self) -> bool:
        """Tell whether a table of it has rows."""
        return any(table.rows for table in self.tables)
