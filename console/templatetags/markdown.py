"""Filters of templates, the domains' among them: text that people or models wrote, made HTML that cannot run."""

from django import template

from console.markdown import marked_up, marked_up_line

register = template.Library()
register.filter("marked_up", marked_up)
register.filter("marked_up_line", marked_up_line)
