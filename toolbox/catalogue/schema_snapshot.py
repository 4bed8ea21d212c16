"""
Snapshots of the tools' schemas and error codes, and what must not change without a new version.

Pure. A snapshot is plain JSON; `manage.py tooldocs` writes it to docs/tools/schemas.json.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from toolbox.contract.json_schema import Schema
from toolbox.contract.tool import Tool

Snapshot = dict[str, Any]

VERSIONS_OF_GRACE = 2
"""For how many versions a deprecated parameter keeps working (devassist contract, "Deprecating Parameters")."""


def snapshot(tools: Iterable[Tool], *, before: Snapshot) -> Snapshot:
    """Return the snapshot of the tools; `before` says since which version a parameter is deprecated."""
    return {tool.name: _tool_snapshot(tool, before=before.get(tool.name, {})) for tool in tools}


def breaking_changes(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield each breaking change that the tool's version does not announce."""
    for name, old in before.items():
        new = after.get(name)
        if new is None:
            yield f"{name}: the tool is gone; if that is meant, take it out of docs/tools/schemas.json by hand"
            continue
        yield from (f"{name}: {broken}" for broken in _hasty_removals(old, new))
        if new["version"] <= old["version"]:
            yield from (f"{name}: {broken}; raise its version" for broken in _changes(old, new))


def _tool_snapshot(tool: Tool, *, before: Snapshot) -> Snapshot:
    known = before.get("deprecated", {})
    deprecated = [
        name
        for name, part in tool.input_schema.get("properties", {}).items()
        if part.get("description", "").startswith("[DEPRECATED]")
    ]
    return {
        "domain": tool.domain,
        "version": tool.version,
        "deprecated": {name: known.get(name, tool.version) for name in deprecated},
        "errors": sorted(code.code for code in tool.codes),
        "input": tool.input_schema,
        "output": tool.success_schema,
    }


def _changes(old: Snapshot, new: Snapshot) -> Iterator[str]:
    parameters = old["input"].get("properties", {})
    for name in parameters.keys() - new["input"].get("properties", {}).keys() - old["deprecated"].keys():
        yield f"the parameter {name} is gone"
    for name in set(new["input"].get("required", [])) - set(old["input"].get("required", [])):
        yield f"the parameter {name} is newly required"
    yield from _input_restrictions(old["input"], new["input"], path="")
    yield from _output_removals(old["output"], new["output"], path="")
    for code in set(old["errors"]) - set(new["errors"]):
        yield f"the error code {code} is gone"


def _hasty_removals(old: Snapshot, new: Snapshot) -> Iterator[str]:
    """Yield deprecated parameters that were removed too early, whatever the version."""
    for name, since in old["deprecated"].items():
        keep_until = since + VERSIONS_OF_GRACE
        if name not in new["input"].get("properties", {}) and new["version"] < keep_until:
            yield f"the parameter {name}, deprecated in version {since}, must work until version {keep_until}"


def _input_restrictions(old: Schema, new: Schema, *, path: str) -> Iterator[str]:
    """Yield what the new input refuses and the old one accepted."""
    here = path or "the parameters"
    if lost := _types(old) - _types(new):
        yield f"{here}: no longer takes {', '.join(sorted(lost))}"
    if "enum" in new and (gone := [value for value in old.get("enum", ["other values"]) if value not in new["enum"]]):
        yield f"{here}: no longer takes {', '.join(map(str, gone))}"
    yield from _tighter_bounds(old, new, here=here)
    for name, part in old.get("properties", {}).items():
        if name in new.get("properties", {}):
            yield from _input_restrictions(part, new["properties"][name], path=f"{path}.{name}".lstrip("."))
    if isinstance(old.get("items"), dict) and isinstance(new.get("items"), dict):
        yield from _input_restrictions(old["items"], new["items"], path=f"{path}[]")


def _tighter_bounds(old: Schema, new: Schema, *, here: str) -> Iterator[str]:
    """Yield bounds that are new or narrower."""
    for keyword in ("minimum", "minLength", "minItems"):
        if keyword in new and new[keyword] > old.get(keyword, float("-inf")):
            yield f"{here}: {keyword} is {new[keyword]} now"
    for keyword in ("maximum", "maxLength", "maxItems"):
        if keyword in new and new[keyword] < old.get(keyword, float("inf")):
            yield f"{here}: {keyword} is {new[keyword]} now"
    for keyword in ("pattern", "format", "multipleOf", "const", "anyOf", "oneOf"):
        if keyword in new and new[keyword] != old.get(keyword):
            yield f"{here}: {keyword} has changed"


def _output_removals(old: Schema, new: Schema, *, path: str) -> Iterator[str]:
    """Yield what the old answer had and the new one lacks or gives in another type."""
    if added := _types(new) - _types(old):
        yield f"{path or 'the answer'}: may now be {', '.join(sorted(added))}"
    for name, part in old.get("properties", {}).items():
        here = f"{path}.{name}".lstrip(".")
        if name not in new.get("properties", {}):
            yield f"the field {here} of the answer is gone"
            continue
        if name in old.get("required", []) and name not in new.get("required", []):
            yield f"the field {here} of the answer may now be absent"
        yield from _output_removals(part, new["properties"][name], path=here)
    if isinstance(old.get("items"), dict) and isinstance(new.get("items"), dict):
        yield from _output_removals(old["items"], new["items"], path=f"{path}[]")


def _types(schema: Schema) -> set[str]:
    """Return the types that a schema allows; "number" includes "integer"."""
    kinds = schema.get("type", [])
    allowed = {kinds} if isinstance(kinds, str) else set(kinds)
    return allowed | ({"integer"} if "number" in allowed else set())
