"""The `validate_query` tool: validity and limits of a document, without sending it."""

import asyncio
from collections.abc import Callable
from functools import partial

from graphql import GraphQLSyntaxError

from graphql_proxy import guard
from graphql_proxy.contracts import DocumentCost, GraphqlError, Validity
from graphql_proxy.execution.execute import Request, add_hint_rows
from graphql_proxy.execution.responses import core_error
from graphql_proxy.fixes.advice import Advice, advise, choose_rules, judge
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream
from toolbox.contract.errors import ToolError

Judged = tuple[list[GraphqlError], Advice]
MAX_TOKENS_AT_ONCE = 500
"""Above this, the work runs in a thread, so that other calls are not blocked."""


async def validate_request(request: Request, *, upstream: KnownUpstream) -> Validity:
    """Check a document against the stored schema and the upstream's limits."""
    known = await schemas.find(upstream.slug)
    try:
        document = guard.read_document(request.query, upstream=upstream)
        cost, weight = guard.cost_of(
            document, upstream=upstream, variables=request.variables, schema=known.schema if known else None
        )
    except ToolError as refused:
        return _unread(refused, upstream=upstream, known=known)
    except GraphQLSyntaxError as wrong:
        errors = [core_error(wrong)]
        advice = advise(errors, draft=request.as_draft(), known=known, is_upstream=False)
        return await _answer(errors, advice, None, request=request, upstream=upstream, known=known)
    size = max(weight.fields, document.measure.tokens // 2)
    work = partial(_judge, request, known=known, size=size)
    errors, advice = await (asyncio.to_thread(work) if document.measure.tokens > MAX_TOKENS_AT_ONCE else _at_once(work))
    judged = await _answer(errors, advice, cost, request=request, upstream=upstream, known=known)
    try:
        guard.refuse_forbidden(document, weight=weight, upstream=upstream, may_write=False)
        guard.refuse_expensive(cost, upstream=upstream)
    except ToolError as refused:
        return judged.model_copy(update={"would_be_sent": False, "refusal": _words(refused)})
    return judged


async def _at_once(work: Callable[[], Judged]) -> Judged:
    return work()


def _judge(request: Request, *, known: KnownSchema | None, size: int) -> Judged:
    """Validate document, variables and operationName against the stored schema."""
    draft = request.as_draft()
    if known is None:
        return [], Advice()
    return judge(draft, known=known, has_variables=bool(request.variables), rules=choose_rules(size))


async def _answer(
    errors: list[GraphqlError],
    advice: Advice,
    cost: DocumentCost | None,
    *,
    request: Request,
    upstream: KnownUpstream,
    known: KnownSchema | None,
) -> Validity:
    found = await add_hint_rows(errors, advice=advice, request=request, upstream=upstream, known=known)
    return Validity(
        valid=not errors,
        errors=found.errors,
        hints=found.hints,
        retry_with=found.retry_with,
        would_be_sent=cost is not None,
        refusal=None if cost else "It does not parse.",
        cost=cost,
        most_cost=upstream.most_cost,
        schema_version=known.version if known else None,
    )


def _unread(refused: ToolError, *, upstream: KnownUpstream, known: KnownSchema | None) -> Validity:
    """Return the answer for a document that is too large or too malformed to be analysed."""
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
