"""Parsing of the contract's log: lines of a known shape by regular expression, others by the slow path. Pure."""

from collections.abc import Iterable, Iterator

from backtests.ingest.parse import CarefulReader
from backtests.ingest.record import Entry, LoggedEvent
from backtests.ingest.shapes import Shapes


def read_events(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Read lines of JSON; each line that is not blank gives exactly one entry."""
    shapes, careful = Shapes(), CarefulReader()
    recognise = shapes.recognise
    for number, line in enumerate(lines, start=1):
        row = recognise(line, number=number)
        if row is not None:
            yield row
            continue
        entry = careful.read(line, number=number)
        if entry is None:
            continue
        if isinstance(entry, LoggedEvent):
            shapes.learn(entry)
        yield entry
