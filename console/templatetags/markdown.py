"""Template filters, for pages of domains too: text of people or models as HTML that cannot run scripts."""

from django import template

from console.markdown import render_markdown, render_markdown_line

register = template.Library()
register.filter("marked_up", render_markdown)
register.filter("marked_up_line", render_markdown_line)
