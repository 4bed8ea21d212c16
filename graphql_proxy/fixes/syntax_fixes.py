"""Fixes for syntax errors: JSON and Markdown habits, unclosed brackets."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from graphql import GraphQLError, GraphQLSyntaxError, parse

from graphql_proxy.fixes.braces import balance_braces

MAX_TEXT = 20_000
MAX_TOKENS = 6_000
MAX_SHOWN = 60
_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_STRING = r'"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*'
_QUOTED_KEY = re.compile(rf'"([_A-Za-z][_0-9A-Za-z]*)"(\s*:)|{_STRING}')
_SINGLE_QUOTES = re.compile(rf"'([^'\"\\\n]*)'|{_STRING}")
_BRACKETS = re.compile(rf"[][(){{}}]|{_STRING}")
_PATH = re.compile(rf"(?<![.\w])([_A-Za-z]\w*(?:\.[_A-Za-z]\w*)+)|{_STRING}")
_PAIRS = {"{": "}", "(": ")", "[": "]"}


def _strip_fence(text: str) -> str:
    found = _FENCE.match(text)
    return found[1] if found else text


def _unquote_keys(text: str) -> str:
    return _QUOTED_KEY.sub(lambda found: f"{found[1]}{found[2]}" if found[1] else found[0], text)


def _use_double_quotes(text: str) -> str:
    return _SINGLE_QUOTES.sub(lambda found: f'"{found[1]}"' if found[0].startswith("'") else found[0], text)


def _close_arguments(text: str) -> str:
    """Close arguments before a selection: a brace that follows a value, not a colon, comma or bracket."""
    opened: list[str] = []
    gaps: list[int] = []
    for found in _BRACKETS.finditer(text):
        sign, before = found[0], text[: found.start()].rstrip()
        if sign == "{" and opened[-1:] == [")"] and before[-1:] not in (":", ",", "("):
            gaps.append(len(before))
            opened.pop()
        if sign in _PAIRS:
            opened.append(_PAIRS[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
    for gap in reversed(gaps):
        text = f"{text[:gap]}){text[gap:]}"
    return text


def _expand_paths(text: str) -> str:
    """Expand `address.city` to selections. After a colon or in a list, `State.OPEN` is an enum value."""

    def expand(found: re.Match[str]) -> str:
        names = (found[1] or "").split(".")
        if not found[1]:
            return found[0]
        is_value = text[: found.start()].rstrip()[-1:] in (":", "[", ",")
        return names[-1] if is_value else " { ".join(names) + " }" * (len(names) - 1)

    return _PATH.sub(expand, text)


_WAYS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_strip_fence, "A document is sent without a Markdown fence."),
    (_unquote_keys, "Names of arguments and fields are written without quotes."),
    (_use_double_quotes, "Strings are written in double quotes."),
    (_expand_paths, "Names are not joined by dots: a field of a field is written `a { b }`, an enum value alone."),
    (_close_arguments, "Arguments end with `)` before the selection begins."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxRepair:
    """The texts that parse after the fewest fixes. There are several if braces may be closed at several places."""

    texts: list[str]
    reasons: list[str]


def fix_syntax(text: str) -> SyntaxRepair | None:
    """Return the texts that parse after the fewest fixes, with the fixes. None if none parses."""
    if len(text) > MAX_TEXT:
        return None
    for number in range(len(_WAYS) + 1):
        for ways in combinations(_WAYS, number):
            fixed = text
            for way, _ in ways:
                fixed = way(fixed)
            reasons = _reasons(text, ways)
            if fixed != text and _parses(fixed):
                return SyntaxRepair(texts=[fixed], reasons=reasons)
            if balanced := (balance_braces(fixed) if fixed != text or not ways else None):
                return SyntaxRepair(texts=balanced.texts, reasons=[*reasons, balanced.where])
    return None


def describe_syntax_error(text: str) -> str | None:
    """Say where a text stops being GraphQL, with the text there."""
    try:
        parse(text[:MAX_TEXT], no_location=True)
    except GraphQLSyntaxError as wrong:
        line, column = wrong.locations[0] if wrong.locations else (1, 1)
        there = text.splitlines()[line - 1][column - 1 :][:MAX_SHOWN] if text.strip() else ""
        return f"{wrong.message} Line {line}, column {column}{f': `{there}`' if there else ''}."
    except RecursionError:
        return "The document is nested too deep to be read."
    return None


def _reasons(text: str, ways: Iterable[tuple[Callable[[str], str], str]]) -> list[str]:
    return [reason for way, reason in ways if way(text) != text] or [reason for _, reason in ways]


def _parses(text: str) -> bool:
    try:
        parse(text, no_location=True, max_tokens=MAX_TOKENS)
    except (GraphQLError, RecursionError):
        return False
    return True
