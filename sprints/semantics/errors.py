"""Errors of meaningless queries, with suggestions."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


class SemanticError(ValueError):
    """
    A query with an unknown term or an invalid combination.

    `term` is the word of the query that is wrong, `nearest` what it may have been meant for, the nearest first, and
    `kind` the kind of term that is missing; without a kind the term exists and does not fit. `fix` is the change of the
    call's arguments that corrects it, where that is known exactly.
    """

    def __init__(
        self,
        message: str,
        *,
        suggestion: str = "",
        term: str | None = None,
        nearest: Iterable[str] = (),
        kind: str | None = None,
        fix: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.term = term
        self.nearest = tuple(nearest)
        self.kind = kind
        self.fix = dict(fix) if fix else None


def find_nearest(name: str, *, candidates: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return the candidates with the most similar spelling, ignoring case."""
    known = {candidate.lower(): candidate for candidate in candidates}
    return tuple(known[near] for near in get_close_matches(name.lower(), known, n=count, cutoff=0.5))


def unknown_term(kind: str, *, name: str, candidates: Iterable[str]) -> SemanticError:
    """Return the error for an unknown term."""
    listed = sorted(candidates)
    nearest = find_nearest(name, candidates=listed)
    if nearest:
        suggestion = f"Did you mean {' or '.join(nearest)}?"
    elif listed:
        suggestion = f"Use one of: {', '.join(listed[:12])}{' ...' if len(listed) > 12 else ''}."  # noqa: PLR2004
    else:
        suggestion = f"Leave the {kind} out."
    return SemanticError(f"There is no {kind} {name!r}.", suggestion=suggestion, term=name, nearest=nearest, kind=kind)
