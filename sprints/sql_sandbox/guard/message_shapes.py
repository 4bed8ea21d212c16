"""What fields of the parser's messages hold, and their classes by name; looked up once, for walks over many nodes."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from postgast import pg_query_pb2

T = TypeVar("T")


@cache
def shape_of(field: FieldDescriptor) -> Literal["scalar", "one", "many"]:
    """Tell whether a field holds a value, a message or several messages."""
    if field.message_type is None:
        return "scalar"
    return "many" if field.is_repeated else "one"


def messages_of(by_name: Mapping[str, T]) -> dict[type, T]:
    """Give what stands under names of messages under their classes."""
    return {getattr(pg_query_pb2, name): value for name, value in by_name.items()}
