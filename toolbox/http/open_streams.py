"""Streams without an end of their own: a server that stops closes them first, for it waits for its connections."""

from collections.abc import Callable

_closers: list[Callable[[], None]] = []


def close_at_stop(closer: Callable[[], None]) -> None:
    """Have `closer` called, on the server's loop, when the server stops."""
    if closer not in _closers:
        _closers.append(closer)


def close_streams() -> None:
    """Close every open stream of this process."""
    for closer in _closers:
        closer()
