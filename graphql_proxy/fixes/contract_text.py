"""
The contract's own error help: `enhance_graphql_error(text)`.

Five properties hold for every text: the original text comes first, unchanged; enhancing twice changes nothing; only
"Cannot query field" errors change; nothing raises; a field error that names rookies explains what a rookie is.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

UNKNOWN_QUERY_HINT = "Hint: Use the introspect_schema tool to see all available queries."
ROOKIES_NOTE = (
    'Note: There is no "rookies" query. To find rookie players (under 26, <25 games in preceding season), use '
    "leagueSkaterStats or leagueGoalieStats with age/games filters, or get_league_leaders to find top performers."
)
_FIELD_ERROR = "Cannot query field"
_ON_QUERY = re.compile(r"""on type (?:"Query"|'Query'|Query\b)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHint:
    """A sentence that is appended to the field errors that it matches."""

    text: str
    fits: Callable[[str], bool]


def _is_about_a_query(text: str) -> bool:
    return _ON_QUERY.search(text) is not None


def _is_about_rookies(text: str) -> bool:
    return "rookies" in text.lower()


CONTRACT_HINTS = (
    MessageHint(text=UNKNOWN_QUERY_HINT, fits=_is_about_a_query),
    MessageHint(text=ROOKIES_NOTE, fits=_is_about_rookies),
)


def enhance_graphql_error(original: str, *, hints: Iterable[MessageHint] = CONTRACT_HINTS) -> str:
    """
    Append every matching hint to a "Cannot query field" error. Any other text is returned unchanged.

    What fits is judged by the text without the hints at its end, so that no hint calls for another.
    """
    if _FIELD_ERROR not in original:
        return original
    known = tuple(hints)
    bare = _remove_hints(known, original)
    if _FIELD_ERROR not in bare:
        return original
    enhanced = original
    for hint in known:
        if hint.text not in enhanced and hint.fits(bare):
            enhanced += f"\n\n{hint.text}"
    return enhanced


def _remove_hints(hints: Iterable[MessageHint], text: str) -> str:
    """Return the text without the hints at its end."""
    endings = tuple(f"\n\n{hint.text}" for hint in hints if hint.text)
    while text.endswith(endings):
        text = next(text.removesuffix(ending) for ending in endings if text.endswith(ending))
    return text
