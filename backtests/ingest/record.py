"""
What every format of log is turned into before it is checked and stored.

A new engine is one module beside this one with a function from bytes to an iterator of `Entry`: LoggedEvent for an
event in the contract's words, RunFacts for what the log says of the run as a whole, Unreadable for a line that no
event can be made of. Checking (check.py) and storing (load.py) are the same for all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from backtests.store.orders import OrderStep


@dataclass(slots=True)
class LoggedEvent:
    """
    One event as it was logged, in the contract's words and not yet checked.

    `event_id`, `timestamp` and the words are what stood in the log, whatever it was; None says that nothing stood
    there. `timestamp` should be a text (ISO 8601 with any offset) or a datetime; a number says no unit and is refused.
    `properties` is the raw JSON text of the object, kept to the byte. `line` is what it was read from, for the
    quarantine; `line_number` counts from 1.
    """

    event_id: object = None
    timestamp: object = None
    event_type: object = None
    severity: object = None
    category: object = None
    properties: bytes | None = None
    parent_event_id: object = None
    run_id: object = None
    line_number: int = 0
    line: bytes = b""
    problems: list["Problem"] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class RunFacts:
    """What a log says of its run: whatever is None is not known from it."""

    run_id: UUID | None = None
    name: str | None = None
    engine: str | None = None
    config_hash: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    sweep: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    labels: Sequence[str] = ()
    source: "SourceDigest | None" = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDigest:
    """What an engine's stream holds, unpacked: how much, and its SHA-256."""

    size_bytes: int
    sha256: str


@dataclass(slots=True, kw_only=True)
class Unreadable:
    """A line that no event can be made of, kept for a person to look at."""

    line_number: int
    line: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One validation error of an event, as the contract words it."""

    field: str
    error: str
    severity: str = "Error"


class EventRow(msgspec.Struct, gc=False):
    """
    One checked event, ready to be stored.

    Ids are GUIDs in lower case. `moment` is microseconds since 1970 in UTC; type, severity and category are codes of
    backtests.vocabulary. `lists` and `own_lists` name the lists that it is in, the latter few events else;
    `number_lists` those of its numbers, `numbers` each of these as text; lists of errors and of roots come when it is
    stored. `number` is the event's place among the arrivals of its run, given then as well. `run_id` is what the line
    says of its run. Events alike share their tuples, and the collector does not walk rows: they are in no cycle.
    """

    event_id: str
    moment: int
    event_type: int
    severity: int
    category: int
    properties: bytes
    parent_event_id: str | None
    lists: tuple[str, ...]
    number_lists: tuple[str, ...]
    numbers: tuple[str, ...]
    order: OrderStep | None
    symbol: str | None
    problems: tuple[Problem, ...]
    own_lists: tuple[str, ...] = ()
    run_id: str | None = None
    line_number: int = 0
    line: bytes = b""
    number: int = -1


Entry = LoggedEvent | EventRow | RunFacts | Unreadable
