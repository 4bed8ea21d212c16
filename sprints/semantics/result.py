"""The result of compilation: a statement, and the meaning of its columns."""

from dataclasses import dataclass
from typing import Literal, NamedTuple


class ResultColumn(NamedTuple):
    """A column of the answer with its term and kind."""

    name: str
    label: str
    unit: str | None
    kind: Literal["group", "time", "side", "measure", "change", "share", "value"]
    term: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuery:
    """A statement, its columns, and notes on the rows."""

    sql: str
    columns: tuple[ResultColumn, ...]
    notes: tuple[str, ...] = ()
