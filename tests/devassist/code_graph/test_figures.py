"""The goals for small programs with dynamic features: recall at least 0.90 at a precision of at least 0.97."""

import pytest

from tests.devassist.code_graph.truth import PROGRAMS, found_calls, true_calls

MIN_RECALL = 0.90
MIN_PRECISION = 0.97


@pytest.mark.parametrize("ending", ["py", "js"])
def test_dynamic_programs(ending: str) -> None:
    true = found = both = 0
    for path in sorted(PROGRAMS.glob(f"*.{ending}*")):
        calls, known = true_calls(path), found_calls(path)
        true, found, both = true + len(calls), found + len(known), both + len(calls & known)

    assert both / true >= MIN_RECALL
    assert both / found >= MIN_PRECISION
