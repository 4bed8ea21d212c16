"""
Formats other than the contract's own: what an engine writes, turned into contract events.

One engine is one module (or package) in this folder, and its name is the format's: `nautilus` is what
`ingest_backtest --format nautilus` asks for. A module has

- `recognise(head)`: whether a file that begins like this is the engine's;
- `read_records(lines)`: the records of the file, one of the readers of `engine_records`;
- `make_translator(run_id, given=...)`: what turns the records of one run into events.

A module of tables has LAYOUTS too, and `find_kind(head)` where these do not say which kind a file is: it can then be
loaded together with a table of the other kind. Nothing else is told about it; see README.md of the domain for a worked
example.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol
from uuid import UUID

from backtests.ingest.engine_layouts import Event, Given, Layout
from backtests.ingest.engine_records import ReadRecord, Record

__all__ = ["Engine", "Event", "Given", "Record", "Translator", "find_engine", "list_engines", "recognise_engines"]


class Translator(Protocol):
    """
    What turns the records of one run into events, in the order in which they come.

    It is pure: the same records give the same events, ids included, so that a load that was cut short is resumed by
    running it again. It keeps no more than the run has open orders and positions, however long the stream is.
    """

    def translate(self, record: Record) -> Iterable[Event]:
        """
        Give the events that a record means; a record that is nonsense gives events that validation refuses.

        Raises ValueError where no event can be made of it at all.
        """
        ...


class MakeTranslator(Protocol):
    """Gives what turns the records of one run into events."""

    def __call__(self, run_id: UUID, *, given: Given) -> Translator:
        """Make it; `given` is what a person said of the file."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """One format: how a file of it begins, how it is read, and what its records mean."""

    name: str
    title: str
    recognise: Callable[[str], bool]
    read_records: Callable[[Iterable[bytes]], Iterator[ReadRecord]]
    make_translator: MakeTranslator
    layouts: Sequence[Layout] = ()
    """Its tables, where it is read by these."""
    find_kind: Callable[[str], str] = lambda _: ""
    """The kind of table that a file which begins like this is, where no layout says it; "" for a whole run."""


def list_engines() -> list[str]:
    """Name the formats, by name."""
    return sorted(module.name for module in iter_modules(__path__))


def find_engine(name: str) -> Engine:
    """Give a format; raises KeyError, with the known names, for an unknown one."""
    if name not in list_engines():
        raise KeyError(f"There is no format {name!r}; there are {', '.join(list_engines())}.")
    module: Any = import_module(f"{__name__}.{name}")
    title = (module.__doc__ or name).strip().partition("\n")[0]
    optional = {"layouts": "LAYOUTS", "find_kind": "find_kind"}
    more = {field: getattr(module, of) for field, of in optional.items() if hasattr(module, of)}
    return Engine(name, title, module.recognise, module.read_records, module.make_translator, **more)


def recognise_engines(head: str) -> list[str]:
    """Name the formats that a file which begins like this may have."""
    return [name for name in list_engines() if find_engine(name).recognise(head)]
