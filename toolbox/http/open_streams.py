"""Endless streams, closed first when the server stops, because it waits for its connections."""

from collections.abc import Callable

_closers: list[Callable[[], None]] = []


def close_at_stop(closer: Callable[[], None]) -> None:
    """Register a closer, called on the server's loop when the server stops."""
    if closer not in _closers:
        _closers.append(closer)


def close_streams() -> None:
    """Close every open stream of this process."""
    for closer in _closers:
        closer()
