"""Names of views and columns that a misspelt name can only mean. Pure."""

from collections.abc import Callable, Iterable, Mapping

SURELY_ALIKE = 80
CLEARLY_NEARER = 8
LONG_WORD = 6
"""From this length on a word may hold two typing errors."""
TABLE_PREFIX = "sprints_"
"""The tables behind the views are called so: sprints_users is the table of users."""
_MOMENT_WORDS = frozenset({"at", "date", "on"})


def find_near_view(name: str, *, views: Iterable[str], words: frozenset[str]) -> str | None:
    """Return the view of a table, or the view with a similar name. None if there is none, or more than one."""
    known = list(views)
    of_table = name.lower().removeprefix(TABLE_PREFIX)
    found = {of_table} & set(known) | {_find_near(name, known=known, plain=singular, words=words)} - {None}
    return found.pop() if len(found) == 1 else None


def find_near_name(name: str, *, known: Iterable[str], words: frozenset[str]) -> str | None:
    """Return the only known name that is similar. `words` are those of the schema."""
    return _find_near(name, known=list(known), plain=str.lower, words=words)


def list_schema_words(views: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """List the words in names of views and their columns, in the singular."""
    names = [*views, *(column for columns in views.values() for column in columns)]
    return frozenset(singular(word) for name in names for word in name.split("_"))


def singular(word: str) -> str:
    """Return a word in lower case without the s of its plural."""
    return word.lower().removesuffix("s")


def _find_near(name: str, *, known: list[str], plain: Callable[[str], str], words: frozenset[str]) -> str | None:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only wrong names are compared, and the guard is on every path

    if name in known:
        return None
    name = name.lower()
    same = [choice for choice in known if plain(choice).replace("_", "") == plain(name).replace("_", "")]
    if len(same) == 1:
        return same[0]
    spelt = [choice for choice in known if _is_misspelt(name, choice, words=words)]
    whole = [choice for choice in spelt if choice.count("_") == name.count("_")]
    if not whole and len(spelt) > 1:
        return None  # a part of several names
    found = process.extract(name, whole or spelt, scorer=fuzz.ratio, score_cutoff=SURELY_ALIKE, limit=2)
    if not found or (len(found) > 1 and found[0][1] - found[1][1] < CLEARLY_NEARER):
        return None
    return str(found[0][0])


def _is_misspelt(name: str, choice: str, *, words: frozenset[str]) -> bool:
    """Return whether each word of the name is one of the choice, in order, at most with typing errors in it."""
    rest = iter(choice.split("_"))
    return all(any(_is_same_word(word, other, words=words) for other in rest) for word in name.split("_"))


def _is_same_word(word: str, other: str, *, words: frozenset[str]) -> bool:
    """Compare two words. A word of the schema is no misspelling of another, nor is `uncompleted` of `completed`."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

    word, other = singular(word), singular(other)
    if word == other or {word, other} <= _MOMENT_WORDS:
        return True
    has_prefix = (word.endswith(other) or other.endswith(word)) and abs(len(word) - len(other)) > 1
    if word in words or has_prefix:
        return False
    return OSA.distance(word, other) <= (1 if len(other) < LONG_WORD else 2)
