"""
What a document asks for, fragments spread out: depth, fields, aliases, list sizes, cost.

Every fragment is weighed once and its weight used wherever it is spread, so that a document which would be enormous
when written out costs no more to look at than its text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
)

from graphql_proxy.documents import Document

SIZE_ARGUMENTS = frozenset({"first", "last", "limit", "pageSize", "perPage", "take"})
_INTROSPECTION = frozenset({"__schema", "__type"})
_MOST = 10**15
"""Where counting ends: a document that spreads fragments inside each other can ask for more atoms than there are."""


class FragmentCycle(Exception):
    """A fragment contains itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What a selection asks for, once."""

    depth: int = 0
    roots: int = 0
    fields: int = 0
    aliases: int = 0
    cost: int = 0
    largest_list: int = 0
    introspects: bool = False

    def beside(self, other: "Weight") -> "Weight":
        """Give the weight of both."""
        return Weight(
            depth=max(self.depth, other.depth),
            roots=min(self.roots + other.roots, _MOST),
            fields=min(self.fields + other.fields, _MOST),
            aliases=min(self.aliases + other.aliases, _MOST),
            cost=min(self.cost + other.cost, _MOST),
            largest_list=max(self.largest_list, other.largest_list),
            introspects=self.introspects or other.introspects,
        )

    def or_else(self, other: "Weight") -> "Weight":
        """Give the worst of both, of which only one is run."""
        return Weight(
            depth=max(self.depth, other.depth),
            roots=max(self.roots, other.roots),
            fields=max(self.fields, other.fields),
            aliases=max(self.aliases, other.aliases),
            cost=max(self.cost, other.cost),
            largest_list=max(self.largest_list, other.largest_list),
            introspects=self.introspects or other.introspects,
        )

    def under(self, field: FieldNode, *, times: int, asked: int) -> "Weight":
        """Give the weight of a field that holds this, a number of times."""
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
    """What a document is weighed against: its variables, the schema where one is stored, the size of a plain list."""

    variables: Mapping[str, Any]
    schema: GraphQLSchema | None
    assumed_list_size: int


def weigh(document: Document, *, around: Surroundings) -> Weight:
    """Give the worst that any of the operations asks for; raises FragmentCycle."""
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
        self._defaults: dict[str, ValueNode] = {}

    def operation(self, operation: OperationDefinitionNode) -> Weight:
        self._defaults = {
            one.variable.name.value: one.default_value
            for one in operation.variable_definitions or ()
            if one.default_value
        }
        schema = self._around.schema
        root = schema.get_root_type(operation.operation) if schema else None
        return self._selection(operation.selection_set, root, is_sized=False)

    def weigh_fragment(self, name: str) -> None:
        """Weigh a fragment whose own spreads are weighed already."""
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
            total = total.beside(weight)
        return total

    def _field(self, field: FieldNode, parent: GraphQLNamedType | None, *, is_sized: bool) -> Weight:
        known = _field_of(parent, field.name.value)
        asked = self._asked_size(field)
        times, inner_is_sized = self._times(known, asked=asked, is_sized=is_sized)
        inner = Weight()
        if field.selection_set:
            named = get_named_type(known.type) if known else None
            inner = self._selection(field.selection_set, named, is_sized=inner_is_sized)
        return inner.under(field, times=times, asked=asked or 0)

    def _times(self, known: GraphQLField | None, *, asked: int | None, is_sized: bool) -> tuple[int, bool]:
        """Tell how often what is inside a field is answered, and whether a list below has its size from here."""
        is_list = known is not None and is_list_type(get_nullable_type(known.type))
        if asked is not None:
            return max(asked, 1), not is_list
        if is_list:
            return (1 if is_sized else self._around.assumed_list_size), False
        if known is not None and not SIZE_ARGUMENTS.isdisjoint(known.args):
            return self._around.assumed_list_size, True
        return 1, is_sized

    def _asked_size(self, field: FieldNode) -> int | None:
        sizes = [self._number(one.value) for one in field.arguments or () if one.name.value in SIZE_ARGUMENTS]
        return max((size for size in sizes if size is not None), default=None)

    def _number(self, value: ValueNode) -> int | None:
        if isinstance(value, IntValueNode):
            return int(value.value[:16])
        if not isinstance(value, VariableNode):
            return None
        name = value.name.value
        sent = self._around.variables.get(name)
        if isinstance(sent, int | float) and not isinstance(sent, bool):
            return int(min(max(sent, 0), _MOST))
        default = self._defaults.get(name)
        return int(default.value[:16]) if isinstance(default, IntValueNode) else None

    def _type(self, name: str) -> GraphQLNamedType | None:
        return self._around.schema.get_type(name) if self._around.schema else None


def _field_of(parent: GraphQLNamedType | None, name: str) -> GraphQLField | None:
    return parent.fields.get(name) if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else None


def _innermost_first(document: Document) -> list[str]:
    """Order fragments so that each comes after those it spreads; raises FragmentCycle."""
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
    """Name every fragment that is spread anywhere inside."""
    stack = [selection]
    while stack:
        for one in stack.pop().selections:
            if isinstance(one, FragmentSpreadNode):
                yield one.name.value
            elif isinstance(one, FieldNode | InlineFragmentNode) and one.selection_set:
                stack.append(one.selection_set)
