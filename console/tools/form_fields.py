"""Make a form from a tool's input schema, and arguments from what was typed into it."""

from dataclasses import dataclass, field
from typing import Any

import orjson
from django.utils.safestring import SafeString

from console.markdown import render_markdown_line
from toolbox.catalogue.documentation import describe_property, describe_type
from toolbox.contract.json_schema import Schema

NUMBERS = ("integer", "number")
LONG_TEXTS = (
    "query", "sql", "failedSql", "naturalLanguageQuery", "originalQuery", "errorMessage", "errorDescription",
    "rootCause", "solution",
)  # fmt: skip
SHORT = 300
"""Parameters limited to this many characters have one line, whatever their name."""
LINE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter in a form; `control` is select, number, date, text, long or json."""

    name: str
    control: str
    hint: SafeString
    kind: str
    value: str = ""
    is_required: bool = False
    choices: list[tuple[str, str]] = field(default_factory=list)
    least: Any = None
    most: Any = None
    step: str = "any"
    why: str = ""


def make_fields(schema: Schema, *, values: dict[str, Any], wrong: str = "", why: str = "") -> list[Field]:
    """Return the form's fields, filled in; the one named `wrong` shows `why`."""
    required = schema.get("required", [])
    return [
        Field(
            name=name,
            control=choose_control(part, name=name, value=_text(values.get(name))),
            hint=render_markdown_line(describe_property(part)),
            kind=describe_type(part) if "enum" not in part else "one of these",
            value=_text(values.get(name)),
            is_required=name in required,
            choices=_choices(part, is_required=name in required),
            least=part.get("minimum"),
            most=part.get("maximum"),
            step="1" if "integer" in _types(part) or part.get("multipleOf") == 1 else "any",
            why=why if name == wrong else "",
        )
        for name, part in schema.get("properties", {}).items()
    ]


def read_arguments(schema: Schema, *, values: dict[str, str]) -> dict[str, Any]:
    """Return the typed arguments; empty fields are left out, and text that does not parse is passed on unchanged."""
    typed = {
        name: _value(part, text=values.get(name, ""), name=name) for name, part in schema.get("properties", {}).items()
    }
    return {name: value for name, value in typed.items() if value is not None}


def choose_control(part: Schema, *, name: str, value: str = "") -> str:
    """Return the control of a parameter; texts that are or may be long get several lines, which keep line breaks."""
    types = _types(part)
    if "enum" in part or "boolean" in types:
        return "select"
    if "array" in types or "object" in types or not types:
        return "json"
    if any(number in types for number in NUMBERS):
        return "number"
    if len(value) > LINE or "\n" in value or (name in LONG_TEXTS and part.get("maxLength", SHORT + 1) > SHORT):
        return "long"
    return "date" if part.get("pattern") == r"^\d{4}-\d{2}-\d{2}$" or part.get("format") == "date" else "text"


def _types(part: Schema) -> list[str]:
    types = part.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _choices(part: Schema, *, is_required: bool) -> list[tuple[str, str]]:
    if "boolean" in _types(part):
        return [("", "not given"), ("true", "true"), ("false", "false")]
    given = [str(value) for value in part.get("enum", []) if value is not None]
    return [("", "choose one" if is_required else "not given"), *((value, value) for value in given)] if given else []


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _value(part: Schema, *, text: str, name: str) -> Any:
    if not text.strip():
        return None
    if choose_control(part, name=name) in ("number", "json") or "boolean" in _types(part):
        try:
            return orjson.loads(text)
        except ValueError:
            return text
    return text.replace("\r\n", "\n")
