"""
How relevant an entry is to a query: its cosine, and how much of the query's words it has.

`score = similarity + words_share * coverage²`, where coverage is BM25 as a share of what an entry with every word of
the query could get. How much words count, and from which score a query is answered, follow from the query itself:

- Few common words prove little: half of "how do comments work" is in many entries. `words_share` grows with the
  information in the query, up to WORDS_SHARE; identifiers, codes and dotted names count three times.
- A query is answered if its best entry reaches the floor, which is lower among few entries: the fewer there are, the
  more rarely one is like a query by chance. Entries after it are held to FOLLOWING_SHARE of the floor:
  what comes second beside a certain answer is worth more than the same score alone.

docs/decisions/0143, 0273 and 0530 say how the figures were found.
"""

import math
from dataclasses import dataclass

WORDS_SHARE = 1.6
FLOOR, MIN_FLOOR = 0.45, 0.38
FLOOR_ENTRIES = 1_500
"""The number of entries from which FLOOR holds."""
FLOOR_PER_FOLD = 0.027
"""How much lower the floor is with each time that the entries are 2.72 times fewer."""
FOLLOWING_SHARE = 0.78
FULL_INFORMATION = 6.0
"""The information, in units of a word that only one entry has, from which words count fully."""
IDENTIFIER_WEIGHT = 3.0
NEAR_DUPLICATE = 0.86
"""The cosine from which two entries are shown as possible duplicates."""

MIN_COVERAGE, CERTAIN_COVERAGE, MIN_INFORMATION = 0.15, 0.4, 1.0
"""By words alone: an entry has 0.4 of the query's words, or 0.15 that are worth one word that only one entry has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWeights:
    """The ranking parameters of one query: the weight of its words, and the minimum scores."""

    words_share: float
    floor: float


def following_floor(floor: float) -> float:
    """Return the minimum score of entries after the best."""
    return min(floor, floor * FOLLOWING_SHARE)


def floor_among(entries: int) -> float:
    """Return the score from which a query is answered among so many entries."""
    lower = FLOOR_PER_FOLD * math.log(FLOOR_ENTRIES / max(entries, 1))
    return round(min(FLOOR, max(MIN_FLOOR, FLOOR - lower)), 3)


def weigh_query(*, information: float, in_identifiers: float, entries: int) -> QueryWeights:
    """Rank a query by the information in its words, in units of a word that only one entry has."""
    counted = information + (IDENTIFIER_WEIGHT - 1) * in_identifiers
    return QueryWeights(words_share=WORDS_SHARE * min(1.0, counted / FULL_INFORMATION), floor=floor_among(entries))


def weigh_words_alone(*, information: float) -> QueryWeights:
    """Rank a query without an embedding: the score is its coverage."""
    needed = MIN_INFORMATION / max(information, 1e-6)
    return QueryWeights(words_share=0.0, floor=min(CERTAIN_COVERAGE, max(MIN_COVERAGE, needed)))
