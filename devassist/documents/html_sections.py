"""Parsing of HTML into sections. Scripts, navigation, headers and footers are left out. Pure."""

from html.parser import HTMLParser

from devassist.documents.sections import Section, slug

_LEFT_OUT = {"script", "style", "template", "noscript", "nav", "footer", "aside", "svg", "head", "form"}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_LINES = {"p", "div", "li", "tr", "pre", "br", "section", "article", "dt", "dd", "table", "ul", "ol", "blockquote"}


class _Reader(HTMLParser):
    """A parser that collects text under headings. Unclosed tags are accepted."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.sections: list[tuple[str, str, list[str]]] = [("", "", [])]
        self._left_out: list[str] = []
        self._heading: list[str] | None = None
        self._anchor = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a heading, a line, or an ignored element."""
        self._in_title = tag == "title"
        if tag in _LEFT_OUT:
            self._left_out.append(tag)
        elif tag in _HEADINGS:
            self._end_heading()
            self._heading, self._anchor = [], dict(attrs).get("id") or ""
        elif tag in _LINES:
            self._say("\n")

    def handle_endtag(self, tag: str) -> None:
        """End the element."""
        self._in_title = False
        if tag in self._left_out:
            while self._left_out.pop() != tag:
                pass
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag in _LINES:
            self._say("\n")

    def handle_data(self, data: str) -> None:
        """Collect text in the current section."""
        if self._in_title:
            self.title += data
        else:
            self._say(data)

    def close(self) -> None:
        """Finish a heading that was not closed."""
        super().close()
        self._end_heading()

    def _say(self, text: str) -> None:
        if self._left_out:
            return
        (self.sections[-1][2] if self._heading is None else self._heading).append(text)

    def _end_heading(self) -> None:
        if self._heading is not None:
            heading = " ".join("".join(self._heading).split()).rstrip("¶#").rstrip()
            self.sections.append((heading, self._anchor or slug(heading), []))
        self._heading = None


def html_sections(text: str) -> tuple[str, list[Section]]:
    """Return the page's title and its sections."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    sections = [
        Section(heading=heading, anchor=anchor, text=_fold_spaces("".join(said)))
        for heading, anchor, said in reader.sections
    ]
    title = " ".join(reader.title.split()) or next((one.heading for one in sections if one.heading), "")
    return title, sections


def _fold_spaces(text: str) -> str:
    return "\n".join(line for line in (" ".join(line.split()) for line in text.splitlines()) if line)
