"""Detection of a file's format by its beginning, and of what must be specified before it can be loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import IO

from backtests.ingest.engine_layouts import REQUIRED, Layout, TableOptions, find_layout
from backtests.ingest.engine_records import decode_record, read_table, split_header
from backtests.ingest.engines import find_engine, list_engines, recognise_engines, table
from backtests.ingest.source import open_unpacked

AUTO, CONTRACT, TABLE = "auto", "contract", "table"
HEAD_BYTES, MAX_LINES = 65_536, 100
CONTRACT_NAMES = {"eventid", "runid", "eventtype"}
PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
OTHER_FILES = {
    b"PK\x03\x04": "a spreadsheet or another ZIP file",
    b"\x89HDF": "an HDF5 file",
    b"ARROW1": "an Arrow file",
}
TO_TABLE = "Write the table with to_csv or to_parquet, and load that."


class LoadRefused(Exception):
    """The source cannot be loaded; the message tells a person why and what to do. Nothing is stored."""


class ColumnsGuessed(LoadRefused):
    """
    A table's columns are guessed; it can be loaded when a person or agent has confirmed them.

    `guess` describes the table and shows its first row; `columns` is the option that confirms the guess. `path` is the
    file's.
    """

    path: Path | None = None

    def __init__(self, guess: str, *, columns: str) -> None:
        super().__init__(f'{guess} If that is right, load it with --columns "{columns}"; else name others.')
        self.guess = guess
        self.columns = columns


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatChoice:
    """A file's format, its options, and its kind of table; "" if it is not a single table. `layout` is the table's."""

    name: str
    given: TableOptions
    kind: str = ""
    layout: Layout | None = None


def choose_format(stream: IO[bytes], *, name: str, columns: str, symbol: str) -> FormatChoice:
    """
    Return a file's format; `auto` detects it from the beginning.

    Raises LoadRefused if the format is unknown or another one, and if a table's columns or security must be named; the
    message has the option to do so.
    """
    if name not in {AUTO, CONTRACT, *list_engines()}:
        raise LoadRefused(
            f"There is no format {name[:60]!r}: there are {', '.join([AUTO, CONTRACT, *list_engines()])}."
        )
    start = open_unpacked(stream).stream.read(HEAD_BYTES)
    _refuse_binary(start)
    head = start.decode("utf-8", "replace").removeprefix("\ufeff")
    known = [one for one in recognise_engines(head) if one != TABLE]
    if name == AUTO:
        name = TABLE if columns else _recognise(head, known=known)
    elif name != CONTRACT and known and name not in known and name != TABLE:
        raise LoadRefused(f"It does not begin as {_title(name)} It looks like {', '.join(known)}: load it as that.")
    if name == CONTRACT:
        return FormatChoice(name=name, given=TableOptions())
    header = split_header(head.partition("\n")[0])
    given = _read_given(name, header=header, columns=columns, symbol=symbol, head=head)
    engine = find_engine(name)
    layouts = [table.make_layout(given.columns)] if name == TABLE else engine.layouts
    layout = find_layout(layouts, header=header)
    if layout and "price" in " ".join(REQUIRED[layout.kind]) and "symbol" not in layout.columns and not symbol:
        raise LoadRefused("The table does not say which security it is of: name it, as --symbol AAPL or ?symbol=AAPL.")
    return FormatChoice(name=name, given=given, kind=layout.kind if layout else engine.find_kind(head), layout=layout)


def _refuse_binary(start: bytes) -> None:
    """Check that the file is text. Raises LoadRefused."""
    if start.startswith(PICKLES):
        raise LoadRefused(f"It looks like a Python pickle, which is never read: it could run anything. {TO_TABLE}")
    for magic, what in OTHER_FILES.items():
        if start.startswith(magic):
            raise LoadRefused(f"It looks like {what}. {TO_TABLE}")


def _recognise(head: str, *, known: list[str]) -> str:
    first = head.lstrip().partition("\n")[0]
    if _is_contract_line(first):
        return CONTRACT
    if len(known) == 1:
        return known[0]
    if any(map(_is_contract_line, head.splitlines()[:MAX_LINES])):
        return CONTRACT
    if known:
        raise LoadRefused(f"It may be of {' or '.join(known)}: say which, by --format or ?format=.")
    if table.recognise(head):
        return TABLE
    if first.startswith("{"):
        return CONTRACT
    raise LoadRefused(
        f"No format is known that begins with {first[:80]!r}. There are {', '.join([CONTRACT, *list_engines()])}; a "
        "table is loaded with --columns or ?columns=, as time=Date,equity=NAV."
    )


def _is_contract_line(line: str) -> bool:
    if not line.startswith("{"):
        return False
    record = decode_record(line.encode("utf-8", "replace"))
    return isinstance(record, dict) and bool(CONTRACT_NAMES & {name.lower() for name in record})


def _read_given(name: str, *, header: list[str], columns: str, symbol: str, head: str) -> TableOptions:
    """Parse the option that names columns. Raises LoadRefused."""
    if name != TABLE:
        if columns:
            raise LoadRefused(f"Only a table's columns can be named, and this is {_title(name)}")
        return TableOptions(symbol=symbol)
    if not columns:
        guessed = table.guess_columns(header)
        if guessed is None:
            raise LoadRefused(
                f"What the columns {', '.join(header)[:200]} mean is not known: name them, as --columns "
                "'time=<column>,equity=<column>' or ?columns=."
            )
        guess = f"It looks like a table of {guessed.kind}{_show_first_row(guessed, head=head)}."
        raise ColumnsGuessed(guess, columns=table.write_columns(guessed.columns))
    try:
        read = table.read_columns(columns)
    except ValueError as error:
        raise LoadRefused(str(error)) from error
    missing = [column for column in read.values() if column not in header]
    if missing:
        raise LoadRefused(f"There is no column {missing[0]!r}: the table has {', '.join(header)[:300]}.")
    return TableOptions(columns=read, symbol=symbol)


def _show_first_row(layout: Layout, *, head: str) -> str:
    """Describe how a table's first row would be read."""
    lines = [f"{line}\n".encode() for line in head.split("\n")[:-1][:MAX_LINES]]
    first = next((one.record for one in read_table(lines) if isinstance(one.record, dict)), None)
    if first is None:
        return ""
    cells = [f"{role} {str(first[column])[:40]!r} ({column})" for role, column in layout.columns.items()]
    return f"; its first row would have {', '.join(cells)}"


def _title(name: str) -> str:
    return find_engine(name).title
