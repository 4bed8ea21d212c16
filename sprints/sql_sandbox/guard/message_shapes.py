"""Kinds and values of the parser's messages, as walks over many nodes tell them apart."""

from collections.abc import Mapping
from typing import TypeVar

from postgast import pg_query_pb2

T = TypeVar("T")

MANY = type(pg_query_pb2.SelectStmt().target_list)
"""The class of a field with several messages. Whatever is neither this nor of SCALARS is one message."""
SCALARS = frozenset({int, str, bool, float, bytes, type(pg_query_pb2.RTEPermissionInfo().selected_cols)})


def messages_of(by_name: Mapping[str, T]) -> dict[type, T]:
    """Map the names of messages to their classes."""
    return {getattr(pg_query_pb2, name): value for name, value in by_name.items()}


def kinds_of(by_name: Mapping[str, T]) -> dict[str, T]:
    """Map the kinds of a Node, which are fields of it, to what their message's name is mapped to."""
    fields = pg_query_pb2.Node.DESCRIPTOR.fields
    return {field.name: by_name[field.message_type.name] for field in fields if field.message_type.name in by_name}
