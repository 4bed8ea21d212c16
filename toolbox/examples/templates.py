"""
Templates of examples: fill slots into arguments, and word tools' answers.

Answers are Django templates over plain data, on an engine of their own without loaders or a request: they can do only
what Django's filters and filters.py can.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.template import Context, Engine, TemplateDoesNotExist, TemplateSyntaxError
from django.template.base import Template, VariableNode
from django.urls import NoReverseMatch

from toolbox.catalogue.registry import registry
from toolbox.contract.slots import Candidate, find_placeholders
from toolbox.examples.cache import KnownExample, find_slots

MISSING = "[missing: %s]"
MISSING_MARK = MISSING.partition("%")[0]
"""The beginning of the mark in an answer where the tools returned no value."""
MAX_WORDS = 6_000
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)(?:\.([a-z][a-z0-9_]*))?(:int)?\}")

_MISTAKES = (
    TemplateSyntaxError,
    TemplateDoesNotExist,
    NoReverseMatch,
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
)
"""What Django raises for an invalid template, or one that does not fit the answer."""

_engine = Engine(loaders=[], builtins=["toolbox.examples.filters"], string_if_invalid=MISSING, autoescape=False)


class CannotFill(Exception):
    """A template needs something that is missing; the message says what."""


def fill_arguments(template: Any, *, values: Mapping[str, Candidate]) -> Any:
    """
    Fill slots into arguments at any depth: `{team}` is a value, `{month.start}` a part, `{place.line:int}` a number.

    Raises CannotFill.
    """
    if isinstance(template, str):
        if (place := _PLACE.fullmatch(template)) and place[3]:
            return _number(_value(place, values=values))
        return _PLACE.sub(lambda place: _value(place, values=values), template)
    if isinstance(template, Mapping):
        return {name: fill_arguments(part, values=values) for name, part in template.items()}
    if isinstance(template, list):
        return [fill_arguments(part, values=values) for part in template]
    return template


def make_arguments(example: KnownExample, *, answers: Sequence[Any], values: Mapping[str, Candidate]) -> Any:
    """Return the arguments of the call that follows these answers, or of the first call; raises CannotFill."""
    if not answers:
        return fill_arguments(example.arguments, values=values)
    return make_next_arguments(example.next_calls[len(answers) - 1]["arguments"], answers=answers, values=values)


def make_next_arguments(template: Mapping[str, Any], *, answers: Sequence[Any], values: Mapping[str, Candidate]) -> Any:
    """
    Return a later call's arguments. A part that is a single `{{ … }}` keeps its type; None is left out.

    Raises CannotFill.
    """
    context = _context(answers, values=values)
    filled = {name: _resolve_value(part, context=context) for name, part in template.items()}
    return {name: part for name, part in filled.items() if part is not None}


def _resolve_value(part: Any, *, context: Context) -> Any:
    if not isinstance(part, str):
        return part
    compiled = _compile_template(part)
    try:
        if len(compiled.nodelist) == 1 and isinstance(node := compiled.nodelist[0], VariableNode):
            with context.bind_template(compiled):
                return node.filter_expression.resolve(context, ignore_failures=True)
        return compiled.render(context)
    except _MISTAKES as mistake:
        raise CannotFill(f"the next call cannot be filled: {mistake}") from mistake


def _context(answers: Sequence[Any], *, values: Mapping[str, Candidate]) -> Context:
    known = {name: {"value": one.value, **one.parts} | {"label": one.label} for name, one in values.items()}
    labels = {name: one.label for name, one in values.items()}
    told = {"answer": answers[-1], "answers": answers, "slots": known}
    return Context({**told, **labels}, autoescape=False)


def render_answer(template: str, *, answers: Sequence[Any], values: Mapping[str, Candidate]) -> str:
    """Word the calls' answers; raises CannotFill if the template does not fit them."""
    try:
        said = _compile_template(template).render(_context(answers, values=values))
    except _MISTAKES as mistake:
        raise CannotFill(f"the answer cannot be worded: {mistake}") from mistake
    lines = [" ".join(line.split()) for line in said.strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))[:MAX_WORDS]


def fill_question(template: str, *, samples: Mapping[str, str]) -> str:
    """Fill texts into a question template, by placeholder."""
    return re.sub(r"\{([a-z][a-z0-9_]*)(?::[a-z0-9_]+)?\}", lambda place: samples.get(place[1], place[0]), template)


def find_problems(example: KnownExample) -> list[str]:
    """Return what cannot work in an example, in sentences; calls no tool."""
    found = []
    found += [
        f"{example.domain} has no tool {name}."
        for name in example.tools
        if registry.find(name, domain=example.domain) is None
    ]
    names = {one.name for one in example.placeholders}
    known = find_slots(example.domain)
    unknown = sorted({one.slot for one in example.placeholders} - known.keys())
    if unknown:
        found.append(f"{example.domain} has no slot {', '.join(unknown)}; it has {', '.join(known) or 'none'}.")
    found += [
        f"The phrasing {other!r} does not name what the question names."
        for other in example.phrasings
        if {one.name for one in find_placeholders(other)} != names
    ]
    used = {place[1] for place in _PLACE.finditer(str(example.arguments))}
    if used - names:
        found.append(f"The arguments use {', '.join(sorted(used - names))}, which the question does not name.")
    try:
        for template in (example.answer, *_templates_of(example.next_calls)):
            _compile_template(template)
    except TemplateSyntaxError as mistake:
        found.append(f"The answer is no template, or the argument of a call: {mistake}.")
    return found


def _templates_of(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    return [part for call in calls for part in call["arguments"].values() if isinstance(part, str)]


@lru_cache(maxsize=512)
def _compile_template(template: str) -> Template:
    return _engine.from_string(template)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise CannotFill(f"{text!r} is no number")
    return int(text)


def _value(place: re.Match[str], *, values: Mapping[str, Candidate]) -> str:
    name, part = place[1], place[2]
    if name not in values:
        raise CannotFill(f"nothing is known of {{{name}}}")
    if part is None:
        return values[name].value
    if part not in values[name].parts:
        raise CannotFill(f"{{{name}}} has no {part}")
    return values[name].parts[part]
