"""What a compiled query is: a statement, and what its columns show."""

from dataclasses import dataclass
from typing import Literal, NamedTuple


class ResultColumn(NamedTuple):
    """A column of the answer: the term that it shows, and what it is."""

    name: str
    label: str
    unit: str | None
    kind: Literal["group", "time", "side", "measure", "change", "share", "value"]
    term: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuery:
    """A statement, its columns, and what a reader must know of the rows."""

    sql: str
    columns: tuple[ResultColumn, ...]
    notes: tuple[str, ...] = ()
