"""Matching of upstream errors with schema violations. The wording of an error only helps to locate it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphql import FieldNode, NameNode, Node

from graphql_proxy.contracts import GraphqlError
from graphql_proxy.fixes.cases import Case
from graphql_proxy.fixes.repair import Explanation

MAX_TEXT = 2_000
MAX_NAMES = 200
MAX_DEPTH = 4
MIN_SCORE = 2
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")


def find_names(error: GraphqlError) -> frozenset[str]:
    """Return every name in an error's message, path and extensions."""
    texts = [error.message[:MAX_TEXT], *_strings(error.extensions, depth=0)]
    found = [name for text in texts for name in _NAME.findall(text[:MAX_TEXT])]
    found += [part for part in error.path or () if isinstance(part, str)]
    return frozenset(found[:MAX_NAMES])


def _strings(value: Any, *, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth > MAX_DEPTH:
        return []
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in list(parts)[:MAX_NAMES] for text in _strings(part, depth=depth + 1)]


def match_errors(
    errors: Sequence[GraphqlError], *, explanations: Sequence[Explanation], case: Case
) -> list[Explanation | None]:
    """Return the violation of each error, or None if none matches."""
    if len(errors) == len(explanations) == 1 and not find_fields(errors[0], case=case):
        return [explanations[0]]
    return [_match(error, explanations, case=case) for error in errors]


def _match(error: GraphqlError, explanations: Sequence[Explanation], *, case: Case) -> Explanation | None:
    names = find_names(error)
    scored = [(_score(error, names, one, case=case), -number, one) for number, one in enumerate(explanations)]
    best = max(scored, key=lambda entry: entry[:2], default=None)
    return best[2] if best and best[0] >= MIN_SCORE else None


def _score(error: GraphqlError, names: frozenset[str], explanation: Explanation, *, case: Case) -> int:
    """Score what an error and a violation share: the place, the parent field, the names at fault."""
    violation = explanation.violation
    there = {(at.line, at.column) for at in error.locations or ()}
    around = [place.find_enclosing(FieldNode) for node in violation.nodes if (place := case.places.find(node))]
    own = {name for node in violation.nodes for name in _names_of(node)}
    own |= {part for part in violation.path if isinstance(part, str)} | set(
        _NAME.findall(explanation.finding.coordinate)
    )
    is_there = any(_place(node) in there for node in violation.nodes)
    is_inside = any(node is not None and _place(node) in there for node in around)
    return 3 * is_there + 2 * is_inside + 2 * bool(own & names)


def _names_of(node: Node) -> list[str]:
    """Return the names in a node: its own name, a variable's, a value's."""
    if isinstance(node, NameNode):
        return [node.value]
    inner = getattr(node, "name", None) or getattr(node, "variable", None)
    if isinstance(inner, Node):
        return _names_of(inner)
    value = getattr(node, "value", None)
    return [value] if isinstance(value, str) else []


def _place(node: Node) -> tuple[int, int] | None:
    if node.loc is None:
        return None
    at = node.loc.source.get_location(node.loc.start)
    return at.line, at.column


def find_fields(error: GraphqlError, *, case: Case) -> list[FieldNode]:
    """Return the fields that an error concerns: by its location, else by its path, else by their names."""
    fields = [place.node for place in case.places.all_of(FieldNode) if isinstance(place.node, FieldNode)]
    places = {(at.line, at.column) for at in error.locations or ()}
    if there := [node for node in fields if _place(node) in places]:
        return there
    names = find_names(error)
    path = [part for part in error.path or () if isinstance(part, str)]
    if path and (last := [node for node in fields if (node.alias or node.name).value == path[-1]]):
        return last
    return [node for node in fields if node.name.value in names]
