"""The words of a query. Only words are sent: no operators of any source, and no secrets. Pure."""

import re
from collections.abc import Sequence
from typing import Self

from toolbox.text.redaction import REDACTED, MaskedText

MAX_WORDS = 24
_WORD = re.compile(r"[^\W_](?:[\w.$#+'-]{0,78}[\w#+])?")
_CODE = re.compile(r"\d|_|\w[.$#]\w|[a-z][A-Z]|[A-Za-z](?:Error|Exception)$")
_OPERATORS = {"AND", "OR", "NOT"}
_LITTLE = (
    "a an and are as at be been but by can cannot could do does for from get got has have how i if in into is it its "
    "me my no not of on or should so that the their then there this to via was what when where which while why will "
    "with without would you your"
)
_STOP = frozenset(_LITTLE.split())
CODE_WEIGHT, WORD_WEIGHT = 2.0, 1.0


class SearchTerms(tuple[str, ...]):
    """
    The words of a query in order, each once, without secrets. A source is sent nothing else.

    Quotes, brackets, colons and leading dashes are operators somewhere, so nothing of them is kept.
    """

    __slots__ = ()

    def __new__(cls, query: str) -> Self:
        """Extract the words of a query."""
        clean = MaskedText(query).replace(REDACTED, " ")
        found = (word.lower() if word in _OPERATORS else word for word in _WORD.findall(clean))
        return super().__new__(cls, tuple({word.lower(): word for word in found}.values())[:MAX_WORDS])


def weights(words: Sequence[str]) -> dict[str, float]:
    """Weigh each word, in lower case. Identifiers weigh more; stop words count only if there are no others."""
    weighed = {word.lower(): CODE_WEIGHT if _CODE.search(word) else WORD_WEIGHT for word in words}
    distinctive = {word: weight for word, weight in weighed.items() if word not in _STOP}
    return distinctive or weighed
