"""
Limits before parsing, which protect the parser itself.

libpg_query and PostgreSQL walk trees by recursion: a statement of 100,000 additions crashes the process. Scanning is a
loop, so it is safe for any text up to the maximum length; it limits the depth of the tree.
"""

import re

import postgast
from postgast.pg_query_pb2 import Token

from sprints.sql_sandbox.guard.refusals import Refused

MAX_BYTES = 32_768
MAX_TOKENS = 4_000
MAX_NESTING_TOKENS = 1_000
DEEPEST_BRACKETS = 40
_OPENING = frozenset("([")
_CLOSING = frozenset(")]")
_FLAT = frozenset(
    Token.Value(name)
    for name in (
        "IDENT", "SCONST", "ICONST", "FCONST", "ASCII_41", "ASCII_44", "ASCII_46", "ASCII_93", "SQL_COMMENT",
        "C_COMMENT", "AS", "AND", "OR", "SELECT", "FROM", "WHERE", "ON", "THEN", "WHEN", "END_P",
    )
)  # fmt: skip
"""Tokens that add no nesting: names, values, commas, dots, closing brackets."""

_WORDS_AND_SIGNS = re.compile(rb"\w+|[^\w\s]")
"""No token is less than one of these: texts and comments are mostly many."""


def within_bounds(sql: str) -> bytes:
    """
    Return the statement's bytes if parsing is safe.

    Raises Refused for what is too long, too deeply bracketed, or no text that PostgreSQL could hold.
    """
    try:
        encoded = sql.encode()
    except UnicodeEncodeError as invalid:
        raise Refused("The statement is no valid Unicode text.", suggestion="Send it as UTF-8.") from invalid
    if b"\0" in encoded:
        raise Refused("The statement holds the character U+0000.", suggestion="Send it without U+0000.")
    if len(encoded) > MAX_BYTES:
        raise Refused(
            f"The statement is longer than {MAX_BYTES:,} bytes.",
            suggestion="Write it shorter: join the views or use a subquery instead of listing values.",
        )
    _refuse_deep_brackets(encoded)
    if len(_WORDS_AND_SIGNS.findall(encoded)) > MAX_NESTING_TOKENS:
        _refuse_many_tokens(sql)
    return encoded


def _refuse_deep_brackets(encoded: bytes) -> None:
    """Count all brackets. Those in texts and comments count too, which matters only for very many."""
    depth = 0
    if encoded.count(b"(") + encoded.count(b"[") <= DEEPEST_BRACKETS:
        return
    for sign in encoded.decode():
        if sign in _OPENING:
            depth += 1
            if depth > DEEPEST_BRACKETS:
                raise too_deep()
        elif sign in _CLOSING:
            depth = max(0, depth - 1)


def _refuse_many_tokens(sql: str) -> None:
    try:
        tokens = postgast.scan(sql).tokens
    except postgast.PgQueryError as unreadable:
        raise Refused(unreadable.message, suggestion="Close every quote, comment and bracket.") from unreadable
    if len(tokens) <= MAX_NESTING_TOKENS:
        return
    if sum(token.token not in _FLAT for token in tokens) > MAX_NESTING_TOKENS:
        raise too_deep()
    if len(tokens) > MAX_TOKENS:
        raise Refused(
            f"The statement has more than {MAX_TOKENS:,} words and signs.",
            suggestion="Write it shorter: join the views or use a subquery instead of listing values.",
        )


def too_deep() -> Refused:
    """Return the refusal of deep nesting."""
    return Refused(
        "The statement is nested too deeply.",
        suggestion="Give the inner parts names in WITH, one after the other, and write long sums or "
        "concatenations as sum(), array or concat().",
    )
