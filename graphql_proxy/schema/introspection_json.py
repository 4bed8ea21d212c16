"""Conversion of introspection JSON to SDL. Parts that cannot be converted are left out with a warning."""

import re
from collections.abc import Iterable
from typing import Any

import orjson
from graphql import GraphQLError, parse_const_value, specified_directives, specified_scalar_types

from graphql_proxy.schema.warnings import WarningLog

MAX_WRAPPERS = 20
"""The maximum lists and non-nulls around a type. Introspection queries ask for nine at most."""

_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_NO_ENUM_VALUES = frozenset({"true", "false", "null"})
_BUILT_IN_DIRECTIVES = frozenset(directive.name for directive in specified_directives)
_KEYWORDS = {
    "OBJECT": "type", "INTERFACE": "interface", "INPUT_OBJECT": "input", "UNION": "union", "ENUM": "enum",
    "SCALAR": "scalar",
}  # fmt: skip
_OPERATIONS = (("query", "queryType"), ("mutation", "mutationType"), ("subscription", "subscriptionType"))


class InvalidIntrospection(ValueError):
    """The JSON is not an introspection result; the message says why."""


def write_sdl(text: str, *, log: WarningLog) -> str:
    """Convert an introspection result, with or without its `data`, to SDL. Raises InvalidIntrospection."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as invalid:
        raise InvalidIntrospection(f"line {invalid.lineno}, column {invalid.colno}: {invalid.msg}") from invalid
    answer = document.get("data") or document
    schema = answer.get("__schema") if isinstance(answer, dict) else None
    if not isinstance(schema, dict) or not isinstance(schema.get("types"), list):
        raise InvalidIntrospection("JSON without __schema: give what an introspection query answers")
    return _Writer(log).write(schema)


class _Writer:
    """Writes one schema. Every part that does not conform to introspection is left out."""

    def __init__(self, log: WarningLog) -> None:
        self._log = log

    def write(self, schema: dict[str, Any]) -> str:
        roots = [
            f"  {operation}: {root['name']}"
            for operation, key in _OPERATIONS
            if isinstance(root := schema.get(key), dict) and self._is_name(root.get("name"), within=key)
        ]
        parts = [_description(schema, indent="") + "schema {\n" + "\n".join(roots) + "\n}"] if roots else []
        parts += [self._directive(one) for one in _dicts(schema.get("directives"))]
        parts += [self._type(one) for one in _dicts(schema["types"])]
        return "\n\n".join(part for part in parts if part)

    def _type(self, of: dict[str, Any]) -> str:
        name, keyword = of.get("name"), _KEYWORDS.get(str(of.get("kind")))
        if not self._is_name(name, within="") or str(name).startswith("__") or name in specified_scalar_types:
            return ""
        if keyword is None:
            self._log.add(f"The kind {str(of.get('kind'))[:40]!r} is unknown; the type is left out.", path=str(name))
            return ""
        head = f"{_description(of, indent='')}{keyword} {name}"
        if interfaces := self._names(of.get("interfaces"), within=str(name)):
            head += f" implements {' & '.join(interfaces)}"
        if keyword == "scalar" and isinstance(url := of.get("specifiedByURL"), str):
            head += f" @specifiedBy(url: {_string(url)})"
        if keyword == "union":
            members = self._names(of.get("possibleTypes"), within=str(name))
            return f"{head} = {' | '.join(members)}" if members else head
        if keyword == "input" and of.get("isOneOf") is True:
            head += " @oneOf"
        lines = [line for line in self._members(of, keyword=keyword, within=str(name)) if line]
        return f"{head} {{\n" + "\n".join(lines) + "\n}" if lines else head

    def _members(self, of: dict[str, Any], *, keyword: str, within: str) -> Iterable[str]:
        if keyword == "enum":
            return (self._enum_value(one, within=within) for one in _dicts(of.get("enumValues")))
        if keyword == "input":
            return (self._input(one, within=within, indent="  ") for one in _dicts(of.get("inputFields")))
        return (self._field(one, within=within) for one in _dicts(of.get("fields")))

    def _field(self, of: dict[str, Any], *, within: str) -> str:
        path, written = f"{within}.{of.get('name')}", self._reference(of, within=within)
        if not written:
            return ""
        arguments = [self._input(one, within=path, indent="    ") for one in _dicts(of.get("args"))]
        inside = "\n".join(one for one in arguments if one)
        head = f"{_description(of, indent='  ')}  {of['name']}"
        return f"{head}(\n{inside}\n  ): {written}" if inside else f"{head}: {written}"

    def _input(self, of: dict[str, Any], *, within: str, indent: str) -> str:
        written = self._reference(of, within=within)
        if not written:
            return ""
        return (
            f"{_description(of, indent=indent)}{indent}{of['name']}: {self._with_default(of, written, within=within)}"
        )

    def _enum_value(self, of: dict[str, Any], *, within: str) -> str:
        name = of.get("name")
        if name in _NO_ENUM_VALUES or not self._is_name(name, within=within):
            return ""
        return f"{_description(of, indent='  ')}  {name}{_deprecation(of)}"

    def _directive(self, of: dict[str, Any]) -> str:
        name = of.get("name")
        places = self._names([{"name": place} for place in of.get("locations") or ()], within=f"@{name}")
        if name in _BUILT_IN_DIRECTIVES or not places or not self._is_name(name, within="@"):
            return ""
        arguments = [self._input(one, within=f"@{name}", indent="  ") for one in _dicts(of.get("args"))]
        inside = "\n".join(one for one in arguments if one)
        repeatable = " repeatable" if of.get("isRepeatable") is True else ""
        head = f"{_description(of, indent='')}directive @{name}" + (f"(\n{inside}\n)" if inside else "")
        return f"{head}{repeatable} on {' | '.join(places)}"

    def _reference(self, of: dict[str, Any], *, within: str) -> str:
        """Write the type of a field or input with its deprecation. Returns nothing if a name in it is invalid."""
        if not self._is_name(of.get("name"), within=within):
            return ""
        wrappers: list[str] = []
        reference = of.get("type")
        while isinstance(reference, dict) and reference.get("ofType") is not None and len(wrappers) < MAX_WRAPPERS:
            wrappers.append(str(reference.get("kind")))
            reference = reference["ofType"]
        name = reference.get("name") if isinstance(reference, dict) else None
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            self._log.add("Its type is incomplete; it is left out.", path=f"{within}.{of['name']}")
            return ""
        for wrapper in reversed(wrappers):
            name = f"[{name}]" if wrapper == "LIST" else f"{name.rstrip('!')}!"
        return name + _deprecation(of)

    def _with_default(self, of: dict[str, Any], written: str, *, within: str) -> str:
        default = of.get("defaultValue")
        if not isinstance(default, str):
            return written
        try:
            parse_const_value(default, no_location=True)
        except (GraphQLError, RecursionError):
            self._log.add("Its default value cannot be parsed; it is left out.", path=f"{within}.{of['name']}")
            return written
        kind, directive, reason = written.partition(" @deprecated")
        return f"{kind} = {default}{directive}{reason}"

    def _names(self, listed: object, *, within: str) -> list[str]:
        return [str(one["name"]) for one in _dicts(listed) if self._is_name(one.get("name"), within=within)]

    def _is_name(self, name: object, *, within: str) -> bool:
        if isinstance(name, str) and _NAME.fullmatch(name):
            return True
        self._log.add(f"{str(name)[:80]!r} is no GraphQL name; it is left out.", path=within)
        return False


def _dicts(listed: object) -> list[dict[str, Any]]:
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _deprecation(of: dict[str, Any]) -> str:
    if of.get("isDeprecated") is not True:
        return ""
    reason = of.get("deprecationReason")
    return f" @deprecated(reason: {_string(reason)})" if isinstance(reason, str) else " @deprecated"


def _description(of: dict[str, Any], *, indent: str) -> str:
    said = of.get("description")
    return f"{indent}{_string(said)}\n" if isinstance(said, str) and said else ""


def _string(text: str) -> str:
    """Write a string. Every JSON escape is valid in GraphQL."""
    return orjson.dumps(text).decode()
