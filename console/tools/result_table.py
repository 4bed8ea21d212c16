"""An answer's rows as a table: the longest list of objects in the answer, with its columns in their order."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import orjson

MAX_ROWS = 1_000
MAX_COLUMNS = 40
MAX_CELL = 400
DEEPEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value as text; numbers are aligned right."""

    text: str
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows to show; `total` counts those that are not shown too."""

    columns: list[str]
    rows: list[list[Cell]]
    total: int
    numeric: list[bool] = field(default_factory=list)

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Return the columns, and whether each holds figures."""
        return list(zip(self.columns, self.numeric, strict=True))

    @property
    def is_cut(self) -> bool:
        """Return whether there are more rows than are shown."""
        return self.total > len(self.rows)


def parse_json(text: str) -> Any:
    """Parse JSON; None if it is not valid."""
    try:
        return orjson.loads(str(text))  # orjson takes no subclass of str
    except ValueError:
        return None


def format_json(answer: Any, *, most: int = 50_000) -> str:
    """Format JSON with indentation; text longer than `most` characters is cut, with a note."""
    text = orjson.dumps(answer, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()
    return text if len(text) <= most else f"{text[:most]}\n… ({len(text):,} characters in all)"


def find_rows(answer: Any) -> list[dict[str, Any]]:
    """Return the rows of an answer: the longest list of objects in it, or []."""
    return _longest(answer, deep=0)


def find_table(answer: Any) -> Table | None:
    """Return the rows of an answer as a table; None if it has none."""
    found = find_rows(answer)
    if not found:
        return None
    columns = list(dict.fromkeys(name for row in found[:MAX_ROWS] for name in row))[:MAX_COLUMNS]
    rows = [[_cell(row.get(name)) for name in columns] for row in found[:MAX_ROWS]]
    numeric = [all(cells[place].is_number or not cells[place].text for cells in rows) for place in range(len(columns))]
    return Table(columns=columns, rows=rows, total=len(found), numeric=numeric)


def find_texts(answer: Any, *, deep: int = 0) -> list[tuple[str, str]]:
    """Return texts of several lines in an answer, such as files, by name; texts inside lists are left out."""
    if not isinstance(answer, dict) or deep >= DEEPEST:
        return []
    own = [(name, text) for name, text in answer.items() if isinstance(text, str) and "\n" in text.strip()]
    return own + [found for part in answer.values() for found in find_texts(part, deep=deep + 1)]


def _longest(answer: Any, *, deep: int) -> list[dict[str, Any]]:
    if isinstance(answer, list) and answer and all(isinstance(row, dict) for row in answer):
        return answer
    if not isinstance(answer, dict | list) or deep >= DEEPEST:
        return []
    inside = answer.values() if isinstance(answer, dict) else answer[:50]
    return max((_longest(part, deep=deep + 1) for part in inside), key=len, default=[])


def _cell(value: Any) -> Cell:
    if value is None:
        return Cell(text="")
    if isinstance(value, bool):
        return Cell(text="true" if value else "false")
    if isinstance(value, int | float | Decimal):
        return Cell(text=str(value), is_number=True)
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return Cell(text=text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…")
