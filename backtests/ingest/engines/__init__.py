"""
Translators of engines' formats into contract events.

One engine is one module (or package) in this folder, and its name is the format's: `ingest_backtest --format nautilus`
uses `nautilus`. A module has

- `recognise(head)`: whether a file that begins like this is the engine's;
- `read_records(lines)`: the records of the file, usually a reader of `engine_records`;
- `make_translator(run_id, given=...)`: the translator of one run's records into events.

A module of tables also has LAYOUTS, and `find_kind(head)` if these do not tell the kind of a file; the file can then be
loaded together with a table of the other kind. There is no further registration. README.md of the domain has an
example.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol
from uuid import UUID

from backtests.ingest.engine_layouts import Event, Layout, TableOptions
from backtests.ingest.engine_records import ReadRecord, Record

__all__ = [
    "Engine",
    "Event",
    "Record",
    "TableOptions",
    "Translator",
    "find_engine",
    "list_engines",
    "recognise_engines",
]


class Translator(Protocol):
    """
    Translates the records of one run into events, in order.

    It is pure: the same records give the same events, including ids, so an interrupted load is resumed by running it
    again. Its memory is bounded by the run's open orders and positions, however long the stream is.
    """

    def translate(self, record: Record) -> Iterable[Event]:
        """
        Return the events of a record; an invalid record gives events that validation reports.

        Raises ValueError if the record gives no event at all.
        """
        ...


class MakeTranslator(Protocol):
    """Makes the translator of one run's records."""

    def __call__(self, run_id: UUID, *, given: TableOptions) -> Translator:
        """Make the translator; `given` is what a person specified of the file."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """One format: how to recognise its files, read them, and translate their records."""

    name: str
    title: str
    recognise: Callable[[str], bool]
    read_records: Callable[[Iterable[bytes]], Iterator[ReadRecord]]
    make_translator: MakeTranslator
    layouts: Sequence[Layout] = ()
    """Its layouts, if it is a format of tables."""
    find_kind: Callable[[str], str] = lambda _: ""
    """Return the kind of table of a file that begins like this, if no layout tells it; "" for a whole run."""


def list_engines() -> list[str]:
    """List the names of the formats, sorted."""
    return sorted(module.name for module in iter_modules(__path__))


def find_engine(name: str) -> Engine:
    """Return a format. Raises KeyError, with the known names, for an unknown one."""
    if name not in list_engines():
        raise KeyError(f"There is no format {name!r}; there are {', '.join(list_engines())}.")
    module: Any = import_module(f"{__name__}.{name}")
    title = (module.__doc__ or name).strip().partition("\n")[0]
    optional = {"layouts": "LAYOUTS", "find_kind": "find_kind"}
    more = {field: getattr(module, of) for field, of in optional.items() if hasattr(module, of)}
    return Engine(name, title, module.recognise, module.read_records, module.make_translator, **more)


def recognise_engines(head: str) -> list[str]:
    """List the names of the formats that a file which begins like this may have."""
    return [name for name in list_engines() if find_engine(name).recognise(head)]
