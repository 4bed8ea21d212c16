"""A request as a text that can be changed in places."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document with the variables and the operation that go with it."""

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None

    def as_arguments(self, *, given: "Draft") -> dict[str, Any]:
        """Give what differs from another draft, as the tool takes it; null where no operation is named now."""
        changed: dict[str, Any] = {}
        if self.query != given.query:
            changed["query"] = self.query
        if self.variables != given.variables:
            changed["variables"] = dict(self.variables)
        if self.operation_name != given.operation_name:
            changed["operationName"] = self.operation_name
        return changed


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A text that takes the place of what stands between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one fix changes; `operation_name` is empty where no operation is to be named, None where nothing changes."""

    edits: tuple[Edit, ...] = ()
    variables: tuple[tuple[tuple[str | int, ...], Any], ...] = ()
    renamed_keys: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    operation_name: str | None = None


def apply_changes(draft: Draft, *, changes: Iterable[Change]) -> Draft | None:
    """Apply changes together; None where two of them are about the same place."""
    made = list(dict.fromkeys(_key(change) for change in changes))
    edits = sorted({edit for change in made for edit in change[0]})
    query, end = draft.query, len(draft.query) + 1
    for edit in reversed(edits):
        if edit.end > end:
            return None
        query = query[: edit.start] + edit.text + query[edit.end :]
        end = edit.start
    variables: Any = dict(draft.variables)
    for change in made:
        for path, value in change[1]:
            variables = _with_value(variables, path, value)
        for path, name in change[2]:
            variables = _with_key(variables, path, name)
    names = {change[3] for change in made if change[3] is not None}
    if len(names) > 1:
        return None
    name = (names.pop() or None) if names else draft.operation_name
    return replace(draft, query=query, variables=variables, operation_name=name)


class _Once(tuple[Any, ...]):
    """The parts of a change, compared by what they are; variables may hold lists, which have no hash."""

    def __hash__(self) -> int:
        return hash(self[0])


def _key(change: Change) -> _Once:
    return _Once((change.edits, change.variables, change.renamed_keys, change.operation_name))


def _with_value(whole: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(whole) if isinstance(whole, Mapping) else list(whole)
    key: Any = path[0]
    inner = copy.get(key) if isinstance(copy, dict) else copy[key]
    copy[key] = _with_value(inner, path[1:], value)
    return copy


def _with_key(whole: Any, path: tuple[str | int, ...], name: str) -> Any:
    """Rename the last key of a path, in its place."""
    if len(path) > 1:
        inner = whole[path[0]]
        return _with_value(whole, path[:1], _with_key(inner, path[1:], name))
    return {(name if key == path[0] else key): value for key, value in whole.items()}
