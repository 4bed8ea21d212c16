"""Refusals of the guard: the problem, in the contract's words if it has any, and what to write instead."""

from collections.abc import Iterable, Mapping

from sprints.sql_sandbox.near_names import find_near_view, list_schema_words

MAX_ECHO = 80
READ_ONLY = "Only SELECT queries are allowed in read-only mode."


class Refused(Exception):
    """A statement that may not run. `message` says why, `suggestion` what to write instead."""

    def __init__(self, message: str, *, suggestion: str) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion


def forbidden_keyword(keyword: str, *, suggestion: str = "") -> Refused:
    """Refuse a statement that is not a plain SELECT, in the contract's words."""
    return Refused(
        f"Forbidden keyword detected: {keyword}. {READ_ONLY}",
        suggestion=suggestion or "Write one SELECT statement over the views that get_schema lists.",
    )


def not_allowed(what: str, *, suggestion: str) -> Refused:
    """Refuse a part of a SELECT."""
    return Refused(f"{what} is not allowed in queries.", suggestion=suggestion)


def no_such_relation(name: str, *, views: Mapping[str, Iterable[str]]) -> Refused:
    """Refuse an unknown relation in PostgreSQL's words, with the view that it can only mean."""
    last = name[:MAX_ECHO].rpartition(".")[2]
    near = last if last in views else find_near_view(last, views=views, words=list_schema_words(views))
    listed = f"The views are: {', '.join(sorted(views))}."
    return Refused(
        f'relation "{echo_text(name)}" does not exist', suggestion=f"Use {near}. {listed}" if near else listed
    )


def echo_text(text: str) -> str:
    """Quote the input, shortened and without control characters."""
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return clean if len(clean) <= MAX_ECHO else f"{clean[:MAX_ECHO]}…"
