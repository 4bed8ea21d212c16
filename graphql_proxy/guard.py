"""Safety checks before sending. They never refuse a document for what a schema says."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import FieldNode, GraphQLSchema, OperationType, SelectionSetNode

from graphql_proxy import refusals
from graphql_proxy.contracts import DocumentCost
from graphql_proxy.documents import MAX_FRAGMENTS, MAX_NESTING, Document, measure_text, parse_document
from graphql_proxy.schema.cost import FragmentCycle, Surroundings, Weight, read_size_names, weigh
from graphql_proxy.upstreams import KnownUpstream

_WAY_TO_WRITE = "Use execute_graphql_mutation, with a key that has the scope graphql_proxy:write."
_LESS_INTROSPECTION = "Use the introspect_schema tool, which answers from the stored schema."


def read_document(text: str, *, upstream: KnownUpstream) -> Document:
    """
    Parse a document that is small enough.

    Raises ToolError where it is not, GraphQLSyntaxError where it is no GraphQL.
    """
    _check_limit("length in bytes", len(text.encode(errors="replace")), upstream.most_document_bytes)
    measure = measure_text(text, most_tokens=upstream.most_tokens)
    _check_limit("number of words and signs", measure.tokens, upstream.most_tokens)
    _check_limit("nesting of brackets", measure.nesting, MAX_NESTING)
    _check_limit("number of directives", measure.directives, upstream.most_directives)
    return parse_document(text, measure=measure)


def cost_of(
    document: Document, *, upstream: KnownUpstream, variables: Mapping[str, Any], schema: GraphQLSchema | None
) -> tuple[DocumentCost, Weight]:
    """Compute the cost of a document. Raises ToolError for fragment cycles and names reserved by the language."""
    _check_limit("number of fragments", len(document.fragments), MAX_FRAGMENTS)
    _refuse_reserved_names(document)
    around = Surroundings(
        variables=variables,
        schema=schema,
        assumed_list_size=upstream.assumed_list_size,
        size_names=read_size_names(upstream.size_names),
    )
    try:
        weight = weigh(document, around=around)
    except FragmentCycle as cycle:
        raise refusals.unsafe(
            f"its fragments contain each other ({cycle})", suggestion="Write the selection out instead."
        ) from cycle
    cost = DocumentCost(
        bytes=len(document.text.encode()),
        tokens=document.measure.tokens,
        depth=weight.depth,
        fields=weight.fields,
        aliases=weight.aliases,
        root_fields=weight.roots,
        directives=document.measure.directives,
        largest_list=weight.largest_list,
        cost=weight.cost,
    )
    return cost, weight


def refuse_expensive(cost: DocumentCost, *, upstream: KnownUpstream) -> None:
    """Raise ToolError if a document exceeds the upstream's limits."""
    _check_limit("depth", cost.depth, upstream.most_depth)
    _check_limit("number of aliases", cost.aliases, upstream.most_aliases)
    _check_limit("number of root fields", cost.root_fields, upstream.most_root_fields)
    _check_limit("list size", cost.largest_list, upstream.most_list_size)
    _check_limit("cost", cost.cost, upstream.most_cost)


def refuse_forbidden(document: Document, *, weight: Weight, upstream: KnownUpstream, may_write: bool) -> None:
    """Raise ToolError for a mutation, subscription or introspection that is not allowed."""
    kinds = {one.operation for one in document.operations}
    if OperationType.SUBSCRIPTION in kinds:
        raise refusals.writes("subscription", suggestion="Ask with a query; answers are not streamed here.")
    if OperationType.MUTATION in kinds and not upstream.allows_mutations:
        raise refusals.writes("mutation", suggestion=f"The upstream {upstream.slug} is read only here; use queries.")
    if OperationType.MUTATION in kinds and not may_write:
        raise refusals.writes("mutation", suggestion=_WAY_TO_WRITE)
    if weight.introspects and not upstream.allows_introspection:
        raise refusals.unsafe("it asks for __schema or __type", suggestion=_LESS_INTROSPECTION)


def _refuse_reserved_names(document: Document) -> None:
    names = [*document.fragments, *_aliases(document)]
    names += [one.name.value for one in document.operations if one.name]
    for name in names:
        if name.startswith("__"):
            raise refusals.unsafe(
                f"it gives the name {name[:40]!r}, which looks like introspection",
                suggestion="Use a name that does not begin with two underscores.",
            )


def _aliases(document: Document) -> Iterable[str]:
    stack: list[SelectionSetNode] = [one.selection_set for one in document.operations]
    stack += [fragment.selection_set for fragment in document.fragments.values()]
    while stack:
        for one in stack.pop().selections:
            if isinstance(one, FieldNode) and one.alias:
                yield one.alias.value
            inner = getattr(one, "selection_set", None)
            if inner:
                stack.append(inner)


def _check_limit(what: str, found: int, most: int) -> None:
    if found > most:
        raise refusals.too_much(what, found=found, most=most)
