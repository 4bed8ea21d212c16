"""
Formats other than the contract's own: each engine's stream, turned into contract events.

One engine is one module (or package) in this folder, and its name is the format's: `nautilus` is what
`ingest_backtest --format nautilus` asks for. It needs one thing, `translator(run_id)`, which gives a Translator.
Nothing else is told about it; see README.md of the domain for a worked example.
"""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol
from uuid import UUID

Record = dict[str, Any]
"""One record of an engine's stream, as its JSON says it."""

Event = dict[str, Any]
"""One event in the contract's words: eventId, runId, timestamp, eventType, severity, category, properties ..."""


class Translator(Protocol):
    """
    What turns the records of one run into events, in the order in which they come.

    It is pure: the same records give the same events, ids included, so that a load that was cut short is resumed by
    running it again. It keeps no more than the run has open orders and positions, however long the stream is.
    """

    def translate(self, record: Record) -> Iterable[Event]:
        """Give the events that a record means; a record that is nonsense gives events that validation refuses."""
        ...


def formats() -> list[str]:
    """Name the engines whose streams can be read, by name."""
    return sorted(module.name for module in iter_modules(__path__))


def translator(name: str, *, run_id: UUID) -> Translator:
    """Give a translator of the format for one run; raises KeyError, with the known names, for an unknown one."""
    if name not in formats():
        raise KeyError(f"There is no format {name!r}; there are {', '.join(formats())}.")
    made: Translator = import_module(f"{__name__}.{name}").translator(run_id)
    return made
