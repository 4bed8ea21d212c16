"""Similarity of names: which names of a schema resemble an unknown one."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein, Prefix

from graphql_proxy.schema.search import words as split_words

SURE = 0.8
"""The minimum similarity of a fix. Less similar names are only shown."""
SAME_WORDS = 0.95
MISSPELT = 0.9
MIN_SHOWN = 0.15
MAX_NAME = 100
MAX_DESCRIPTION = 400
MIN_TYPO, MIN_WRONG_LETTER, MIN_TWO_TYPOS = 3, 7, 8
MIN_STEM, STEM_SHARE = 6, 0.6
COUNTING = frozenset({"count", "total", "number", "num"})
VERBS = frozenset({"is", "has", "can", "viewer", "previous", "next", "last", "first", "max", "min"})
"""Prefixes that change the meaning of a name."""
EMPTY_QUALIFIERS = frozenset({"full", "display"})
"""Prefixes that do not change the meaning: the full name is the name."""
MIN_PREFIX, MIN_CUT = 3, 3
MIN_ABBREVIATIONS = 2


words = lru_cache(maxsize=100_000)(split_words)
"""The words of a name, cached because a schema's names are compared often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearName:
    """A name with its similarity to the requested one, from 0 to 1."""

    name: str
    score: float


@lru_cache(maxsize=100_000)
def fold_name(name: str) -> str:
    """Fold case and underscores."""
    return name.replace("_", "").lower()


def rank_names(
    wanted: str,
    *,
    names: Iterable[str],
    descriptions: Mapping[str, str] | None = None,
    known_words: Container[str] = (),
) -> list[NearName]:
    """
    Return the names that resemble the requested one, best first.

    Spelling counts only for a word that the schema does not know: `weight` is no misspelt `height` where the schema has
    weights elsewhere.
    """
    wanted = wanted[:MAX_NAME]
    about = descriptions or {}
    ranked = [
        NearName(name=name, score=_score(wanted, name, description=about.get(name, ""), known_words=known_words))
        for name in names
    ]
    return sorted((near for near in ranked if near.score >= MIN_SHOWN), key=lambda near: (-near.score, near.name))


def pick_sure(ranked: list[NearName]) -> str | None:
    """Return the only name that was certainly meant. None if there is none, or several."""
    if not ranked or ranked[0].score < SURE:
        return None
    is_alone = len(ranked) == 1 or ranked[1].score < ranked[0].score
    return ranked[0].name if is_alone else None


def find_similar(wanted: str, *, names: Iterable[str]) -> list[str]:
    """Return up to three names with a similar spelling. A match that differs only in case replaces the rest."""
    by_fold = {fold_name(name): name for name in names}
    folded = fold_name(wanted)
    if folded in by_fold:
        return [by_fold[folded]]
    return [by_fold[near] for near in get_close_matches(folded, by_fold, n=3, cutoff=0.6)]


def _score(wanted: str, name: str, *, description: str, known_words: Container[str]) -> float:
    if wanted == name or fold_name(wanted) == fold_name(name):
        return 1.0
    asked, own = words(wanted), words(name)
    if sorted(asked) == sorted(own) or _without_of(asked) == _without_of(own):
        return SAME_WORDS
    is_unknown = all(word not in known_words for word in asked)
    if _is_misspelt(asked, own, known_words=known_words) or (is_unknown and _is_slip(wanted.lower(), name.lower())):
        return MISSPELT
    if len(asked) == len(own) == 1 and _is_short_form(asked[0], own[0]):
        return 0.75
    return _score_shared_words(asked, own, description=description)


def _without_of(said: list[str]) -> list[str]:
    """Write "date of birth" as "birth date"."""
    at = said.index("of") if "of" in said[1:-1] else -1
    return said if at < 0 else said[at + 1 :] + said[:at]


def _is_misspelt(asked: list[str], own: list[str], *, known_words: Container[str]) -> bool:
    """Return whether names differ only by typing errors or word endings that no word of the schema explains."""
    if len(asked) != len(own):
        return any(word not in known_words for word in asked) and _is_slip("".join(asked), "".join(own))
    return all(
        one == other or (one not in known_words and (_is_slip(one, other) or _is_of_one_stem(one, other)))
        for one, other in zip(asked, own, strict=True)
    )


def _is_slip(one: str, other: str) -> bool:
    """Return whether names differ by one letter: added, missing, swapped or, in a long word, wrong."""
    short, long = min(len(one), len(other)), max(len(one), len(other))
    if short < MIN_TYPO or (one[0] != other[0] and sorted(one[:2]) != sorted(other[:2])):
        return False
    allowed = 2 if short >= MIN_TWO_TYPOS else 1
    if short < MIN_WRONG_LETTER and short == long and sorted(one) != sorted(other):
        return False
    return bool(DamerauLevenshtein.distance(one, other, score_cutoff=allowed) <= allowed)


