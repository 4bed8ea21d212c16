"""An answer's rows as a table: the longest list of objects in it, its columns in the order in which they come."""

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
    """A value as it is shown; numbers stand to the right."""

    text: str
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows to look at."""

    columns: list[str]
    rows: list[list[Cell]]
    total: int
    numeric: list[bool] = field(default_factory=list)

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Give the columns, and whether each holds figures."""
        return list(zip(self.columns, self.numeric, strict=True))

    @property
    def is_cut(self) -> bool:
        """Tell whether there were more rows than are shown."""
        return self.total > len(self.rows)


def parse_json(text: str) -> Any:
    """Read JSON; None where it is none."""
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def format_json(answer: Any, *, most: int = 50_000) -> str:
    """Lay JSON out over lines, cut where it is long."""
    text = orjson.dumps(answer, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()
    return text if len(text) <= most else f"{text[:most]}\n… ({len(text):,} characters in all)"


def find_rows(answer: Any) -> list[dict[str, Any]]:
    """Find the rows of an answer: the longest list of objects in it, empty where it has none."""
    return _longest(answer, deep=0)


def find_table(answer: Any) -> Table | None:
    """Lay the rows of an answer out as a table; None where it has none."""
    found = find_rows(answer)
    if not found:
        return None
    columns = list(dict.fromkeys(name for row in found[:MAX_ROWS] for name in row))[:MAX_COLUMNS]
    rows = [[_cell(row.get(name)) for name in columns] for row in found[:MAX_ROWS]]
    numeric = [all(cells[place].is_number or not cells[place].text for cells in rows) for place in range(len(columns))]
    return Table(columns=columns, rows=rows, total=len(found), numeric=numeric)


def find_texts(answer: Any, *, deep: int = 0) -> list[tuple[str, str]]:
    """List the texts of several lines that an answer holds beside its rows, such as a file: by name, to read as is."""
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
