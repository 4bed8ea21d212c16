"""Aliases of names in questions."""

import pytest

from toolbox.answering.name_aliases import replace_aliases

ALIASES = {"whale": "Carolina", "the whale": "Carolina Hurricanes", "habs": "Montréal", "red": "Detroit"}


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("How did the whale do?", "How did Carolina Hurricanes do?"),
        ("How did THE WHALE do?", "How did Carolina Hurricanes do?"),
        ("whale or habs?", "Carolina or Montréal?"),
        ("How many did the whale's goalie stop?", "How many did Carolina Hurricanes goalie stop?"),
        ("Who scored?", "Who scored?"),
        ("redder, hundred", "redder, hundred"),
        ("", ""),
        ("whale", "Carolina"),
    ],
)
def test_an_alias_is_replaced_by_its_name(question: str, read: str) -> None:
    assert replace_aliases(question, aliases=ALIASES) == read


def test_what_replaces_an_alias_is_not_replaced_again() -> None:
    assert replace_aliases("a b", aliases={"a": "b", "b": "a"}) == "b a"
