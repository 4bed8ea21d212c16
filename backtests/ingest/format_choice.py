"""Which format a file has, by how it begins; and what must be said of it before it can be loaded."""

from typing import IO

from backtests.ingest.engine_layouts import REQUIRED, Given, find_layout
from backtests.ingest.engine_records import decode_record, split_header
from backtests.ingest.engines import find_engine, list_engines, recognise_engines, table
from backtests.ingest.source import open_unpacked

AUTO, CONTRACT, TABLE = "auto", "contract", "table"
HEAD_BYTES, MAX_LINES = 65_536, 100
CONTRACT_NAMES = {"eventid", "runid", "eventtype"}


class LoadRefused(Exception):
    """The source cannot be loaded as asked; the message says why and what to do, to a person. Nothing is stored."""


def choose_format(stream: IO[bytes], *, name: str, columns: str, symbol: str) -> tuple[str, Given]:
    """
    Give a file's format and what was said of its columns; `auto` looks at how it begins.

    Raises LoadRefused where no format is known, where the file is another's, and where a table needs its columns or its
    security named; the message has the words to say it with.
    """
    head = open_unpacked(stream).stream.read(HEAD_BYTES).decode("utf-8", "replace").removeprefix("\ufeff")
    known = [one for one in recognise_engines(head) if one != TABLE]
    if name == AUTO:
        name = TABLE if columns else _recognise(head, known=known)
    elif name != CONTRACT and known and name not in known and name != TABLE:
        raise LoadRefused(f"It does not begin as {_title(name)} It looks like {', '.join(known)}: load it as that.")
    if name == CONTRACT:
        return name, Given()
    header = split_header(head.partition("\n")[0])
    given = _read_given(name, header=header, columns=columns, symbol=symbol)
    layouts = [table.make_layout(given.columns)] if name == TABLE else find_engine(name).layouts
    layout = find_layout(layouts, header=header)
    if layout and "price" in " ".join(REQUIRED[layout.kind]) and "symbol" not in layout.columns and not symbol:
        raise LoadRefused("The table does not say which security it is of: name it, as --symbol AAPL or ?symbol=AAPL.")
    return name, given


def _recognise(head: str, *, known: list[str]) -> str:
    first = head.lstrip().partition("\n")[0]
    if any(map(_is_contract_line, head.splitlines()[:MAX_LINES])):
        return CONTRACT
    if len(known) == 1:
        return known[0]
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


def _read_given(name: str, *, header: list[str], columns: str, symbol: str) -> Given:
    """Read what was said of columns. Raises LoadRefused."""
    if name != TABLE:
        if columns:
            raise LoadRefused(f"Only a table's columns can be named, and this is {_title(name)}")
        return Given(symbol=symbol)
    if not columns:
        guessed = table.guess_columns(header)
        if guessed is None:
            raise LoadRefused(
                f"What the columns {', '.join(header)[:200]} mean is not known: name them, as --columns "
                "'time=<column>,equity=<column>' or ?columns=."
            )
        raise LoadRefused(
            f"It looks like a table of {guessed.kind}. If that is what its columns mean, load it with --columns "
            f'"{table.write_columns(guessed.columns)}"; else name others.'
        )
    try:
        read = table.read_columns(columns)
    except ValueError as error:
        raise LoadRefused(str(error)) from error
    missing = [column for column in read.values() if column not in header]
    if missing:
        raise LoadRefused(f"There is no column {missing[0]!r}: the table has {', '.join(header)[:300]}.")
    return Given(columns=read, symbol=symbol)


def _title(name: str) -> str:
    return find_engine(name).title
