"""Execution of one document: check, send, read. Every tool that calls an upstream uses this module."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLSyntaxError

from graphql_proxy import guard, refusals
from graphql_proxy.contracts import GraphqlAnswer, GraphqlError
from graphql_proxy.documents import Document
from graphql_proxy.execution.response_cache import ResponseCache, answer_key
from graphql_proxy.execution.responses import Outcome, core_error
from graphql_proxy.execution.sending import find_sender, send_request
from graphql_proxy.fixes.advice import MAX_HINTS, Advice, advise
from graphql_proxy.fixes.contract_text import MessageHint, enhance_graphql_error
from graphql_proxy.fixes.drafts import Draft, write_numbers
from graphql_proxy.fixes.hint_rows import collect_hints, load_hint_rows, message_hints
from graphql_proxy.fixes.learned_demands import load_demands
from graphql_proxy.fixes.schema_lookups import Context
from graphql_proxy.refusal_log import RefusalRecord, record_refusal
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream
from toolbox.contract.encoding import encode

response_cache = ResponseCache()
clock: Callable[[], float] = time.monotonic

OWN_EXTENSION = "toolroom"
"""Our own entry in an error's extensions. It replaces an upstream's entry of that name."""
MAX_RECORDED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    A document with its variables. `may_write` is true if the caller may send mutations.

    `idempotency_key` goes with a mutation, so that an upstream that knows the header does it once.
    """

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None
    may_write: bool = False
    idempotency_key: str = ""
    request_id: str = ""

    def as_draft(self) -> Draft:
        """Return the parts that a fix may change."""
        return Draft(query=self.query, variables=self.variables, operation_name=self.operation_name)

    def body(self) -> bytes:
        """Encode the request body of GraphQL over HTTP."""
        said: dict[str, Any] = {"query": self.query}
        if self.variables:
            said["variables"] = dict(self.variables)
        if self.operation_name:
            said["operationName"] = self.operation_name
        try:
            return encode(write_numbers(said))
        except (TypeError, RecursionError) as odd:
            raise refusals.unsafe(
                "its variables are nested too deeply, or hold what JSON cannot", suggestion="Send flat variables."
            ) from odd


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """Errors with explanations, and the arguments to change if exactly one fix resolves them all."""

    errors: list[GraphqlError]
    hints: list[str]
    retry_with: dict[str, Any] | None


async def ask_upstream(upstream: KnownUpstream, *, request: Request) -> Outcome:
    """
    Send a document that passed the checks and return the result; a syntax error becomes an error of the answer.

    Raises ToolError (contracts.ASKING_ERRORS).
    """
    try:
        document = guard.read_document(request.query, upstream=upstream)
    except GraphQLSyntaxError as wrong:
        return Outcome(errors=[core_error(wrong)], was_refused=True)
    known = await schemas.find(upstream.slug)
    _judge(document, request, upstream=upstream, known=known)
    body = request.body()
    sender = await find_sender(upstream)
    is_shared = bool(upstream.cache_seconds) and not sender.has_own_credential
    key = answer_key(body, address=upstream.address, upstream_id=upstream.id)
    if is_shared and (kept := response_cache.find(key, now=clock(), seconds=upstream.cache_seconds)):
        return kept
    asked_at = clock()
    outcome, size = await send_request(
        upstream,
        body=body,
        sender=sender,
        is_repeatable=document.only_reads,
        idempotency_key="" if document.only_reads else request.idempotency_key,
    )
    if is_shared and document.only_reads:
        response_cache.keep(key, outcome=outcome, size=size, now=asked_at)
    return outcome


