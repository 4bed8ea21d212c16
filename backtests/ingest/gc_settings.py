"""
Python's own settings while a load is under way.

The collector is kept from walking the rows of a batch over and over: they hold no cycles. A thread that waits for the
interpreter gets it after 20 microseconds instead of five thousand: the thread that feeds the database, which wants it
some hundred times a batch and for a moment each, and a web server's loop.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

SELDOM = 200_000
"""New objects between two collections; by default it is 700 (2,000 from Python 3.13 on)."""
TURN_SECONDS = 0.00002
_lock = Lock()
_under_way = 0
_usual = gc.get_threshold(), sys.getswitchinterval()


@contextmanager
def set_for_loading() -> Iterator[None]:
    """Collect seldom and take turns often; of several loads at once the last one puts things back."""
    global _under_way, _usual
    with _lock:
        _under_way += 1
        if _under_way == 1:
            _usual = gc.get_threshold(), sys.getswitchinterval()
            gc.set_threshold(SELDOM, *_usual[0][1:])
            sys.setswitchinterval(TURN_SECONDS)
    try:
        yield
    finally:
        with _lock:
            _under_way -= 1
            if not _under_way:
                gc.set_threshold(*_usual[0])
                sys.setswitchinterval(_usual[1])
