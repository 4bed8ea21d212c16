"""
Texts as weighed words, so that PostgreSQL can rank by BM25: the inner product of two sparse vectors.

pgvector's sparse vectors are numbered by a hash of the word; two words in a billion places hardly ever meet.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zlib import crc32

PLACES = 1_000_000_000
SATURATION = 1.2
LENGTH_SHARE = 0.75
USUAL_LENGTH = 80
"""Words of a usual entry. A constant, so that an entry's weights do not change with its neighbours."""


def place_of(word: str) -> int:
    """Give the word's place in a sparse vector, from 1."""
    return crc32(word.encode()) % (PLACES - 1) + 1


def weights_of(words: Mapping[str, int]) -> dict[int, float]:
    """Weigh an entry's words: often is more than once, but less and less so, and less in a long entry."""
    length = sum(words.values())
    shrink = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH)
    return {place_of(word): round(count / (count + shrink), 5) for word, count in words.items()}


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many entries there are, and in how many each word is."""

    entries: int
    holding: Mapping[int, int]

    def weigh(self, place: int) -> float:
        """Weigh a word of a query: the fewer entries have it, the more it says."""
        holding = min(self.holding.get(place, 0), self.entries)
        return math.log(1 + (self.entries - holding + 0.5) / (holding + 0.5))

    def information(self, places: Iterable[int]) -> float:
        """Give the information in words, counted in words that only one entry has."""
        unique = math.log(1 + (max(self.entries, 2) - 0.5) / 1.5)
        return sum(self.weigh(place) for place in places) / unique


def sparse(weights: Mapping[int, float]) -> str:
    """Write weights as pgvector reads them."""
    return "{" + ",".join(f"{place}:{weight:.5g}" for place, weight in sorted(weights.items())) + f"}}/{PLACES}"


def choose_rarest(places: Iterable[int], *, rarity: Rarity, most_entries: int) -> list[int]:
    """
    Choose the words to look up, the rarest first, until they are in `most_entries` entries.

    What only common words would find, meaning finds too; looking those up would read half the table.
    """
    chosen, found = [], 0
    for place in sorted(places, key=lambda one: rarity.holding.get(one, 0)):
        holding = rarity.holding.get(place, 0)
        if holding and (found := found + holding) > most_entries:
            break
        if holding:
            chosen.append(place)
    return chosen