async def explain_outcome(outcome: Outcome, *, request: Request, upstream: KnownUpstream) -> GraphqlAnswer:
    """Return the outcome with help: contract text in the messages, the rest in hints, extensions and retryWith."""
    if not outcome.errors:
        return GraphqlAnswer(data=outcome.data, errors=[], hints=[], age_seconds=outcome.age_seconds)
    help_ = await find_help(outcome.errors, request=request, upstream=upstream, was_refused=outcome.was_refused)
    hints = help_.hints
    if outcome.errors_left_out:
        hints = [*hints, f"{outcome.errors_left_out:,} more errors are left out."]
    if outcome.was_refused:
        await _record(help_, upstream=upstream, request=request)
    return GraphqlAnswer(data=outcome.data, errors=help_.errors, hints=hints, retry_with=help_.retry_with)


async def find_help(
    errors: list[GraphqlError], *, request: Request, upstream: KnownUpstream, was_refused: bool = True
) -> Help:
    """Explain errors of an upstream. If it refused the whole document, validate against the stored schema too."""
    known = await schemas.find(upstream.slug)
    learned = await load_demands(upstream.id) if was_refused and known else ()
    advice = (
        advise(errors, draft=request.as_draft(), known=known, learned=learned) if was_refused else Advice.none(errors)
    )
    return await add_hint_rows(errors, advice=advice, request=request, upstream=upstream, known=known)


async def add_hint_rows(
    errors: list[GraphqlError],
    *,
    advice: Advice,
    request: Request,
    upstream: KnownUpstream,
    known: KnownSchema | None,
) -> Help:
    """
    Append the contract's help to each message, and collect the hints that are rows.

    A row that looks into the schema is not asked about an error that the schema itself explained.
    """
    rows = await load_hint_rows(upstream.id)
    context = Context(
        schema=known.schema if known else None,
        document=_document(request.query, upstream=upstream),
        variables=request.variables,
    )
    behind = message_hints(rows)
    unexplained = [error.message for error, told in zip(errors, advice.details, strict=True) if told is None]
    explained = [error.message for error, told in zip(errors, advice.details, strict=True) if told is not None]
    hints = [
        *advice.hints,
        *collect_hints(unexplained, hints=rows, context=context),
        *collect_hints(explained, hints=[row for row in rows if row.upstream_id], context=context),
    ]
    return Help(
        errors=[_enhance(error, told, behind) for error, told in zip(errors, advice.details, strict=True)],
        hints=list(dict.fromkeys(hints))[:MAX_HINTS],
        retry_with=advice.retry_with,
    )


def _enhance(error: GraphqlError, told: dict[str, Any] | None, behind: list[MessageHint]) -> GraphqlError:
    extensions = error.extensions or {}
    if told:
        extensions = extensions | {OWN_EXTENSION: told}
    message = enhance_graphql_error(error.message, hints=behind)
    return error.model_copy(update={"message": message, "extensions": extensions or None})


async def _record(help_: Help, *, upstream: KnownUpstream, request: Request) -> None:
    """Record the refusal for the admin and for learning what the upstream demands beyond its schema."""
    for error in help_.errors[:MAX_RECORDED]:
        told = (error.extensions or {}).get(OWN_EXTENSION, {})
        await record_refusal(
            RefusalRecord(
                upstream_id=upstream.id,
                message=error.message,
                rule=told.get("rule", ""),
                coordinate=told.get("coordinate", ""),
                hint=help_.hints[0] if help_.hints else "",
                offered=(help_.retry_with or {}).get("query", ""),
                request_id=request.request_id,
            )
        )


def _judge(document: Document, request: Request, *, upstream: KnownUpstream, known: KnownSchema | None) -> None:
    schema = known.schema if known else None
    cost, weight = guard.cost_of(document, upstream=upstream, variables=request.variables, schema=schema)
    guard.refuse_forbidden(document, weight=weight, upstream=upstream, may_write=request.may_write)
    guard.refuse_expensive(cost, upstream=upstream)


def _document(query: str, *, upstream: KnownUpstream) -> Document | None:
    try:
        return guard.read_document(query, upstream=upstream)
    except GraphQLSyntaxError:
        return None
