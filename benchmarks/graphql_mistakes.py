"""Recorded mistakes of models against GraphQL APIs: load them, and judge a fix for one."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLSchema,
    GraphQLSyntaxError,
    IntValueNode,
    NameNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Visitor,
    build_schema,
    parse,
    print_ast,
    validate,
    visit,
)

FOLDER = Path(__file__).parents[1] / "graphql_proxy/samples/mistakes"

Verdict = Literal["right", "wrong", "silent"]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One request that a server refused, its error, and the expected fix."""

    id: str
    server: str
    schema: str
    document: str
    variables: dict[str, Any] | None
    operation_name: str | None
    status: int
    answer: dict[str, Any]
    rule: str
    documents: tuple[str, ...]
    right_variables: dict[str, Any] | None
    right_operation_name: str | None
    is_required: bool
    any_integer: tuple[str, ...]
    any_selection: tuple[str, ...]
    hint_names: tuple[str, ...]

    @property
    def expects_change(self) -> bool:
        """Return whether the record has a fix."""
        return bool(self.documents or self.right_variables is not None or self.right_operation_name)


def load_mistakes(folder: Path = FOLDER) -> list[Mistake]:
    """Load every `mistakes_*.jsonl` of a folder."""
    lines = (line for path in sorted(folder.glob("mistakes_*.jsonl")) for line in path.read_text().splitlines())
    return [_read(json.loads(line)) for line in lines]


@cache
def load_schema(name: str) -> GraphQLSchema:
    """Build the schema of that name, once."""
    return build_schema((FOLDER / f"{name}.graphql").read_text())


def judge_offer(mistake: Mistake, offered: Mapping[str, Any] | None, *, schema: GraphQLSchema) -> Verdict:
    """
    Judge a fix's arguments: `query`, `variables`, `operationName`, whichever of them change.

    Each must be as the record expects; everything else must stay unchanged. If no fix is expected, any is wrong. No fix
    is right then, and also where the fix is a matter of opinion (`is_required` is false).
    """
    if not offered:
        return "silent" if mistake.is_required else "right"
    request: dict[str, Any] = {
        "query": mistake.document,
        "variables": mistake.variables,
        "operationName": mistake.operation_name,
    }
    if not offered.keys() <= request.keys() or not mistake.expects_change:
        return "wrong"
    retry = {**request, **offered}
    is_right = (
        retry["variables"] == (mistake.variables if mistake.right_variables is None else mistake.right_variables)
        and retry["operationName"] == (mistake.right_operation_name or mistake.operation_name)
        and _is_right_document(retry["query"], mistake=mistake, schema=schema)
    )
    return "right" if is_right else "wrong"


def _is_right_document(offered: str, *, mistake: Mistake, schema: GraphQLSchema) -> bool:
    try:
        found = normalize_document(offered, mistake=mistake)
    except GraphQLSyntaxError:
        return False
    wanted = {normalize_document(document, mistake=mistake) for document in mistake.documents or (mistake.document,)}
    return found in wanted and not validate(schema, parse(offered))


def find_unnamed(mistake: Mistake, hints: Iterable[str]) -> list[str]:
    """Return the names that a hint must mention and none does."""
    text = "\n".join(hints)
    return [name for name in mistake.hint_names if name not in text]


def normalize_document(document: str, *, mistake: Mistake) -> str:
    """Print a document so that order, whitespace and free choices do not matter."""
    tree = visit(parse(document, no_location=True), _Canonical(mistake))
    return print_ast(tree)


class _Canonical(Visitor):
    """Sort what has no order; replace free integers by 1 and free selections by `__typename`."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__()
        self.mistake = mistake
        self.path: list[str] = []

    def enter_field(self, node: FieldNode, *_: object) -> None:
        self.path.append(node.name.value)

    def leave_field(self, node: FieldNode, *_: object) -> FieldNode:
        is_free = ".".join(self.path) in self.mistake.any_selection
        self.path.pop()
        selection = node.selection_set
        if is_free and selection is not None and _has_leaves_alone(selection):
            selection = replace(selection, selections=(_TYPENAME,))
        return replace(node, arguments=_sorted(node.arguments), selection_set=selection)

    def leave_argument(self, node: ArgumentNode, *_: object) -> ArgumentNode:
        if node.name.value in self.mistake.any_integer and isinstance(node.value, IntValueNode):
            return replace(node, value=IntValueNode(value="1"))
        return node

    def leave_selection_set(self, node: SelectionSetNode, *_: object) -> SelectionSetNode:
        return replace(node, selections=_sorted(node.selections))

    def leave_operation_definition(self, node: OperationDefinitionNode, *_: object) -> OperationDefinitionNode:
        return replace(node, variable_definitions=_sorted(node.variable_definitions))

    def leave_document(self, node: DocumentNode, *_: object) -> DocumentNode:
        operations = [part for part in node.definitions if not isinstance(part, FragmentDefinitionNode)]
        fragments = [part for part in node.definitions if isinstance(part, FragmentDefinitionNode)]
        return replace(node, definitions=(*operations, *_sorted(fragments)))


_TYPENAME = FieldNode(name=NameNode(value="__typename"))


def _sorted(nodes: Iterable[Any] | None) -> tuple[Any, ...]:
    return tuple(sorted(nodes or (), key=print_ast))


def _has_leaves_alone(selection: SelectionSetNode) -> bool:
    return all(isinstance(part, FieldNode) and part.selection_set is None for part in selection.selections)


def _read(record: dict[str, Any]) -> Mistake:
    expected = record["expected"]
    return Mistake(
        documents=tuple(expected["documents"]),
        right_variables=expected.get("variables"),
        right_operation_name=expected.get("operation_name"),
        is_required=expected["required"],
        any_integer=tuple(expected.get("any_integer", ())),
        any_selection=tuple(expected.get("any_selection", ())),
        hint_names=tuple(record["hint_names"]),
        **{name: record[name] for name in _COPIED},
    )


_COPIED = ("id", "server", "schema", "document", "variables", "operation_name", "status", "answer", "rule")
