"""
Stemmed words of text and code, so that a word is found in its other forms. Pure.

A word of code counts whole and by its parts: `NoteAdapter` is also `note` and `adapter`.
"""

import re
from collections import Counter

MAX_WORDS = 1_000
"""How many different words of a text are kept."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[^\W\d_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER = re.compile(
    r"[A-Za-z_$][\w$]*[a-z][A-Z]\w*|\w+_\w+|\b[A-Z]{2,}\d*\b|\b[A-Z]+\d+\b|\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b|\w+(?=\(\))"
)
_STOPPED = frozenset(
    [
        "a",
        "about",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "so",
        "should",
        "than",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_ENDINGS = ("ingly", "edly", "ing", "ies", "ed", "es", "ly", "s")
_MIN_STEM = 3


def words_of(text: str) -> Counter[str]:
    """Count the stemmed words of a text, without function words."""
    counted: Counter[str] = Counter()
    for word in _WORD.findall(text.replace("\x00", " ")):
        parts = _PART.findall(word)
        for form in (word, *(parts if len(parts) > 1 else ())):
            lowered = form.lower()
            if lowered not in _STOPPED and (len(lowered) > 1 or lowered.isdigit()):
                counted[_stem(lowered)] += 1
    return Counter(dict(counted.most_common(MAX_WORDS)))


def identifiers_in(text: str) -> set[str]:
    """Return the words in identifiers, codes and dotted names, as words_of returns them."""
    return {word for found in _IDENTIFIER.findall(text.replace("\x00", " ")) for word in words_of(found)}


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word.removesuffix(ending) + ("y" if ending == "ies" else "")
            break
    return word.removesuffix("e") if len(word) > _MIN_STEM + 1 else word
