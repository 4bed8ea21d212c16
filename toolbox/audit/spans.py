"""
Spans of what is under way: nothing, unless tracing is switched on (config/observability/traces.py).

What takes part in a trace names a span and its attributes here, and never imports OpenTelemetry, which is optional.
Attributes are names, counts and ids; what people, models or tools said is not among them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

Value = str | int | bool | list[str]


@dataclass(slots=True)
class Span:
    """A span that is under way: what is set before it ends is its own; `error` is a code, "" where all went well."""

    attributes: dict[str, Value] = field(default_factory=dict)
    error: str = ""


Recorder = Callable[..., AbstractContextManager[Span]]


class _RecorderSlot:
    def __init__(self) -> None:
        self.recorder: Recorder | None = None


recording = _RecorderSlot()
"""Who records the spans of this process, if anybody."""


@contextmanager
def record(name: str, *, attributes: Mapping[str, Value], is_client: bool = False) -> Iterator[Span]:
    """Make what happens inside the block a span; spans begun inside are its children."""
    if recording.recorder is None:
        yield Span()
        return
    with recording.recorder(name, attributes=attributes, is_client=is_client) as span:
        yield span
