"""A server that serves does not walk through what start-up made."""

import gc
from collections.abc import Iterator

import pytest

from config.gc_tuning import freeze_startup_objects


@pytest.fixture
def as_before() -> Iterator[None]:
    """Restore the garbage collector's settings after the test."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("as_before")
def test_what_start_up_made_is_out_of_sight_and_what_comes_later_is_not() -> None:
    before = len(gc.get_objects())

    freeze_startup_objects()

    assert len(gc.get_objects()) < before / 10
    later: list[object] = []
    later.append(later)
    mark = id(later)
    del later
    assert mark in {id(one) for one in gc.get_objects()}
    assert gc.collect() >= 1
