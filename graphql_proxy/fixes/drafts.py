"""A request as text that edits can change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

MAX_WHOLE = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document with its variables and its operation name."""

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None

    def as_arguments(self, *, given: "Draft") -> dict[str, Any]:
        """Return the differences from another draft as tool arguments. An operation name that was removed is null."""
        changed: dict[str, Any] = {}
        if self.query != given.query:
            changed["query"] = self.query
        if self.variables != given.variables:
            changed["variables"] = write_numbers(dict(self.variables))
        if self.operation_name != given.operation_name:
            changed["operationName"] = self.operation_name
        return changed


def write_numbers(value: Any) -> Any:
    """Encode integers beyond 64 bits, which the encoder does not support."""
    if isinstance(value, dict):
        return {name: write_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [write_numbers(part) for part in value]
    is_large = isinstance(value, int) and not -MAX_WHOLE <= value < MAX_WHOLE
    return orjson.Fragment(str(value)) if is_large else value


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A text that replaces the range between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The changes of one fix. An empty `operation_name` removes the name; None leaves it unchanged."""

    edits: tuple[Edit, ...] = ()
    variables: tuple[tuple[tuple[str | int, ...], Any], ...] = ()
    renamed_keys: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    removed_variables: tuple[str, ...] = ()
    operation_name: str | None = None


def apply_changes(draft: Draft, *, changes: Iterable[Change]) -> Draft | None:
    """Apply changes together. Returns None if two of them overlap."""
    made = _drop_repeated(changes)
    edits = sorted({edit for change in made for edit in change.edits})
    query, end = draft.query, len(draft.query) + 1
    for edit in reversed(edits):
        if edit.end > end:
            return None
        query = query[: edit.start] + edit.text + query[edit.end :]
        end = edit.start
    variables: Any = dict(draft.variables)
    for change in made:
        for path, value in change.variables:
            variables = _with_value(variables, path, value)
        for path, key in change.renamed_keys:
            variables = _with_key(variables, path, key)
        for gone in change.removed_variables:
            variables.pop(gone, None)
    names = {change.operation_name for change in made if change.operation_name is not None}
    if len(names) > 1:
        return None
    name = (names.pop() or None) if names else draft.operation_name
    return replace(draft, query=query, variables=variables, operation_name=name)


def _drop_repeated(changes: Iterable[Change]) -> list[Change]:
    """Remove duplicate changes. Variables may hold lists, which have no hash."""
    made: list[Change] = []
    for change in changes:
        if change not in made:
            made.append(change)
    return made


def _with_value(whole: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(whole) if isinstance(whole, Mapping) else list(whole)
    key: Any = path[0]
    inner = copy.get(key) if isinstance(copy, dict) else copy[key]
    copy[key] = _with_value(inner, path[1:], value)
    return copy


def _with_key(whole: Any, path: tuple[str | int, ...], name: str) -> Any:
    """Rename the last key of a path, keeping its position."""
    if len(path) > 1:
        inner = whole[path[0]]
        return _with_value(whole, path[:1], _with_key(inner, path[1:], name))
    return {(name if key == path[0] else key): value for key, value in whole.items()}
