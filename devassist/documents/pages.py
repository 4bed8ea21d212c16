"""Parsing of a file into a page with sections: Markdown and HTML. Pure."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from devassist.documents.html_sections import html_sections
from devassist.documents.markdown_sections import front_matter, markdown_sections
from devassist.documents.sections import Section

MAX_PAGE = 2_097_152
MAX_SECTIONS = 500
MAX_SECTION = 3_000
MAX_TITLE = 300
MAX_PATH = 500
_HTML, _MARKDOWN = {".html", ".htm", ".xhtml"}, {".md", ".markdown"}
SUFFIXES = _HTML | _MARKDOWN


class NotAPage(ValueError):
    """The file is not a page; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as it is stored. `url` comes from the page itself."""

    path: str
    title: str
    url: str
    digest: str
    sections: list[Section]


def read_page(path: str, *, data: bytes) -> Page:
    """Parse a file. Raises NotAPage."""
    if len(path) > MAX_PATH:
        raise NotAPage(f"its path is longer than {MAX_PATH} characters")
    if len(data) > MAX_PAGE:
        raise NotAPage(f"it is larger than {MAX_PAGE:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as binary:
        raise NotAPage("it is not UTF-8 text") from binary
    if "\0" in text:
        raise NotAPage("it holds NUL characters, as no text does")
    is_html = PurePosixPath(path).suffix.lower() in _HTML
    said, body = ({}, text) if is_html else front_matter(text)
    title, sections = html_sections(text) if is_html else markdown_sections(body)
    kept = [piece for section in sections for piece in _pieces(section)][:MAX_SECTIONS]
    if not kept:
        raise NotAPage("it holds no text")
    title = said.get("title") or title or PurePosixPath(path).stem.replace("-", " ").replace("_", " ")
    digest = hashlib.sha256(data).hexdigest()
    return Page(path=path, title=title[:MAX_TITLE], url=said.get("url", ""), digest=digest, sections=kept)


def _pieces(section: Section) -> Iterator[Section]:
    """Split a long section at line or word ends, so that a search reads little text."""
    text = section.text.strip()
    while text:
        end = len(text) if len(text) <= MAX_SECTION else _end(text)
        yield Section(heading=section.heading[:MAX_TITLE], anchor=section.anchor[:200], text=text[:end].rstrip())
        text = text[end:].lstrip()


def _end(text: str) -> int:
    for stop in ("\n\n", "\n", " "):
        if (place := text.rfind(stop, MAX_SECTION // 2, MAX_SECTION)) > 0:
            return place
    return MAX_SECTION
