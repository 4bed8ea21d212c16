"""A row's JSON Schema of parameters as an input model; pure. A small, plain part of JSON Schema is taken."""

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from toolbox.contract import Question, WholeNumber

MOST_PARAMETERS = 30

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": WholeNumber,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
}
_BOUNDS = {"minimum": "ge", "maximum": "le", "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
_KNOWN = {"type", "description", "enum", "items", "default", *_BOUNDS}


class NoParameters(ValueError):
    """The schema cannot be offered as parameters; the message says why."""


def question_model(name: str, *, schema: Any) -> type[Question]:
    """Make the input model of a tool; raises NoParameters."""
    if not isinstance(schema, dict) or set(schema) - {"type", "properties", "required", "additionalProperties"}:
        raise NoParameters('the parameters must read {"type": "object", "properties": {...}, "required": [...]}')
    if schema.get("type", "object") != "object":
        raise NoParameters('the parameters must read {"type": "object", ...}')
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > MOST_PARAMETERS:
        raise NoParameters(f"properties is an object of at most {MOST_PARAMETERS}, required a list of names")
    if strangers := [key for key in required if key not in properties]:
        raise NoParameters(f"required names {strangers[0]!r}, which is no property")
    fields = {
        f"parameter_{number}": _field(key, part, is_required=key in required)
        for number, (key, part) in enumerate(properties.items())
    }
    made: type[Question] = create_model(f"Parameters of {name}", __base__=Question, **fields)  # type: ignore[call-overload]
    made.__doc__ = "Parameters."
    return made


def _field(name: str, part: Any, *, is_required: bool) -> tuple[Any, Any]:
    if not isinstance(part, dict) or not part.get("description"):
        raise NoParameters(f"{name} needs a description")
    if unknown := set(part) - _KNOWN:
        raise NoParameters(f"{name}: {sorted(unknown)[0]} is not understood here")
    kind = _kind(name, part)
    bounds = {option: part[keyword] for keyword, option in _BOUNDS.items() if keyword in part}
    if bounds:
        kind = Annotated[kind, Field(**bounds)]
    if is_required:
        return kind, Field(alias=name, description=part["description"])
    default = part.get("default")
    return (kind if default is not None else kind | None), Field(default, alias=name, description=part["description"])


def _kind(name: str, part: dict[str, Any]) -> Any:
    if "enum" in part:
        choices = part["enum"]
        if not isinstance(choices, list) or not choices or not all(isinstance(one, str | int) for one in choices):
            raise NoParameters(f"{name}: enum is a list of words or whole numbers")
        return Literal[tuple(choices)]
    if part.get("type") == "array":
        return list[_kind(f"{name}[]", part.get("items", {}))]  # type: ignore[misc]  # a type that is known only now
    if part.get("type") not in _TYPES:
        raise NoParameters(f"{name}: type is one of {', '.join(_TYPES)}, array")
    return _TYPES[part["type"]]
