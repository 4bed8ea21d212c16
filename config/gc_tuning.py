"""Garbage collection of the web process."""

import gc

YOUNG = 10_000
"""Allocations before a young collection; Python's 700 are those of some ten calls."""


def freeze_startup_objects() -> None:
    """
    Exclude all present objects from garbage collection; called once, when everything is loaded.

    Otherwise each full collection scans 290,000 objects that are never freed, and stops all calls for 200 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
