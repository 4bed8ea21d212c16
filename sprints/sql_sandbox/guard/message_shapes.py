"""Shapes and classes of the parser's message fields, cached for walks over many nodes."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from postgast import pg_query_pb2

T = TypeVar("T")


@cache
def shape_of(field: FieldDescriptor) -> Literal["scalar", "one", "many"]:
    """Return the shape of a field: a value, a message or several messages."""
    if field.message_type is None:
        return "scalar"
    return "many" if field.is_repeated else "one"


def messages_of(by_name: Mapping[str, T]) -> dict[type, T]:
    """Map the names of messages to their classes."""
    return {getattr(pg_query_pb2, name): value for name, value in by_name.items()}
