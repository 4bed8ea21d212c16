"""
Records that every log format is parsed into, before validation and storage.

A parser returns an iterator of `Entry`: LoggedEvent for an event in the contract's form, RunFacts for facts of the run,
Unreadable for a line that gives no event. Validation (check.py) and storage (load.py) are the same for all formats.
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
    One event as logged, in the contract's form, before validation.

    The fields hold the logged values, whatever they are; None means missing. `timestamp` should be a text (ISO 8601
    with any offset) or a datetime; a number has no unit and is refused. `properties` is the raw JSON text of the
    object, unchanged. `line` is the source, for the quarantine; `line_number` counts from 1.
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
    """Facts of a run from its log; None means unknown."""

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
    """Size and SHA-256 of an engine's unpacked stream."""

    size_bytes: int
    sha256: str


@dataclass(slots=True, kw_only=True)
class Unreadable:
    """A line that gives no event, kept for a person to look at."""

    line_number: int
    line: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One validation error of an event, in the contract's form."""

    field: str
    error: str
    severity: str = "Error"


class EventRow(msgspec.Struct, gc=False):
    """
    One validated event, ready to be stored.

    Ids are GUIDs in lower case. `moment` is microseconds since 1970 in UTC; type, severity and category are codes of
    backtests.vocabulary. `lists` and `own_lists` name the event's lists; few other events are in the latter.
    `number_lists` names the lists of its numbers, and `numbers` has each of these as text. Storing adds the lists of
    errors and roots, and `number`, the event's place in order of arrival. `run_id` is the run that the line names.
    Similar events share their tuples. The garbage collector does not track rows, which are in no cycle.
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
