"""One document to one upstream: looked at, sent, read. Every tool that asks an upstream goes through here."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from graphql import GraphQLSyntaxError

from graphql_proxy import guard, refusals
from graphql_proxy.contracts import GraphqlAnswer, GraphqlError
from graphql_proxy.documents import Document
from graphql_proxy.error_text import enhance_graphql_error
from graphql_proxy.hints import hints_beside, known_hints, message_hints
from graphql_proxy.kept_answers import KeptAnswers, answer_key
from graphql_proxy.lookups import Context
from graphql_proxy.schemas import KnownSchema, schemas
from graphql_proxy.upstream_answers import Outcome, core_error, read_answer
from graphql_proxy.upstreams import KnownUpstream, headers_of
from toolbox.audit.current_request import current_trace
from toolbox.outbound.host_pools import WebFailure
from toolbox.outbound.web import Destination, web

kept_answers = KeptAnswers()
clock: Callable[[], float] = time.monotonic

_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/graphql-response+json, application/json",
    "User-Agent": "Toolroom-graphql_proxy/1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    A document with its variables; `may_write` where the caller may send mutations.

    `idempotency_key` goes with a mutation, so that an upstream that knows the header does it once.
    """

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None
    may_write: bool = False
    idempotency_key: str = ""

    def body(self) -> bytes:
        """Write it as a GraphQL server reads it."""
        said: dict[str, Any] = {"query": self.query}
        if self.variables:
            said["variables"] = dict(self.variables)
        if self.operation_name:
            said["operationName"] = self.operation_name
        try:
            return orjson.dumps(said)
        except TypeError as odd:
            raise refusals.unsafe(
                "its variables are nested too deeply, or hold a number that JSON readers disagree on",
                suggestion="Send flat variables, and very large numbers as strings.",
            ) from odd


async def ask_upstream(upstream: KnownUpstream, *, request: Request) -> Outcome:
    """
    Send a document that is safe, and give what came back; one that does not parse gets the parser's own error.

    Raises ToolError (contracts.ASKING_ERRORS).
    """
    try:
        document = guard.read_document(request.query, upstream=upstream)
    except GraphQLSyntaxError as wrong:
        return Outcome(errors=[core_error(wrong)])
    known = await schemas.of(upstream.slug)
    _judge(document, request, upstream=upstream, known=known)
    body = request.body()
    key = answer_key(body, address=upstream.address, upstream_id=upstream.id)
    if kept := kept_answers.find(key, now=clock(), seconds=upstream.cache_seconds):
        return kept
    asked_at = clock()
    outcome, size = await _send(
        upstream,
        body,
        is_repeatable=document.only_reads,
        idempotency_key="" if document.only_reads else request.idempotency_key,
    )
    if upstream.cache_seconds and document.only_reads:
        kept_answers.keep(key, outcome=outcome, size=size, now=asked_at)
    return outcome


async def explained(outcome: Outcome, *, request: Request, upstream: KnownUpstream) -> GraphqlAnswer:
    """Give the outcome with help: the contract's behind each message, all other in hints beside."""
    if not outcome.errors:
        return GraphqlAnswer(data=outcome.data, errors=[], hints=[], age_seconds=outcome.age_seconds)
    errors, hints = await helped(outcome.errors, request=request, upstream=upstream)
    if outcome.errors_left_out:
        hints.append(f"{outcome.errors_left_out:,} more errors are left out.")
    return GraphqlAnswer(data=outcome.data, errors=errors, hints=hints)


async def helped(
    errors: list[GraphqlError], *, request: Request, upstream: KnownUpstream
) -> tuple[list[GraphqlError], list[str]]:
    """Give errors with the contract's help behind their messages, and what else may help."""
    hints = await known_hints(upstream.id)
    known = await schemas.of(upstream.slug)
    context = Context(
        schema=known.schema if known else None,
        document=_document(request.query, upstream=upstream),
        variables=request.variables,
    )
    behind = message_hints(hints)
    enhanced = [
        error.model_copy(update={"message": enhance_graphql_error(error.message, hints=behind)}) for error in errors
    ]
    return enhanced, hints_beside([error.message for error in errors], hints=hints, context=context)


def _judge(document: Document, request: Request, *, upstream: KnownUpstream, known: KnownSchema | None) -> None:
    schema = known.schema if known else None
    cost, weight = guard.cost_of(document, upstream=upstream, variables=request.variables, schema=schema)
    guard.refuse_forbidden(document, weight=weight, upstream=upstream, may_write=request.may_write)
    guard.refuse_dear(cost, upstream=upstream)


async def _send(
    upstream: KnownUpstream, body: bytes, *, is_repeatable: bool, idempotency_key: str
) -> tuple[Outcome, int]:
    secrets = await headers_of(upstream)
    to = Destination(
        url=upstream.address,
        headers=_headers(secrets, idempotency_key=idempotency_key),
        timeout_seconds=upstream.timeout_seconds,
        most_bytes=upstream.most_answer_bytes,
        is_local=upstream.is_local,
    )
    try:
        answer = await web.post(to, body=body, is_repeatable=is_repeatable)
    except WebFailure as failure:
        raise refusals.no_answer(failure, slug=upstream.slug, is_local=upstream.is_local) from failure
    return read_answer(answer, slug=upstream.slug, secrets=secrets.values()), len(answer.body)


def _headers(own: Mapping[str, str], *, idempotency_key: str = "") -> dict[str, str]:
    """Give the headers of a request; the upstream's own take the place of ours, however they are capitalised."""
    taken = {name.lower() for name in own}
    traced = {"traceparent": current_trace.get()} if current_trace.get() else {}
    keyed = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    ours = _HEADERS | traced | keyed
    return {name: value for name, value in ours.items() if name.lower() not in taken} | dict(own)


def _document(query: str, *, upstream: KnownUpstream) -> Document | None:
    try:
        return guard.read_document(query, upstream=upstream)
    except GraphQLSyntaxError:
        return None
