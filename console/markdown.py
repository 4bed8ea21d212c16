"""Answers are Markdown that a model wrote: made HTML without HTML of its own, without images, without addresses run."""

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_markdown = (
    MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable(["image"])
)


def render_markdown(text: str) -> SafeString:
    """Make an answer HTML; the parser escapes whatever is no Markdown, and refuses javascript: addresses."""
    return SafeString(_markdown.render(text))


def render_markdown_line(text: str) -> SafeString:
    """Make a line HTML, without a paragraph around it."""
    return SafeString(_markdown.renderInline(text))
