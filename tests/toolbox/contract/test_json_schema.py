"""Golden pairs: what a model says in Python, and the JSON Schema that an agent reads."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter

from toolbox.contract.json_schema import find_undescribed, make_input_schema, make_output_schema, strip_descriptions
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber


class Place(ToolOutput):
    """A place."""

    city: str = Field(description="The city.")
    zip_code: str | None = Field(None, description="The code.")


class Everything(ToolInput):
    """Parameters of every kind."""

    word: str = Field(description="A word.")
    maybe: str | None = Field(None, description="A word, or none.")
    number: int = Field(5, ge=1, le=9, description="A number.")
    whole: Annotated[WholeNumber, Field(ge=1, le=9)] = Field(5, description="Whole.")
    choice: Literal["a", "b"] | None = Field(None, description="A choice.")
    many: list[str] = Field(default=[], max_length=3, description="Words.")
    either: Annotated[int | str, Field(description="A number or a word.")] = 0
    old: str | None = Field(None, deprecated=True, description="A word.")
    required_or_null: str | None = Field(description="A word or null, but said.")


class Answer(ToolOutput):
    """An answer with parts."""

    place: Place = Field(description="Where.")
    places: list[Place] = Field(description="Where else.")
    by_name: dict[str, Place] = Field(description="By name.")
    perhaps: Place | None = Field(None, description="Where, if anywhere.")
    level: Literal["low", "high"] | None = Field(None, description="How much.")


PARAMETERS: dict[str, dict[str, Any]] = {
    "word": {"type": "string", "description": "A word."},
    "maybe": {"type": ["string", "null"], "description": "A word, or none."},
    "number": {"type": "integer", "default": 5, "minimum": 1, "maximum": 9, "description": "A number."},
    "whole": {"type": "integer", "default": 5, "minimum": 1, "maximum": 9, "description": "Whole."},
    "choice": {"type": ["string", "null"], "enum": ["a", "b", None], "description": "A choice."},
    "many": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": [], "description": "Words."},
    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 0, "description": "A number or a word."},
    "old": {"type": ["string", "null"], "description": "[DEPRECATED] A word."},
    "requiredOrNull": {"type": ["string", "null"], "description": "A word or null, but said."},
}
PLACE = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The city."},
        "zip_code": {"type": ["string", "null"], "description": "The code."},
    },
    "required": ["city"],
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_is_published_small_and_readable(name: str) -> None:
    assert make_input_schema(Everything)["properties"][name] == PARAMETERS[name]


def test_parameters_are_closed_and_the_required_ones_named() -> None:
    schema = make_input_schema(Everything)

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["word", "requiredOrNull"]
    assert list(schema["properties"]) == list(PARAMETERS)


@pytest.mark.parametrize(
    ("name", "path"), [("place", []), ("places", ["items"]), ("by_name", ["additionalProperties"])]
)
def test_a_part_stands_in_place_of_its_reference(name: str, path: list[str]) -> None:
    part = make_output_schema(TypeAdapter(Answer))["properties"][name]
    for step in path:
        part = part[step]

    assert {key: part[key] for key in PLACE} == PLACE


def test_nothing_of_pydantic_s_machinery_is_left() -> None:
    text = str(make_output_schema(TypeAdapter(Answer))) + str(make_input_schema(Everything))

    assert "$ref" not in text
    assert "$defs" not in text
    assert "'title'" not in text


def test_an_answer_s_part_may_be_null_where_it_may_be_absent() -> None:
    properties = make_output_schema(TypeAdapter(Answer))["properties"]

    assert properties["level"]["type"] == ["string", "null"]
    assert properties["level"]["enum"] == ["low", "high", None]
    assert properties["perhaps"]["type"] == ["object", "null"]


def test_what_may_be_absent_is_not_required_and_what_may_not_is() -> None:
    assert make_output_schema(TypeAdapter(Answer))["required"] == ["place", "places", "by_name"]


def test_an_answer_need_be_no_object() -> None:
    assert make_output_schema(TypeAdapter(list[int])) == {"type": "array", "items": {"type": "integer"}}
    assert make_output_schema(TypeAdapter(str)) == {"type": "string"}


def test_a_parameter_named_title_keeps_its_name() -> None:
    class Book(ToolInput):
        title: str = Field(description="The title.")
        properties: str = Field(description="The properties.")

    schema = make_input_schema(Book)

    assert list(schema["properties"]) == ["title", "properties"]
    assert schema["properties"]["title"] == {"type": "string", "description": "The title."}


def test_every_bare_property_is_named_with_its_path() -> None:
    schema = {
        "properties": {
            "bare": {"type": "string"},
            "said": {"description": "said", "type": "object", "properties": {"inner": {"type": "string"}}},
            "list": {"description": "said", "items": {"properties": {"deep": {}}}},
            "either": {"description": "said", "anyOf": [{"properties": {"one": {}}}, {"type": "null"}]},
        }
    }

    assert list(find_undescribed(schema)) == ["bare", "said.inner", "list[].deep", "either.one"]


def test_a_shape_has_no_words_but_a_property_may_be_named_description() -> None:
    schema = {
        "description": "A thing.",
        "properties": {"description": {"type": "string", "description": "What it is."}},
        "anyOf": [{"description": "One.", "items": {"description": "Each.", "const": {"description": "kept"}}}],
    }

    assert strip_descriptions(schema) == {
        "properties": {"description": {"type": "string"}},
        "anyOf": [{"items": {"const": {"description": "kept"}}}],
    }
