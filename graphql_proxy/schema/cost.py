"""
Cost of a document with its fragments expanded: depth, fields, aliases, list sizes.

Every fragment is weighed once and its weight is reused wherever it is spread. So a document that would be enormous when
expanded costs no more to analyse than its text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
)

from graphql_proxy.documents import Document

SIZE_NAMES = frozenset(
    {"first", "last", "limit", "count", "size", "take", "top", "n", "pagesize", "perpage", "rows", "max", "maxresults",
     "maxitems", "maxcount", "maxrows", "maxsize", "maxrecords", "maxentries", "maxnodes", "numresults"}
)  # fmt: skip
"""Names of arguments and input fields for a number of rows, in lower case, without underscores."""
MAX_INPUT_DEPTH = 4
_INTEGERS = re.compile(r"(?i)int|long|number|limit|count|size|decimal|float")
"""Scalars that can be a size: Int, and the APIs' own, such as PositiveInt or Limit."""
_CONDITIONS = re.compile(r"(?i)where|filter|condition|criteria")
"""Input objects that compare columns. A `count` in them is a value to compare with."""
_INTROSPECTION = frozenset({"__schema", "__type"})
_MOST = 10**15
"""The upper bound of weights, since nested fragments can grow exponentially."""


class FragmentCycle(Exception):
    """A fragment contains itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """The weight of a selection."""

    depth: int = 0
    roots: int = 0
    fields: int = 0
    aliases: int = 0
    cost: int = 0
    largest_list: int = 0
    introspects: bool = False

    def combine(self, other: "Weight") -> "Weight":
        """Return the sum of both."""
        return self._join(other, join=lambda one, two: min(one + two, _MOST))

    def or_else(self, other: "Weight") -> "Weight":
        """Return the maximum of both, of which only one is run."""
        return self._join(other, join=max)

    def _join(self, other: "Weight", *, join: Callable[[int, int], int]) -> "Weight":
        return Weight(
            depth=max(self.depth, other.depth),
            roots=join(self.roots, other.roots),
            fields=join(self.fields, other.fields),
            aliases=join(self.aliases, other.aliases),
            cost=join(self.cost, other.cost),
            largest_list=max(self.largest_list, other.largest_list),
            introspects=self.introspects or other.introspects,
        )

    def nest_under(self, field: FieldNode, *, times: int, asked: int) -> "Weight":
        """Return the weight of a field that contains this, times a list size."""
        return Weight(
            depth=self.depth + 1,
            roots=1,
            fields=min(self.fields + 1, _MOST),
            aliases=min(self.aliases + (field.alias is not None), _MOST),
            cost=min(1 + self.cost * times, _MOST),
            largest_list=max(self.largest_list, asked),
            introspects=self.introspects or field.name.value in _INTROSPECTION,
        )


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The context of a weight: variables, the schema if one is stored, the default size of a list."""

    variables: Mapping[str, Any]
    schema: GraphQLSchema | None
    assumed_list_size: int
    size_names: frozenset[str] = SIZE_NAMES


def read_size_names(more: str) -> frozenset[str]:
    """Return the known names of size arguments plus an upstream's own, which are separated by spaces."""
    return SIZE_NAMES | {_plain(name) for name in more.split()}


def weigh(document: Document, *, around: Surroundings) -> Weight:
    """Return the weight of the worst operation. Raises FragmentCycle."""
    scales = _Scales(document, around)
    for name in _innermost_first(document):
        scales.weigh_fragment(name)
    heaviest = Weight()
    for operation in document.operations:
        heaviest = heaviest.or_else(scales.operation(operation))
    return heaviest


