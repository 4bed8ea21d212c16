"""
Trace spans; they do nothing unless tracing is switched on (config/observability/traces.py).

Code names a span and its attributes here and never imports OpenTelemetry, which is optional. Attributes are names,
counts and ids, never what people, models or tools said.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

Value = str | int | bool | list[str]


@dataclass(slots=True)
class Span:
    """A span in progress: attributes may be set until it ends; `error` is a code, "" for success."""

    attributes: dict[str, Value] = field(default_factory=dict)
    error: str = ""


Recorder = Callable[..., AbstractContextManager[Span]]


class _RecorderSlot:
    def __init__(self) -> None:
        self.recorder: Recorder | None = None


recording = _RecorderSlot()
"""The recorder of this process's spans, if any."""


@contextmanager
def record(name: str, *, attributes: Mapping[str, Value], is_client: bool = False) -> Iterator[Span]:
    """Record the block as a span; spans begun inside are its children."""
    if recording.recorder is None:
        yield Span()
        return
    with recording.recorder(name, attributes=attributes, is_client=is_client) as span:
        yield span
