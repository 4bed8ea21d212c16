"""
An index of tools that scores each for a question, by words and by meaning. Pure.

Words: BM25 over weighted fields (BM25F), as a share of the score of a tool with every word of the question. Meaning:
the mean cosine of the question with a tool's whole text and with its name and description, less a part of how near the
tool is to its neighbours, because some tools are near every question. Curated questions count as meant for the tool:
the nearest of them replaces part of the mean. Both scores are in standard deviations over the compared tools, so that
neither scale decides. docs/decisions/0326 explains the constants.
"""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from toolbox.text.stemmed_words import words_of

if TYPE_CHECKING:
    from toolbox.embedding.session import Vector

    ToolVectors = Sequence[Sequence[Vector] | Vector]

WORDS_SHARE = 0.7
"""The weight of a standard deviation by words; one by meaning weighs 1."""
_SATURATION, _LENGTH_SHARE = 1.2, 0.4
_NEIGHBOURS, _NEIGHBOUR_SHARE = 10, 0.3
_QUESTION_SHARE = 0.3
_PREFIX_FACTOR, _MIN_PREFIX, _MAX_EXPANDED = 0.5, 3, 20
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_DESCRIBED = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolText:
    """The texts of a tool: `parameters` by name with their descriptions, and `questions` that it answers."""

    name: str
    description: str
    parameters: Mapping[str, str]
    questions: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Return its name as words, and its description."""
        return f"{split_name(self.name)}. {self.description[:_MAX_DESCRIBED]}"

    @property
    def full_text(self) -> str:
        """Return everything; the least important part comes last, because the embedding model truncates."""
        parameters = " ".join(f"{split_name(name)}: {said}" for name, said in self.parameters.items())
        questions = " ".join(self.questions)
        return f"{split_name(self.name)}\n{self.description[:_MAX_DESCRIBED]}\n{parameters}\n{questions}"

    @property
    def to_embed(self) -> tuple[str, ...]:
        """Return the texts whose vectors `ToolIndex` reads, in its order."""
        return (self.full_text, self.heading, *self.questions)


class Hit(NamedTuple):
    """
    A tool that may fit; `coverage` is the share of the question's words that it has, weighted by rarity.

    A hit that is not `is_ranked` has no word of the question, and its meaning was not compared.
    """

    name: str
    score: float
    coverage: float
    is_ranked: bool = True


class WordIndex:
    """BM25F over names, descriptions, parameters and questions."""

    _WEIGHTS = (2.0, 1.0, 1.0, 0.5, 1.0)

    def __init__(self, tools: Sequence[ToolText]) -> None:
        fields = [[words_of(text) for text in _split_fields(tool)] for tool in tools]
        sizes = [max(1.0, sum(sum(tool[at].values()) for tool in fields) / max(1, len(tools))) for at in range(5)]
        counted: defaultdict[str, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        for place, tool in enumerate(fields):
            for words, weight, usual in zip(tool, self._WEIGHTS, sizes, strict=True):
                shrink = 1 - _LENGTH_SHARE + _LENGTH_SHARE * sum(words.values()) / usual
                for word, times in words.items():
                    counted[word][place] += weight * times / shrink
        self._size = len(tools)
        self._postings = {
            word: [(place, weight / (weight + _SATURATION)) for place, weight in found.items()]
            for word, found in counted.items()
        }
        self._known = sorted(self._postings)

    def cover(self, question: str) -> list[float]:
        """Return each tool's share of the question's words, weighted by rarity; words that no tool has do not count."""
        shares, total = [0.0] * self._size, 0.0
        for word in words_of(question):
            rarity, found = self._find(word)
            total += rarity
            for place, weight in found:
                shares[place] += rarity * weight
        return [share / total for share in shares] if total else shares

    def _find(self, word: str) -> tuple[float, Sequence[tuple[int, float]]]:
        """Return a word's rarity and tools; if no tool has it, those of the words that begin with it."""
        found: Sequence[tuple[int, float]] = self._postings.get(word, ())
        if not found and len(word) >= _MIN_PREFIX:
            best: dict[int, float] = {}
            start = bisect_left(self._known, word)
            for longer in self._known[start : start + _MAX_EXPANDED]:
                if not longer.startswith(word):
                    break
                for place, weight in self._postings[longer]:
                    best[place] = max(best.get(place, 0.0), weight * _PREFIX_FACTOR)
            found = list(best.items())
        return (math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5)), found) if found else (0.0, ())


