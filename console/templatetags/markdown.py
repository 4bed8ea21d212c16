"""Filters of templates, the domains' among them: text that people or models wrote, made HTML that cannot run."""

from django import template

from console.markdown import render_markdown, render_markdown_line

register = template.Library()
register.filter("marked_up", render_markdown)
register.filter("marked_up_line", render_markdown_line)
