"""Markdown of a model, rendered without raw HTML, images or `javascript:` links."""

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_markdown = (
    MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable(["image"])
)


def render_markdown(text: str) -> SafeString:
    """Render an answer as HTML; the parser escapes raw HTML and refuses `javascript:` addresses."""
    return SafeString(_markdown.render(text))


def render_markdown_line(text: str) -> SafeString:
    """Render a line as HTML, without a paragraph around it."""
    return SafeString(_markdown.renderInline(text))