class MeaningIndex:
    """The tools' vectors, in the order of `ToolText.to_embed`."""

    def __init__(self, vectors: "ToolVectors") -> None:
        # Imported here: numpy is loaded with the embedding model, which not every process needs.
        import numpy as np  # noqa: PLC0415

        self._np = np
        self._wholes = np.array([rows[0] for rows in vectors])
        self._headings = np.array([rows[1] for rows in vectors])
        self._questions = np.array([row for rows in vectors for row in rows[2:]])
        self._owners = np.repeat(np.arange(len(vectors)), [len(rows) - 2 for rows in vectors])
        near = self._headings @ self._headings.T
        np.fill_diagonal(near, -1.0)
        nearest = np.sort(near, axis=1)[:, -_NEIGHBOURS:]
        self._crowding = _NEIGHBOUR_SHARE * nearest.mean(axis=1) if len(vectors) > _NEIGHBOURS else 0.0

    def compare(self, vector: "Vector") -> list[float]:
        """Return how near each tool is to a question."""
        np = self._np
        near = (self._wholes @ vector + self._headings @ vector) / 2
        if len(self._questions):
            asked = np.full(len(near), -1.0)
            np.maximum.at(asked, self._owners, self._questions @ vector)
            near = np.maximum(near, (1 - _QUESTION_SHARE) * near + _QUESTION_SHARE * asked)
        compared: list[float] = (near - self._crowding).tolist()
        return compared


class ToolIndex:
    """Tools ranked by how well they fit a question; immutable."""

    def __init__(
        self,
        tools: Sequence[ToolText],
        *,
        words: WordIndex | None = None,
        vectors: "ToolVectors | None" = None,
    ) -> None:
        self._names = [tool.name for tool in tools]
        self.words = words or WordIndex(tools)
        self._meanings = MeaningIndex(vectors) if vectors else None

    def rank(self, question: str, *, vector: "Vector | None" = None, among: frozenset[str] | None = None) -> list[Hit]:
        """Return the tools, best first; by words alone without a vector."""
        shares = self.words.cover(question)
        chosen = [at for at, name in enumerate(self._names) if among is None or name in among]
        coverage = [shares[at] for at in chosen]
        scores = coverage
        has_meaning = False
        if vector is not None and self._meanings:
            has_meaning = True
            compared = self._meanings.compare(vector)
            words, meanings = _standardize(coverage), _standardize([compared[at] for at in chosen])
            scores = [meaning + WORDS_SHARE * word for meaning, word in zip(meanings, words, strict=True)]
        hits = [
            Hit(self._names[at], score, shares[at], has_meaning or shares[at] > 0)
            for at, score in zip(chosen, scores, strict=True)
        ]
        return sorted(hits, key=lambda hit: -hit.score)


def split_name(name: str) -> str:
    """Split an identifier into words."""
    return re.sub(r"[_.\-/]+", " ", _CAPITAL.sub(" ", name))


def _split_fields(tool: ToolText) -> tuple[str, str, str, str, str]:
    names = " ".join(split_name(name) for name in tool.parameters)
    described = tool.description[:_MAX_DESCRIBED]
    return split_name(tool.name), described, names, " ".join(tool.parameters.values()), " ".join(tool.questions)


def _standardize(values: Sequence[float]) -> list[float]:
    """Return the values in standard deviations from their mean; all 0 if they are equal."""
    if not values:
        return []
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation if deviation > 1e-9 else 0.0 for value in values]  # noqa: PLR2004 - rounding
