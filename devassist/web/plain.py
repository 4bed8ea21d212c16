"""Conversion of HTML and Markdown to plain text on one line. Every pattern runs in linear time. Pure."""

import html
import re
from collections.abc import Collection

MAX_READ = 8_000
SNIPPET = 200
_LEAD = 60

_HIDDEN = re.compile(r"<(script|style|template)\b[^>]{0,500}>.{0,8000}?</\1\s{0,5}>", re.I | re.S)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,2000}>")
_MARKUP = (
    re.compile(r"^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|```.*$|~~~.*$)", re.M),
    re.compile(r"^[ \t]{0,3}[-=*_]{3,}[ \t]*$", re.M),
)
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,1000}(?:\s[^()]{0,200})?\)")
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)([^\n]{0,500}?\S)\1")
_VOID = ("br", "hr", "img", "input", "source", "wbr")


def from_html(text: str) -> str:
    """Remove the tags of HTML, then decode entities. Escaped markup stays text."""
    bare = _COMMENT.sub(" ", _HIDDEN.sub(" ", text[:MAX_READ]))
    return one_line(html.unescape(_TAG.sub("", bare)))


def from_text(text: str) -> str:
    """Remove certain markup from a text: paired tags and entities. A single `<a>` is a word."""
    return one_line(html.unescape(_without_pairs(text[:MAX_READ])))


def from_markdown(text: str) -> str:
    """Remove the markup of Markdown and the HTML in it. `List<String>` stays."""
    bare = _COMMENT.sub(" ", text[:MAX_READ])
    for pattern in _MARKUP:
        bare = pattern.sub("", bare)
    bare = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", bare))
    return one_line(html.unescape(_without_pairs(bare, also=_VOID)))


def one_line(text: str) -> str:
    """Normalise whitespace and remove invisible characters: controls and text direction marks."""
    folded = " ".join(text.split())
    return folded if folded.isprintable() else "".join(sign for sign in folded if sign.isprintable())


def cut(text: str, *, at: int = SNIPPET) -> str:
    """Cut at a word end with an ellipsis, so that the result has at most `at` characters."""
    if len(text) <= at:
        return text
    end = text.rfind(" ", at // 2, at)
    return f"{text[: end if end > 0 else at - 1].rstrip()}…"


def excerpt(text: str, *, words: Collection[str], at: int = SNIPPET) -> str:
    """Return the part of the text with the most words close together."""
    if len(text) <= at:
        return text
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is longer
        return cut(text, at=at)
    places = sorted((found.start(), word) for word in words for found in re.finditer(re.escape(word), lower))
    start = max(0, _densest(places, width=at - _LEAD) - _LEAD) if places else 0
    if not start:
        return cut(text, at=at)
    start = max(start, text.find(" ", start, start + _LEAD) + 1)
    return cut(f"…{text[start:]}", at=at)


def _densest(places: list[tuple[int, str]], *, width: int) -> int:
    best = most = first = 0
    for last, (place, _) in enumerate(places):
        while place - places[first][0] > width:
            first += 1
        within = len({word for _, word in places[first : last + 1]})
        if within > most:
            best, most = places[first][0], within
    return best


def _without_pairs(text: str, *, also: tuple[str, ...] = ()) -> str:
    names = [(tag.group(0).startswith("</"), _name(tag.group(0))) for tag in _TAG.finditer(text)]
    paired = {name for is_end, name in names if not is_end} & {name for is_end, name in names if is_end}
    gone = paired | set(also)
    return _TAG.sub(lambda tag: "" if _name(tag.group(0)) in gone else tag.group(0), text)


def _name(tag: str) -> str:
    found = re.match(r"</?([a-zA-Z][\w-]*)", tag)
    return found[1].lower() if found else ""
