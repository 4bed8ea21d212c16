"""Words that are a name in the data and a word of the model as well: whether the name is meant."""

from collections.abc import Collection, Sequence

from sprints.linking.names import Name

_INTO = frozenset({"in", "to", "into", "from", "out"})
_ACTED = frozenset({"was", "were", "been", "got", "get", "gets", "being", "we", "i", "they", "who", "has", "have"})


def means_name(
    said: str, *, names: Sequence[Name], before: str, after: str, is_timed: bool, categories: Collection[object]
) -> bool:
    """
    Return whether the name of a thing is meant, not what the word says: its kind is beside it, or it is a status.

    A status is written as it is named, and not first in its sentence: in Shipped; issues that are Shipped. An act is
    none (was Shipped in May), nor is the name of a category, whose statuses may have other names (are Done).
    """
    kind = names[0].kind
    if {kind, f"{kind}s", f"{kind}es"} & {before, after} or (kind == "label" and before.startswith("label")):
        return True
    if kind != "status" or not said[:1].isupper():
        return False
    is_exact = len(names) == 1 and names[0].text == said and said not in categories
    return before in _INTO or (is_exact and bool(before) and before not in _ACTED and after != "by" and not is_timed)
