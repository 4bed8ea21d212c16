"""Fitting of stored documents to an upstream's schema: unknown parts are removed and named. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    REMOVE,
    ArgumentNode,
    DocumentNode,
    FieldNode,
    GraphQLSchema,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    VariableNode,
    Visitor,
    get_named_type,
    is_composite_type,
    print_ast,
    separate_operations,
    visit,
)


class MissingInSchema(Exception):
    """The schema lacks what the operation requires: `fields` of Query, or `arguments` that were set."""

    def __init__(self, *, fields: Iterable[str] = (), arguments: Iterable[str] = ()) -> None:
        super().__init__()
        self.fields = list(fields)
        self.arguments = list(arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDocument:
    """The operation to send, and what was removed from it."""

    query: str
    left_out: list[str]


def fit_document(
    document: DocumentNode,
    *,
    operation: str,
    needs: Iterable[str],
    given: Mapping[str, Any],
    schema: GraphQLSchema | None,
) -> FittedDocument:
    """
    Extract one operation of a document and remove what the schema does not know.

    `needs` are names of root fields, as the answer calls them; `given` the variables that have a value. Arguments whose
    variable has no value are dropped. Raises MissingInSchema, KeyError where there is no such operation.
    """
    one = separate_operations(document)[operation]
    if schema is None:
        return FittedDocument(query=print_ast(one), left_out=[])
    types = TypeInfo(schema)
    pruning = _Pruner(types, given=given)
    fitted: DocumentNode = visit(one, TypeInfoVisitor(types, pruning))
    _refuse_what_is_needed(one, fitted, needs=needs, pruning=pruning)
    fitted = separate_operations(fitted)[operation]  # without fragments that only what was left out had used
    return FittedDocument(query=print_ast(_without_unused_variables(fitted)), left_out=sorted(pruning.lacking))


class _Pruner(Visitor):
    """A visitor that removes unknown fields and arguments, and empty selections."""

    def __init__(self, types: TypeInfo, *, given: Mapping[str, Any]) -> None:
        super().__init__()
        self.types = types
        self.given = given
        self.lacking: set[str] = set()
        self.arguments: set[str] = set()

    def enter_field(self, node: FieldNode, *_: object) -> Any:
        """Remove a field that its type does not have."""
        parent = self.types.get_parent_type()
        if parent is not None and self.types.get_field_def() is None:
            self.lacking.add(f"{parent.name}.{node.name.value}")
            return REMOVE
        return None

    def leave_field(self, node: FieldNode, *_: object) -> Any:
        """Remove an object whose selection is empty."""
        of = self.types.get_type()
        is_object = of is not None and is_composite_type(get_named_type(of))
        return REMOVE if is_object and not (node.selection_set and node.selection_set.selections) else None

    def enter_argument(self, node: ArgumentNode, *_: object) -> Any:
        """Remove an argument without a value, and one that the field does not accept."""
        is_variable = isinstance(node.value, VariableNode)
        if is_variable and self.given.get(node.value.name.value) is None:  # type: ignore[attr-defined]  # as just asked
            return REMOVE
        if self.types.get_argument() is None and self.types.get_field_def() is not None:
            self.arguments.add(node.name.value)
            return REMOVE
        return None


def _refuse_what_is_needed(
    before: DocumentNode, after: DocumentNode, *, needs: Iterable[str], pruning: _Pruner
) -> None:
    left = _root_fields(after)
    named = _root_fields(before)
    missing = [named.get(name, name) for name in needs if name not in left]
    if missing:
        raise MissingInSchema(fields=dict.fromkeys(missing))
    if pruning.arguments:
        raise MissingInSchema(arguments=sorted(pruning.arguments))


def _root_fields(document: DocumentNode) -> dict[str, str]:
    """Return the root fields by their response keys."""
    return {
        (part.alias or part.name).value: part.name.value
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode)
        for part in definition.selection_set.selections
        if isinstance(part, FieldNode)
    }


class _Uses(Visitor):
    """A visitor that collects the used variables and skips declarations."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def enter_variable_definition(self, *_: object) -> Any:
        """Skip the declaration, which is not a use."""
        return False

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        """Record a use."""
        self.used.add(node.name.value)


class _Declarations(Visitor):
    """A visitor that removes declarations of unused variables."""

    def __init__(self, used: set[str]) -> None:
        super().__init__()
        self.used = used

    def enter_variable_definition(self, node: Any, *_: object) -> Any:
        """Remove an unused declaration."""
        return None if node.variable.name.value in self.used else REMOVE


def _without_unused_variables(document: DocumentNode) -> DocumentNode:
    uses = _Uses()
    visit(document, uses)
    fitted: DocumentNode = visit(document, _Declarations(uses.used))
    return fitted
