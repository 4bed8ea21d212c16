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
    """A table: title, column heads and rows; the first cell of a row names it."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def numeric(self) -> list[bool]:
        """Return for each column whether it holds only numbers."""
        cells = [[str(cell) for cell in column if cell not in ("", None)] for column in zip(*self.rows, strict=True)]
        return [bool(column) and all(map(_NUMBER.fullmatch, column)) for column in cells] or [False] * len(self.head)

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Return each column's head with whether the column holds numbers."""
        return list(zip(self.head, self.numeric, strict=True))

    @property
    def lines(self) -> list[list[tuple[Any, bool]]]:
        """Return the rows, each cell with whether its column holds numbers."""
        numeric = self.numeric
        return [list(zip(row, numeric, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A chart with a note and tables of its figures; `nothing` is shown if there is nothing to draw."""

    title: str
    drawing: SafeString | str
    note: str
    tables: Sequence[Figures] = ()
    nothing: str = NOTHING

    @property
    def has_rows(self) -> bool:
        """Return whether any of its tables has rows."""
        return any(table.rows for table in self.tables)
