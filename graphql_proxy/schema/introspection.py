"""The `introspect_schema` tool."""

from difflib import get_close_matches

from graphql_proxy.schema.contracts import NO_SCHEMA, UNKNOWN_NAME, SchemaAnswer, SchemaQuestion
from graphql_proxy.schema.descriptions import (
    Budget,
    Uses,
    counts,
    field_description,
    list_found,
    nearest,
    query_description,
    type_description,
)
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.schema.usage import count_uses
from graphql_proxy.upstreams import upstream_for
from toolbox.contract.caller import Caller
from toolbox.contract.errors import ToolError

MAX_NEAR, MAX_NAME = 8, 100


async def describe_schema(ask: SchemaQuestion, *, caller: Caller) -> SchemaAnswer:
    """Return the requested part of a schema within the budget. Raises ToolError."""
    upstream = await upstream_for(caller, named=ask.upstream)
    known = await schemas.find(upstream.slug)
    if known is None:
        raise ToolError(
            NO_SCHEMA,
            f"No schema of the upstream {upstream.slug} is stored.",
            suggestion=f"The operator can run `manage.py ingest_graphql_schema {upstream.slug} --fetch`.",
        )
    uses = await count_uses(known.schema, slug=upstream.slug, is_default=upstream.is_default, version=known.version)
    return _answer(ask, known, slug=upstream.slug, uses=uses)


def _answer(ask: SchemaQuestion, known: KnownSchema, *, slug: str, uses: Uses) -> SchemaAnswer:
    budget = Budget.from_tokens(ask.max_tokens)
    query = field = kind = hits = unmatched = near = None
    if ask.query_name:
        try:
            query = query_description(known.schema, name=ask.query_name, depth=ask.depth, budget=budget, uses=uses)
        except KeyError as unknown:
            raise _unknown(ask.query_name, known, kind="query", parameter="queryName") from unknown
    if ask.field:
        try:
            field = field_description(known.schema, coordinate=ask.field, depth=ask.depth, budget=budget, uses=uses)
        except KeyError as unknown:
            raise _unknown(ask.field, known, kind="field", parameter="field") from unknown
    if ask.type_name:
        try:
            kind = type_description(
                known.schema, name=ask.type_name, depth=ask.depth, budget=budget, page=ask.page, uses=uses
            )
        except KeyError as unknown:
            raise _unknown(ask.type_name, known, kind="type", parameter="typeName") from unknown
    if ask.search:
        hits = list_found(known.index, text=ask.search, budget=budget)
        unmatched = known.index.strangers(ask.search) or None
        near = None if hits else known.index.nearest(ask.search, limit=MAX_NEAR)
    return SchemaAnswer(
        upstream=slug,
        version=known.version,
        counts=counts(known.schema),
        query=query,
        field=field,
        type=kind,
        found=hits,
        unmatched=unmatched,
        nearest=near,
        left_out=budget.left_out,
        next=_suggest_next(
            ask,
            near=near,
            unmatched=unmatched,
            is_mutation=query is not None and query.example.query.startswith("mutation"),
        ),
    )


def _unknown(given: str, known: KnownSchema, *, kind: str, parameter: str) -> ToolError:
    near = nearest(given, index=known.index, kind=kind)
    holder, _, member = given.partition(".")
    if kind == "field" and holder in known.schema.type_map:
        names = get_close_matches(member[:MAX_NAME], getattr(known.schema.type_map[holder], "fields", {}))
        near = [f"{holder}.{name}" for name in names]
    listed = f"Did you mean {', '.join(near)}?" if near else f"Look for it with search: {member or given!r:.40}."
    return ToolError(
        UNKNOWN_NAME,
        f"The schema has no {kind} {given[:80]!r}.",
        suggestion=listed,
        field=parameter,
        details={"near": near},
        retry_with={parameter: near[0]} if near else None,
    )


def _suggest_next(
    ask: SchemaQuestion, *, near: list[str] | None, unmatched: list[str] | None, is_mutation: bool
) -> str:
    if ask.query_name:
        tool = "execute_graphql_mutation" if is_mutation else "execute_graphql"
        return f"Put real values into the example and send it with {tool}; ask typeName for a type left out."
    if ask.field:
        return "Ask typeName for a type or an input that it names; ask queryName for a document that reaches it."
    if ask.type_name:
        return "Ask queryName for one of its queries, to get a document that runs."
    if not ask.search:
        return "Ask search with a few words, such as 'league standings'; then queryName for one query."
    if near is not None:
        return _nothing_found(ask.search, near)
    listed = ", ".join(unmatched or ())
    plainly = f"Nothing is called or described by {listed}; what was found is spelt alike or fits the rest. "
    return f"{plainly if unmatched else ''}Ask queryName for a query, typeName for a type."


def _nothing_found(text: str, near: list[str]) -> str:
    """Say that a search found nothing, and name the most similar results."""
    spelt = f"Spelt most like it: {', '.join(near)}." if near else "Nothing is spelt like it either."
    return f"Nothing matches {text[:60]!r} in names or descriptions. {spelt} Try what it is counted or listed by."