def _is_of_one_stem(one: str, other: str) -> bool:
    stem = Prefix.similarity(one, other)
    return stem >= MIN_STEM and stem >= max(len(one), len(other)) * STEM_SHARE


def _is_short_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= MIN_PREFIX and long.startswith(short)


def is_short_form(one: str, *, like: str) -> bool:
    """Return whether one of two names is a prefix of the other, ignoring plurals and underscores."""
    return _is_short_form("".join(words(one)), "".join(words(like)))


def match_abbreviations(unknown: Iterable[str], *, names: Iterable[str], known_words: Container[str]) -> dict[str, str]:
    """
    Match each unknown name with its abbreviation or full form, if at least two match: `lat` and `lon`.

    One alone proves nothing: `time` is no `timezone`.
    """
    known = list(names)
    ways = {one: [name for name in known if _is_cut(one, name, known_words=known_words)] for one in set(unknown)}
    found = {one: fits[0] for one, fits in ways.items() if len(fits) == 1}
    return found if len(set(found.values())) == len(found) >= MIN_ABBREVIATIONS else {}


def _is_cut(wanted: str, name: str, *, known_words: Container[str]) -> bool:
    asked, own = words(wanted), words(name)
    return (
        len(asked) == len(own) == 1
        and asked[0] not in known_words
        and asked[0] not in COUNTING
        and abs(len(own[0]) - len(asked[0])) >= MIN_CUT
        and _is_short_form(asked[0], own[0])
    )


def is_of_another(wanted: str, *, meant: str, owner: str, known: Iterable[str], entities: Container[str]) -> bool:
    """
    Return whether a name refers to something else than another name: `routeId` and `name` are not `id` of a trip.

    Its own words, those of `meant` and of the owner aside, then are in one of the known names, or are a type.
    """
    own = {*words(wanted)} - {*words(meant), *words(owner)}
    told = {word for name in known if name != meant for word in words(name)}
    return any(word in told or word in entities for word in own)


def is_full_form(wanted: str, *, name: str, names: Container[str]) -> bool:
    """Return whether a name is the full form of the request: `full_name` is `nameWithOwner` if `name` exists too."""
    asked, own = words(wanted), words(name)
    short = asked[1:]
    return asked[:1] == ["full"] and own[: len(asked)] == [*short, "with"] and "_".join(short) in names


def is_said_by(names: Iterable[str], *, wanted: str) -> bool:
    """Return whether every word of some names is in the requested one."""
    asked = set(words(wanted))
    return all(word in asked for name in names for word in words(name))


def is_count_of(wanted: str, *, name: str) -> bool:
    """Return whether a name counts what a plural names: `stargazerCount` of `stars`."""
    asked, own = words(wanted), words(name)
    counted = [word for word in own if word not in COUNTING]
    is_plural = wanted.lower().endswith("s")
    if len(counted) == len(own) or len(counted) != len(asked) or not is_plural:
        return False
    return all(one == other or _is_short_form(one, other) for one, other in zip(asked, counted, strict=True))


def is_qualified(wanted: str, *, name: str, owner: str, entities: Container[str], is_plain_elsewhere: bool) -> bool:
    """
    Return whether a name is the requested one with a prefix that changes nothing.

    That is the name of the type that has the field, as in `ticket_type` of `ticket`, or one word that is no thing of
    its own, as in `jerseyNumber`. Where another type has the plain name, only an empty word qualifies nothing: next to
    `Issue.url`, `avatarUrl` is another question.
    """
    asked, own = words(wanted), words(name)
    if own == [*words(owner), *asked]:
        return True
    if own[1:] != asked or own[0] in entities or own[0] in VERBS:
        return False
    return own[0] in EMPTY_QUALIFIERS or not is_plain_elsewhere


def _score_shared_words(asked: list[str], own: list[str], *, description: str) -> float:
    """Score the words that two names share, then those that the description shares."""
    both, either = set(asked) & set(own), set(asked) | set(own)
    score = 0.6 * len(both) / len(either) if either else 0.0
    alike = sum(
        any(_is_short_form(word, known) or _is_slip(word, known) for known in own) for word in set(asked) - both
    )
    score += 0.3 * alike / max(len(asked), 1)
    if description:
        told = set(words(description[:MAX_DESCRIPTION]))
        score += 0.2 * len(set(asked) & told) / max(len(asked), 1)
    return min(score, SURE - 0.05)
