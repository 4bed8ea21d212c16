"""A schema's text into a schema; pure. Text is SDL, or the JSON that an introspection query answers."""

import hashlib
from typing import Any, Literal

import orjson
from graphql import (
    GraphQLError,
    GraphQLSchema,
    build_ast_schema,
    build_client_schema,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate_schema,
)

MAX_SCHEMA_BYTES = 16_777_216

Form = Literal["sdl", "introspection"]


class NotASchema(ValueError):
    """The text is no GraphQL schema; the message says what is wrong with it."""


def form_of(text: str) -> Form:
    """Tell in which of the two forms a schema is written."""
    return "introspection" if text.lstrip("\ufeff \t\r\n").startswith("{") else "sdl"


def read_schema(text: str) -> GraphQLSchema:
    """Read a schema and check it whole; raises NotASchema."""
    if len(text) > MAX_SCHEMA_BYTES:
        raise NotASchema(f"a schema has at most {MAX_SCHEMA_BYTES:,} characters; this has {len(text):,}")
    try:
        schema = _from_introspection(text) if form_of(text) == "introspection" else _from_sdl(text)
    except (GraphQLError, TypeError, ValueError, LookupError, AttributeError, RecursionError) as wrong:
        raise NotASchema(f"this is no GraphQL schema: {_one_line(wrong)}") from wrong
    if mistakes := validate_schema(schema):
        raise NotASchema(f"the schema contradicts itself: {_one_line(mistakes[0])}")
    return schema


def read_stored(sdl: str) -> GraphQLSchema:
    """Read SDL that was checked when it was stored, without checking it again."""
    return build_ast_schema(parse(sdl, no_location=True), assume_valid=True, assume_valid_sdl=True)


def written(schema: GraphQLSchema) -> str:
    """Write a schema down as SDL, always alike."""
    return print_schema(schema)


def in_order(schema: GraphQLSchema) -> str:
    """Write a schema down by the alphabet: a server and a file may list the same types in other orders."""
    return print_schema(lexicographic_sort_schema(schema))


def digest(sdl: str) -> str:
    """Give the SHA-256 of a schema definition."""
    return hashlib.sha256(sdl.encode()).hexdigest()


def _from_sdl(text: str) -> GraphQLSchema:
    return build_ast_schema(parse(text.lstrip("\ufeff"), no_location=True))


def _from_introspection(text: str) -> GraphQLSchema:
    document: Any = orjson.loads(text.lstrip("\ufeff"))
    answer = document.get("data") or document
    if not isinstance(answer, dict) or "__schema" not in answer:
        raise ValueError("JSON without __schema: give what an introspection query answers")
    return build_client_schema(answer)  # type: ignore[arg-type]  # whatever else is wrong, it says itself


def _one_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error} is missing"
    message = error.message if isinstance(error, GraphQLError) else str(error)
    return " ".join(message.split())[:500]
