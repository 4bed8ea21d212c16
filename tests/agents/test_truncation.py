"""Answers cut for the model."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.runs.truncation import truncate_json

ROWS = json.dumps({"success": True, "data": [{"n": n, "text": "x" * 50} for n in range(1_000)]}).encode()


def test_what_fits_is_left_as_it_is() -> None:
    assert truncate_json(ROWS, most_bytes=len(ROWS)) == ROWS.decode()


def test_a_list_loses_its_end_and_the_note_says_how_much() -> None:
    text, _, note = truncate_json(ROWS, most_bytes=5_000).rpartition("\n")

    kept = json.loads(text)["data"]
    assert [row["n"] for row in kept] == list(range(len(kept)))
    assert f"data: the first {len(kept)} of 1,000" in note
    assert f"{len(ROWS):,} bytes" in note


def test_a_long_text_loses_its_end() -> None:
    answer = json.dumps({"content": "y" * 100_000}).encode()

    text, _, note = truncate_json(answer, most_bytes=2_000).rpartition("\n")

    assert json.loads(text)["content"].startswith("yyy")
    assert "content: 500 of 100,000 characters" in note


def test_an_object_that_is_too_wide_is_cut_as_text() -> None:
    answer = json.dumps({f"name{n}": n for n in range(10_000)}).encode()

    assert "[Shortened: the first" in truncate_json(answer, most_bytes=2_000)


def test_what_is_no_json_is_cut_as_text() -> None:
    assert truncate_json(b"z" * 9_000, most_bytes=1_000).startswith("zzz")


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=200,
    ),
    st.integers(1_000, 3_000),
)
def test_nothing_is_longer_than_it_may_be(value: object, most_bytes: int) -> None:
    answer = json.dumps([value] * 50).encode()

    assert len(truncate_json(answer, most_bytes=most_bytes).encode()) <= most_bytes


@pytest.mark.parametrize("most_bytes", [1_000, 20_000])
def test_many_small_things_stay_within_bounds(most_bytes: int) -> None:
    answer = json.dumps({f"list{n}": list(range(1_000)) for n in range(100)}).encode()

    assert len(truncate_json(answer, most_bytes=most_bytes).encode()) <= most_bytes
