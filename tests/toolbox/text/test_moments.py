"""Moments as people and programs write them."""

from datetime import UTC, datetime

import pytest

from toolbox.text.moments import read_moment


@pytest.mark.parametrize("text", ["2025-02-01T12:30:00Z", "2025-02-01T12:30:00+00:00", "2025-02-01 14:30:00+02:00"])
def test_a_moment_is_read_in_utc(text: str) -> None:
    assert read_moment(text) == datetime(2025, 2, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", "x", "2025-02-01", "2025-02-01T12:30", "2025-02-30T00:00:00Z", "9999-12-31T23:59:59-23:59",
     "0001-01-01T00:00:00+23:59", "\x00", "9" * 400],
)  # fmt: skip
def test_what_is_no_moment_is_none(text: str) -> None:
    assert read_moment(text) is None
