"""A refused request with its context, and the types of fixes."""

from collections.abc import Container
from dataclasses import dataclass, field
from functools import cached_property

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    Node,
    OperationDefinitionNode,
    is_composite_type,
)

from graphql_proxy.fixes.drafts import Change, Draft, Edit
from graphql_proxy.fixes.names import NearName
from graphql_proxy.fixes.places import Place, Places
from graphql_proxy.fixes.violations import Violation

MAX_NEAREST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """An element of the schema, with its type in schema notation."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A change that may be the fix, and the sentence that describes it."""

    change: Change
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """
    What is known about one violation.

    `candidates` are changes that are surely meant, each alone enough; where they are several, none is offered. `hint`
    helps where there is no single candidate.
    """

    hint: str = ""
    coordinate: str = ""
    nearest: tuple[Nearest, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """A draft, the violations of the schema in it, and the names that the upstream's errors mention."""

    draft: Draft
    document: DocumentNode
    schema: GraphQLSchema
    violations: list[Violation]
    operation: OperationDefinitionNode | None
    known_words: Container[str] = ()
    mentioned: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def places(self) -> Places:
        """The types at every node."""
        return Places(self.document, schema=self.schema)

    @cached_property
    def entities(self) -> frozenset[str]:
        """The words that name entities, in lower case: types with fields, except Query itself."""
        roots = (self.schema.query_type, self.schema.mutation_type, self.schema.subscription_type)
        kinds = self.schema.type_map.items()
        return frozenset(name.lower() for name, kind in kinds if is_composite_type(kind) and kind not in roots)

    def has_field(self, name: str) -> bool:
        """Return whether any type has a field of exactly that name."""
        return any(
            name in kind.fields
            for kind in self.schema.type_map.values()
            if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and not kind.name.startswith("__")
        )

    def place(self, violation: Violation) -> Place | None:
        """Return the place of a violation."""
        return self.places.find(violation.nodes[0]) if violation.nodes else None

    def text(self, node: Node) -> str:
        """Return the source text of a node."""
        return self.draft.query[start(node) : end(node)]

    def of_rule(self, *rules: str) -> list[Violation]:
        """Return the violations of some rules."""
        return [one for one in self.violations if one.rule in rules]

    def prefer_mentioned(self, ranked: list[NearName], *, wanted: str) -> str | None:
        """Return the only likely name that the upstream itself suggests."""
        suggested = [near.name for near in ranked if near.name in self.mentioned and near.name != wanted]
        return suggested[0] if len(suggested) == 1 else None


def start(node: Node) -> int:
    """Return the start offset of a node."""
    return node.loc.start if node.loc else 0


def end(node: Node) -> int:
    """Return the end offset of a node."""
    return node.loc.end if node.loc else 0


def replace_node(node: Node, *, text: str) -> Change:
    """Replace the text of a node."""
    return Change(edits=(Edit(start(node), end(node), text),))


def wrap_nodes(first: Node, *, last: Node, before: str, after: str) -> Change:
    """Insert a text before and after adjacent nodes."""
    return Change(edits=(Edit(start(first), start(first), before), Edit(end(last), end(last), after)))


def response_name(node: FieldNode) -> str:
    """Return the response key of a field: its alias, else its name."""
    return (node.alias or node.name).value
