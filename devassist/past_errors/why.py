"""The reason why a search found an entry: similarity, shared words, and which words. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devassist.entries.bm25 import place_of
from devassist.root_causes.queries import SearchTerms
from devassist.root_causes.ranking import FLOOR, WORDS_SHARE, following_floor
from toolbox.text.stemmed_words import words_of

MAX_SAID = 8
WIDTH = 600
MIN_SCALE = 1.2
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """
    The parts of an entry's score. `words` are the query's, the rarest first.

    `words_share` is what the query's words count, `floor` what this entry had to reach.
    """

    similarity: float
    coverage: float
    words: tuple[str, ...]
    words_share: float = WORDS_SHARE
    floor: float = FLOOR
    scale: float = MIN_SCALE

    @property
    def by_words(self) -> float:
        """Return how much shared words add to the score."""
        return self.words_share * self.coverage**2

    @property
    def score(self) -> float:
        """Return the score, which ranks and is compared with the floor."""
        return self.similarity + self.by_words

    @property
    def is_found(self) -> bool:
        """Return whether it is relevant enough for an answer."""
        return self.score >= self.floor

    @property
    def sentence(self) -> str:
        """Return the reason as a sentence."""
        if not self.is_found:
            return "Below the floor: neither its meaning nor its words are near enough."
        if not self.words:
            return "Found by its meaning alone; it shares no word with what you pasted."
        if self.similarity < self.floor:
            return "Found by the words it shares; by its meaning alone it would stay below the floor."
        return "Found by its meaning, and by the words it shares."

    @property
    def meaning_width(self) -> float:
        """Return the width of the similarity bar."""
        return round(max(self.similarity, 0) / self.scale * WIDTH, 1)

    @property
    def words_width(self) -> float:
        """Return the width of the words bar."""
        return round(self.by_words / self.scale * WIDTH, 1)

    @property
    def floor_x(self) -> float:
        """Return the position of the floor."""
        return round(self.floor / self.scale * WIDTH, 1)


def reasons(
    rows: Sequence[Mapping[str, Any]], *, shared: Mapping[int, Sequence[str]], sought: SearchTerms
) -> list[Reason]:
    """Return the reason of each row, on one scale. Entries after a relevant best one need a lower score."""
    best = max((row["score"] for row in rows), default=0.0)
    scale = max(MIN_SCALE, best)
    floor = following_floor(sought.floor) if best >= sought.floor else sought.floor
    return [
        Reason(
            similarity=row["similarity"],
            coverage=row["coverage"],
            words=tuple(shared.get(row["id"], ())[:MAX_SAID]),
            words_share=sought.words_share,
            floor=floor,
            scale=scale,
        )
        for row in rows
    ]


def spelt(text: str) -> dict[int, str]:
    """Return the words of a query by their index, as written if a whole word is meant."""
    shown: dict[int, str] = {}
    for token in dict.fromkeys(_TOKEN.findall(text)):
        for number, stem in enumerate(words_of(token)):
            shown.setdefault(place_of(stem), token if number == 0 else stem)
    return shown


def name_words(places: Sequence[int], *, words: Mapping[int, str], weights: Mapping[int, float]) -> list[str]:
    """Return the words at these indexes, the rarest first."""
    ordered = sorted(places, key=lambda place: (-weights.get(place, 0.0), words.get(place, "")))
    return [words[place] for place in ordered if place in words]


def weights_in(sparse: str) -> dict[int, float]:
    """Parse weights that were formatted for pgvector."""
    pairs = (part.partition(":") for part in sparse[1 : sparse.rindex("}")].split(",") if part)
    return {int(place): float(weight) for place, _, weight in pairs}
