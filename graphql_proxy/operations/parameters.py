"""A row's JSON Schema of parameters as an input model. Only a small subset of JSON Schema is supported. Pure."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, create_model
from pydantic_core import SchemaError

from toolbox.contract.models import ToolInput, WholeNumber

MAX_PARAMETERS = 30
MAX_NESTING = 3

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": WholeNumber,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
}
_NUMBER_BOUNDS = {"minimum": "ge", "maximum": "le"}
_TEXT_BOUNDS = {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
_BOUNDS = {"integer": _NUMBER_BOUNDS, "number": _NUMBER_BOUNDS, "string": _TEXT_BOUNDS}
_ALL_BOUNDS = {*_NUMBER_BOUNDS, *_TEXT_BOUNDS}
_KNOWN = {"type", "description", "enum", "items", "default", *_ALL_BOUNDS}


class NoParameters(ValueError):
    """The schema cannot be offered as parameters; the message says why."""


def question_model(name: str, *, schema: Any) -> type[ToolInput]:
    """Make the input model of a tool; raises NoParameters."""
    if not isinstance(schema, dict) or set(schema) - {"type", "properties", "required", "additionalProperties"}:
        raise NoParameters('the parameters must read {"type": "object", "properties": {...}, "required": [...]}')
    if schema.get("type", "object") != "object":
        raise NoParameters('the parameters must read {"type": "object", ...}')
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > MAX_PARAMETERS:
        raise NoParameters(f"properties is an object of at most {MAX_PARAMETERS}, required a list of names")
    if strangers := [key for key in required if not isinstance(key, str) or key not in properties]:
        raise NoParameters(f"required names {strangers[0]!r}, which is no property")
    fields = {
        f"parameter_{number}": _field(key, part, is_required=key in required)
        for number, (key, part) in enumerate(properties.items())
    }
    made: type[ToolInput] = create_model(f"Parameters of {name}", __base__=ToolInput, **fields)  # type: ignore[call-overload]
    made.__doc__ = "Parameters."
    return made


def _field(name: str, part: Any, *, is_required: bool) -> tuple[Any, Any]:
    if not isinstance(part, dict) or not part.get("description") or not isinstance(part["description"], str):
        raise NoParameters(f"{name} needs a description")
    if unknown := set(part) - _KNOWN:
        raise NoParameters(f"{name}: {sorted(unknown)[0]} is not understood here")
    kind = _bound_type(name, part)
    if is_required:
        return kind, Field(alias=name, description=part["description"])
    default = part.get("default")
    return (kind if default is not None else kind | None), Field(default, alias=name, description=part["description"])


def _bound_type(name: str, part: dict[str, Any]) -> Any:
    """Return the type with its bounds, after checking that they and the default are valid."""
    kind = _kind(name, part)
    taken = {} if "enum" in part else _BOUNDS.get(part["type"], {})
    given = [keyword for keyword in part if keyword in _ALL_BOUNDS]
    if strangers := [keyword for keyword in given if keyword not in taken]:
        raise NoParameters(f"{name}: {strangers[0]} does not go with its type")
    if odd := [keyword for keyword in given if keyword in _NUMBER_BOUNDS and not _is_number(part[keyword])]:
        raise NoParameters(f"{name}: {odd[0]} is a number")
    if given:
        kind = Annotated[kind, Field(**{taken[keyword]: part[keyword] for keyword in given})]
    try:
        whole = TypeAdapter(kind)
        if part.get("default") is not None:
            whole.validate_python(part["default"])
    except SchemaError as unusable:
        raise NoParameters(f"{name}: {' or '.join(given)} cannot be used") from unusable
    except ValidationError as unfit:
        raise NoParameters(f"{name}: the default does not fit: {unfit.errors()[0]['msg']}") from unfit
    return kind


def _kind(name: str, part: Any, *, nesting: int = 0) -> Any:
    if "enum" in part:
        choices = part["enum"]
        if not isinstance(choices, list) or not choices or not all(isinstance(one, str | int) for one in choices):
            raise NoParameters(f"{name}: enum is a list of words or whole numbers")
        return Literal[tuple(choices)]
    kind = part.get("type")
    if kind == "array" and isinstance(part.get("items", {}), dict) and nesting < MAX_NESTING:
        return list[_kind(f"{name}[]", part.get("items", {}), nesting=nesting + 1)]  # type: ignore[misc]  # known only now
    if not isinstance(kind, str) or kind not in _TYPES:
        raise NoParameters(f"{name}: type is one of {', '.join(_TYPES)}, array")
    return _TYPES[kind]


def _is_number(bound: Any) -> bool:
    return isinstance(bound, int | float) and not isinstance(bound, bool)
