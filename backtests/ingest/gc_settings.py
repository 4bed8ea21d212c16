"""
Settings of the Python runtime during a load.

The garbage collector runs seldom: a batch's rows have no cycles, and each collection would walk them all. The switch
interval is 20 microseconds instead of 5,000. The thread that feeds the database needs the GIL some hundred times per
batch, briefly each time; so does the event loop of a web server.
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
    """Collect garbage seldom and switch threads often; of concurrent loads the last one restores the settings."""
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
