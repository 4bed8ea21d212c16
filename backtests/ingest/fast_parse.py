"""Lines of the contract's own log into entries: those of a known shape at once, all others carefully. Pure."""

from collections.abc import Iterable, Iterator

from backtests.ingest.parse import CarefulReader
from backtests.ingest.record import Entry, LoggedEvent
from backtests.ingest.shapes import Shapes


def read_events(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Read lines of JSON; blank ones are passed over, and every other one gives exactly one entry."""
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