class _Scales:
    """Weighs one document. A connection's `limit` is the size of the list inside it (`is_sized`)."""

    def __init__(self, document: Document, around: Surroundings) -> None:
        self._document = document
        self._around = around
        self._fragments: dict[tuple[str, bool], Weight] = {}
        self._defaults = {
            one.variable.name.value: one.default_value
            for operation in document.operations
            for one in operation.variable_definitions or ()
            if one.default_value
        }

    def operation(self, operation: OperationDefinitionNode) -> Weight:
        schema = self._around.schema
        root = schema.get_root_type(operation.operation) if schema else None
        return self._selection(operation.selection_set, root, is_sized=False)

    def weigh_fragment(self, name: str) -> None:
        """Weigh a fragment whose own spreads are already weighed."""
        fragment = self._document.fragments[name]
        parent = self._type(fragment.type_condition.name.value)
        for is_sized in (False, True):
            weight = self._selection(fragment.selection_set, parent, is_sized=is_sized)
            self._fragments[name, is_sized] = weight

    def _selection(self, selection: SelectionSetNode, parent: GraphQLNamedType | None, *, is_sized: bool) -> Weight:
        total = Weight()
        for one in selection.selections:
            if isinstance(one, FieldNode):
                weight = self._field(one, parent, is_sized=is_sized)
            elif isinstance(one, FragmentSpreadNode):
                weight = self._fragments.get((one.name.value, is_sized), Weight())
            elif isinstance(one, InlineFragmentNode):
                inner = self._type(one.type_condition.name.value) if one.type_condition else parent
                weight = self._selection(one.selection_set, inner, is_sized=is_sized)
            total = total.combine(weight)
        return total

    def _field(self, field: FieldNode, parent: GraphQLNamedType | None, *, is_sized: bool) -> Weight:
        known = _field_of(parent, field.name.value)
        asked = self._asked_size(field, known)
        times, inner_is_sized = self._times(known, asked=asked, is_sized=is_sized)
        inner = Weight()
        if field.selection_set:
            named = get_named_type(known.type) if known else None
            inner = self._selection(field.selection_set, named, is_sized=inner_is_sized)
        return inner.nest_under(field, times=times, asked=asked or 0)

    def _times(self, known: GraphQLField | None, *, asked: int | None, is_sized: bool) -> tuple[int, bool]:
        """Return how often the content of a field is repeated, and whether the size applies to a list below."""
        is_list = known is not None and is_list_type(get_nullable_type(known.type))
        if asked is not None:
            return max(asked, 1), not is_list
        if is_list:
            return (1 if is_sized else self._around.assumed_list_size), False
        if known is not None and any(self._is_size(name, of.type) for name, of in known.args.items()):
            return self._around.assumed_list_size, True
        return 1, is_sized

    def _asked_size(self, field: FieldNode, known: GraphQLField | None) -> int | None:
        """
        Return the largest size among a field's arguments, including input objects; else the schema's default.

        A leaf has no rows, so its arguments are no sizes.
        """
        if field.selection_set is None:
            return None
        arguments = {one.name.value: one.value for one in field.arguments or ()}
        sizes: list[int] = []
        for name, value in arguments.items():
            of = known.args.get(name) if known else None
            sizes += self._sizes(name, self._plain_value(value), of=of.type if of else None)
        for name, of in known.args.items() if known else ():
            node = of.ast_node.default_value if of.ast_node else None
            if name not in arguments and node is not None:
                sizes += self._sizes(name, self._plain_value(node), of=of.type)
        return max(sizes, default=None)

    def _sizes(self, name: str, value: Any, *, of: GraphQLInputType | None, depth: int = 0) -> list[int]:
        """Return the sizes in a value: its own number if its name is a size's, else those of its fields."""
        if isinstance(value, Mapping):
            if depth >= MAX_INPUT_DEPTH or _CONDITIONS.search(name):
                return []
            fields = get_named_type(of).fields if isinstance(get_named_type(of), GraphQLInputObjectType) else {}  # type: ignore[union-attr]
            found = []
            for key, part in value.items():
                inner = fields.get(key)
                found += self._sizes(str(key), part, of=inner.type if inner else None, depth=depth + 1)
            return found
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not self._is_size(name, of):
            return []
        return [int(min(max(value, 0), _MOST))]

    def _is_size(self, name: str, of: GraphQLInputType | None) -> bool:
        """Return whether an argument is a number of rows. With a schema, it must be numeric."""
        if _plain(name) not in self._around.size_names:
            return False
        if of is None:
            return True
        return isinstance(get_named_type(of), GraphQLScalarType) and bool(_INTEGERS.search(get_named_type(of).name))

    def _plain_value(self, node: ValueNode, *, depth: int = 0) -> Any:
        """Return the value of an argument: numbers and objects, with variables replaced. None for the rest."""
        if isinstance(node, IntValueNode):
            return int(node.value[:16])
        if isinstance(node, VariableNode):
            name = node.name.value
            if self._around.variables.get(name) is not None:
                return self._around.variables[name]
            default = self._defaults.get(name)
            return self._plain_value(default, depth=depth + 1) if default else None
        if isinstance(node, ObjectValueNode) and depth < MAX_INPUT_DEPTH:
            return {one.name.value: self._plain_value(one.value, depth=depth + 1) for one in node.fields}
        return None

    def _type(self, name: str) -> GraphQLNamedType | None:
        return self._around.schema.get_type(name) if self._around.schema else None


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _field_of(parent: GraphQLNamedType | None, name: str) -> GraphQLField | None:
    return parent.fields.get(name) if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else None


def _innermost_first(document: Document) -> list[str]:
    """Order fragments topologically, so that each comes after those it spreads. Raises FragmentCycle."""
    waiting = {
        name: {spread for spread in _spreads(fragment.selection_set) if spread in document.fragments}
        for name, fragment in document.fragments.items()
    }
    order: list[str] = []
    while waiting:
        ready = [name for name, spreads in waiting.items() if not spreads]
        if not ready:
            raise FragmentCycle(", ".join(sorted(waiting)[:5]))
        order += ready
        waiting = {name: spreads.difference(ready) for name, spreads in waiting.items() if spreads}
    return order


def _spreads(selection: SelectionSetNode) -> Iterator[str]:
    """Return the name of every fragment that is spread inside."""
    stack = [selection]
    while stack:
        for one in stack.pop().selections:
            if isinstance(one, FragmentSpreadNode):
                yield one.name.value
            elif isinstance(one, FieldNode | InlineFragmentNode) and one.selection_set:
                stack.append(one.selection_set)
