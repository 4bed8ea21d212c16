"""JSON Schemas of tools: pydantic's, made small and readable for a model."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter

Schema = dict[str, Any]

_MISNAMED = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""Keys that pydantic writes for a number's bounds behind a validator, and their JSON Schema names."""


def make_input_schema(model: type[BaseModel]) -> Schema:
    """
    Build the schema of a tool's parameters, without titles and references.

    Null among a parameter's types means "not given". A deprecated parameter's description begins with [DEPRECATED]. A
    model that writes its own schema, with `$schema`, is published unchanged.
    """
    written = model.model_json_schema(by_alias=True, mode="validation")
    if "$schema" in written:
        return written
    schema = _inline_definitions(written)
    return _omit_keys(schema, "description")  # the tool's own description is published beside it


def make_output_schema(adapter: TypeAdapter[Any]) -> Schema:
    """Build the schema of a tool's answer; fields with a default may be absent."""
    return _inline_definitions(adapter.json_schema(by_alias=True, mode="serialization"))


def find_undescribed(schema: Schema, *, path: str = "") -> Iterator[str]:
    """Yield the path of every property without a description, nested ones included."""
    for name, part in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        if "description" not in part:
            yield here
        yield from find_undescribed(part, path=here)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from find_undescribed(schema[key], path=f"{path}[]")
    for branch in schema.get("anyOf", ()):
        yield from find_undescribed(branch, path=path)


def strip_descriptions(schema: Schema) -> Schema:
    """Return the schema without descriptions at any depth; a property named `description` stays."""

    def below(key: str, value: Any) -> Any:
        if key == "properties":
            return {name: strip_descriptions(part) for name, part in value.items()}
        if key in ("const", "enum", "default"):
            return value
        if isinstance(value, list):
            return [strip_descriptions(part) if isinstance(part, dict) else part for part in value]
        return strip_descriptions(value) if isinstance(value, dict) else value

    return {key: below(key, value) for key, value in schema.items() if key != "description"}


def _inline_definitions(schema: Schema) -> Schema:
    definitions = schema.pop("$defs", {})
    return _Tidy(definitions).schema(schema, seen=())


class _Tidy:
    """One pass over a schema that inlines its definitions."""

    def __init__(self, definitions: Schema) -> None:
        self.definitions = definitions

    def schema(self, part: Schema, *, seen: tuple[str, ...]) -> Schema:
        if "$ref" in part:
            name = part["$ref"].rsplit("/", 1)[-1]
            if name in seen:
                raise ValueError(f"{name} contains itself; a tool's schema must be finite")
            return self.schema({**self.definitions[name], **_omit_keys(part, "$ref")}, seen=(*seen, name))
        named = {_MISNAMED.get(key, key): value for key, value in part.items() if key != "title"}
        tidy = {key: self._value(key, value, seen=seen) for key, value in named.items()}
        if tidy.pop("deprecated", False) and not tidy.get("description", "").startswith("[DEPRECATED]"):
            tidy["description"] = f"[DEPRECATED] {tidy.get('description', '')}".strip()
        return _sort_keys(self._fold_nullable(tidy))

    def _value(self, key: str, value: Any, *, seen: tuple[str, ...]) -> Any:
        if key == "properties":
            return {name: self.schema(part, seen=seen) for name, part in value.items()}
        if key in ("items", "additionalProperties", "not") and isinstance(value, dict):
            return self.schema(value, seen=seen)
        if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            return [self.schema(part, seen=seen) for part in value]
        return value

    def _fold_nullable(self, part: Schema) -> Schema:
        """Fold `anyOf: [X, null]` into X with null among its types."""
        branches = part.get("anyOf", [])
        others = [branch for branch in branches if branch != {"type": "null"}]
        if len(others) == len(branches) or len(others) != 1:
            return part
        optional = "default" in part and part["default"] is None
        rest = _omit_keys(part, "anyOf", *(["default"] if optional else []))
        return {**_or_null(others[0]), **rest} if "type" in others[0] else part


def _or_null(branch: Schema) -> Schema:
    kinds = branch["type"] if isinstance(branch["type"], list) else [branch["type"]]
    branch = {**_omit_keys(branch, "const"), "enum": [branch["const"]]} if "const" in branch else branch
    wider = {**branch, "type": [*kinds, "null"]}
    return {**wider, "enum": [*branch["enum"], None]} if "enum" in branch else wider


def _sort_keys(part: Schema) -> Schema:
    """Put type and description first."""
    first: Schema = {key: part[key] for key in ("type", "description") if key in part}
    return {**first, **part}


def _omit_keys(part: Schema, *keys: str) -> Schema:
    return {key: value for key, value in part.items() if key not in keys}
