"""Parsing of Markdown into sections. Headings in fenced code are ignored. Pure."""

import re

from devassist.documents.sections import Section, slug

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_SIGNS = re.compile(r"[*`]|!?\[([^\[\]]*)\]\([^()]*\)")
_KNOWN = ("title", "url")


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Parse `title:` and `url:` from the front matter between `---` lines. Returns the rest too."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:60], 1) if line.strip() == "---"), 0)
    pairs = (line.partition(":") for line in lines[1:end])
    said = {name.strip().lower(): value.strip().strip("\"'") for name, _, value in pairs if value.strip()}
    return {name: said[name] for name in _KNOWN if name in said}, "".join(lines[end + 1 :] if end else lines)


def markdown_sections(text: str) -> tuple[str, list[Section]]:
    """Return the title and the sections. The title is the first heading of level one, or the first of any level."""
    sections: list[tuple[int, str, list[str]]] = [(0, "", [])]
    fence = ""
    for line in text.splitlines():
        if found := _FENCE.match(line):
            fence = _fence_after(fence, found[1])
        heading = None if fence else _HEADING.fullmatch(line)
        underline = None if fence else _UNDERLINE.fullmatch(line)
        if heading:
            sections.append((len(heading[1]), _plain(heading[2]), []))
        elif underline and (above := _title_above(sections[-1][2])):
            sections.append((1 if underline[1][0] == "=" else 2, _plain(above), []))
        else:
            sections[-1][2].append(line)
    named = [(level, heading) for level, heading, _ in sections if heading]
    title = next((heading for level, heading in named if level == 1), named[0][1] if named else "")
    return title, [
        Section(heading=heading, anchor=slug(heading), text="\n".join(lines)) for _, heading, lines in sections
    ]


def _fence_after(fence: str, found: str) -> str:
    if not fence:
        return found
    return "" if found[0] == fence[0] and len(found) >= len(fence) else fence


def _title_above(lines: list[str]) -> str:
    """Return the line above an underline, if it is a paragraph of its own."""
    if lines and lines[-1].strip() and (len(lines) == 1 or not lines[-2].strip()):
        return lines.pop()
    return ""


def _plain(heading: str) -> str:
    return " ".join(_SIGNS.sub(lambda found: found[1] or "", heading).split())
