"""
BM25 as sparse vectors, whose inner product PostgreSQL computes.

A word's index in pgvector's sparse vectors is a hash of the word. Among a billion indexes collisions are rare.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zlib import crc32

PLACES = 1_000_000_000
SATURATION = 1.2
LENGTH_SHARE = 0.75
USUAL_LENGTH = 80
"""The usual number of words in an entry. A constant, so that weights do not depend on other entries."""


def place_of(word: str) -> int:
    """Return the word's index in a sparse vector, from 1."""
    return crc32(word.encode()) % (PLACES - 1) + 1


def weights_of(words: Mapping[str, int]) -> dict[int, float]:
    """Return the weights of an entry's words. Repetition has diminishing returns, and long entries weigh less."""
    length = sum(words.values())
    shrink = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH)
    return {place_of(word): round(count / (count + shrink), 5) for word, count in words.items()}


@dataclass(frozen=True, slots=True)
class Rarity:
    """The number of entries, and the number of entries that contain each word."""

    entries: int
    holding: Mapping[int, int]

    def weigh(self, place: int) -> float:
        """Return the weight of a query's word. Rarer words weigh more."""
        holding = min(self.holding.get(place, 0), self.entries)
        return math.log(1 + (self.entries - holding + 0.5) / (holding + 0.5))

    def information(self, places: Iterable[int]) -> float:
        """Return the information in words, in units of a word that only one entry has."""
        unique = math.log(1 + (max(self.entries, 2) - 0.5) / 1.5)
        return sum(self.weigh(place) for place in places) / unique


def sparse(weights: Mapping[int, float]) -> str:
    """Format weights for pgvector."""
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
