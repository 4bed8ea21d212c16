"""
One measure for results of every source, 0 to 1; pure.

Sources' own scores cannot be compared: Stack Exchange shows none, GitHub's is always 1, MDN's and PostgreSQL's have no
upper end. So a result is measured by what it says, 0.6 parts: the weighted share of the query's words that stand in its
title (wholly) or text (by 0.8); and by its place in its own source's order, 0.4 parts, falling by a tenth a place.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

SAID_PART = 0.6
PLACE_PART = 0.4
IN_TEXT = 0.8
_PLACES = 10


def word_share(weights: Mapping[str, float], *, title: str, text: str) -> float:
    """Return the weighted share of the words in the title or text."""
    whole = sum(weights.values())
    if not whole:
        return 0.0
    in_title, in_text = title.lower(), text.lower()
    found = sum(
        weight * (1.0 if _stands(word, in_title) else IN_TEXT if _stands(word, in_text) else 0.0)
        for word, weight in weights.items()
    )
    return found / whole


def score(weights: Mapping[str, float], *, title: str, text: str, place: int) -> float:
    """Score a result at this position of its source, from 0."""
    place_share = max(0.0, 1.0 - place / _PLACES)
    return round(SAID_PART * word_share(weights, title=title, text=text) + PLACE_PART * place_share, 3)


def _stands(word: str, text: str) -> bool:
    return bool(_pattern(word).search(text))


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for the beginning of a word: `crash` finds crashes, `map` does not find bitmap."""
    return re.compile(rf"(?<![^\W_]){re.escape(word)}")
