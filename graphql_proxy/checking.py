"""Whether a document is valid and would be sent, without sending it."""

import asyncio

from graphql import (
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    OverlappingFieldsCanBeMergedRule,
    specified_rules,
    validate,
)

from graphql_proxy import guard
from graphql_proxy.asking import Request, helped
from graphql_proxy.contracts import DocumentCost, GraphqlError, Validity
from graphql_proxy.documents import Document
from graphql_proxy.schemas import KnownSchema, schemas
from graphql_proxy.upstream_answers import core_error
from graphql_proxy.upstreams import KnownUpstream
from toolbox.contract.errors import ToolError

MAX_ERRORS = 20
MAX_FIELDS_COMPARED = 300
"""Above this, fields are not compared with each other: that rule takes their number squared."""
MAX_TOKENS_AT_ONCE = 500
"""Above this, the work goes to a thread, so that other calls are answered meanwhile."""

_LINEAR_RULES = tuple(rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule)


async def checked(request: Request, *, upstream: KnownUpstream) -> Validity:
    """Hold a document to the stored schema and to the upstream's limits."""
    known = await schemas.of(upstream.slug)
    try:
        document = guard.read_document(request.query, upstream=upstream)
        cost, weight = guard.cost_of(
            document, upstream=upstream, variables=request.variables, schema=known.schema if known else None
        )
    except ToolError as refused:
        return _unread(refused, upstream=upstream, known=known)
    except GraphQLSyntaxError as wrong:
        return await _judged([core_error(wrong)], None, request, upstream=upstream, known=known)
    errors = await schema_errors(document, fields=weight.fields, schema=known.schema) if known else []
    judged = await _judged([core_error(one) for one in errors], cost, request, upstream=upstream, known=known)
    try:
        guard.refuse_forbidden(document, weight=weight, upstream=upstream, may_write=False)
        guard.refuse_dear(cost, upstream=upstream)
    except ToolError as refused:
        return judged.model_copy(update={"would_be_sent": False, "refusal": _words(refused)})
    return judged


async def schema_errors(document: Document, *, fields: int, schema: GraphQLSchema) -> list[GraphQLError]:
    """Give what the schema has against a document, twenty errors at most."""
    size = max(fields, document.measure.tokens // 2)
    rules = specified_rules if size <= MAX_FIELDS_COMPARED else _LINEAR_RULES
    if document.measure.tokens <= MAX_TOKENS_AT_ONCE:
        return validate(schema, document.node, rules, max_errors=MAX_ERRORS)
    return await asyncio.to_thread(validate, schema, document.node, rules, MAX_ERRORS)


async def _judged(
    errors: list[GraphqlError],
    cost: DocumentCost | None,
    request: Request,
    *,
    upstream: KnownUpstream,
    known: KnownSchema | None,
) -> Validity:
    said, hints = await helped(errors, request=request, upstream=upstream) if errors else ([], [])
    return Validity(
        valid=not errors,
        errors=said,
        hints=hints,
        would_be_sent=cost is not None,
        refusal=None if cost else "It does not parse.",
        cost=cost,
        most_cost=upstream.most_cost,
        schema_version=known.version if known else None,
    )


def _unread(refused: ToolError, *, upstream: KnownUpstream, known: KnownSchema | None) -> Validity:
    """Answer for a document that is too large or too strange to be looked at."""
    return Validity(
        valid=False,
        errors=[GraphqlError(message=refused.message)],
        hints=[],
        would_be_sent=False,
        refusal=_words(refused),
        most_cost=upstream.most_cost,
        schema_version=known.version if known else None,
    )


def _words(refused: ToolError) -> str:
    return f"{refused.message} {refused.suggestion}"
