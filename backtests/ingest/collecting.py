"""Python's collector, kept from walking the rows of a batch over and over: they hold no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

SELDOM = 200_000
"""New objects between two collections; by default it is 700 (2,000 from Python 3.13 on)."""
_lock = Lock()
_under_way = 0
_usual = gc.get_threshold()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect seldom while a load is under way; of several at once the last one puts things back."""
    global _under_way, _usual
    with _lock:
        _under_way += 1
        if _under_way == 1:
            _usual = gc.get_threshold()
            gc.set_threshold(SELDOM, *_usual[1:])
    try:
        yield
    finally:
        with _lock:
            _under_way -= 1
            if not _under_way:
                gc.set_threshold(*_usual)
