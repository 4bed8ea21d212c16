"""Types at every node of a document."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphql import (
    ArgumentNode,
    DirectiveNode,
    DocumentNode,
    FieldNode,
    GraphQLArgument,
    GraphQLCompositeType,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    Node,
    TypeInfo,
    Visitor,
    get_named_type,
    is_composite_type,
    visit,
)
from graphql.type import GraphQLOutputType


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node, its ancestors from the document inwards, and the types there."""

    node: Node
    around: tuple[Node, ...]
    parent_type: GraphQLCompositeType | None
    field: GraphQLField | None
    output_type: GraphQLOutputType | None
    argument: GraphQLArgument | None
    input_type: GraphQLInputType | None
    object_type: GraphQLInputType | None

    def find_enclosing(self, *kinds: type[Node]) -> Node | None:
        """Return the nearest ancestor of a kind."""
        return next((node for node in reversed(self.around) if isinstance(node, kinds)), None)


class Places:
    """Every place of one document, by its node."""

    def __init__(self, document: DocumentNode, *, schema: GraphQLSchema) -> None:
        types = TypeInfo(schema)
        collector = _Collector(types)
        visit(document, collector)
        self._found = collector.found

    def find(self, node: Node) -> Place | None:
        """Return the place of a node."""
        return self._found.get(id(node))

    def all_of(self, kind: type[Node]) -> Iterator[Place]:
        """Return the places of a kind of node, in document order."""
        return (place for place in self._found.values() if isinstance(place.node, kind))


class _Collector(Visitor):
    """A visitor that records what TypeInfo knows when it enters each node."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self.types = types
        self.found: dict[int, Place] = {}
        self.around: list[Node] = []

    def enter(self, node: Node, *_: object) -> None:
        """Record a node."""
        types = self.types
        types.enter(node)
        self.found[id(node)] = Place(
            node=node,
            around=tuple(self.around),
            parent_type=types.get_parent_type(),
            field=types.get_field_def(),
            output_type=types.get_type(),
            argument=types.get_argument(),
            input_type=types.get_input_type(),
            object_type=types.get_parent_input_type(),
        )
        self.around.append(node)

    def leave(self, node: Node, *_: object) -> None:
        """Leave a node."""
        self.around.pop()
        self.types.leave(node)


def fields_of(kind: object) -> dict[str, Any]:
    """Return the fields of an object, interface or input object. Any other type has none."""
    if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
        fields: dict[str, Any] = kind.fields
        return fields
    return {}


def members_of(kind: GraphQLNamedType) -> dict[str, Any]:
    """Return the fields of a type, or the values of an enum."""
    return dict(kind.values) if isinstance(kind, GraphQLEnumType) else fields_of(kind)


def is_object(kind: object) -> bool:
    """Return whether a type needs a selection."""
    return is_composite_type(get_named_type(kind))  # type: ignore[call-overload]  # any type, or none


def arguments_of(node: Node | None) -> tuple[ArgumentNode, ...]:
    """Return the arguments of a field or directive."""
    return node.arguments or () if isinstance(node, FieldNode | DirectiveNode) else ()


def selected_fields(node: FieldNode) -> list[FieldNode]:
    """Return the fields that are selected directly below a field."""
    return [part for part in node.selection_set.selections if isinstance(part, FieldNode)] if node.selection_set else []
