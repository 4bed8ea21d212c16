"""Sending of one request: credentials, rate limits, response."""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from graphql_proxy import refusals
from graphql_proxy.contracts import UPSTREAM_LIMIT
from graphql_proxy.execution.responses import Outcome, read_answer
from graphql_proxy.rate_limits import MAX_PAUSE_SECONDS, Pacer
from graphql_proxy.upstreams import KnownUpstream, headers_of
from toolbox.audit.current_request import current_trace
from toolbox.contract.caller import current_upstream_credentials
from toolbox.contract.errors import ToolError
from toolbox.outbound.failures import WebFailure
from toolbox.outbound.web import Destination, web

clock: Callable[[], float] = time.monotonic
pacer = Pacer()
MAX_CREDENTIAL_BYTES = 8_000

_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/graphql-response+json, application/json",
    "User-Agent": "Toolroom-graphql_proxy/1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAs:
    """
    The credential headers of a request: the upstream's own, or the caller's credential in place of one of them.

    `has_own_credential` says that the answer belongs to the caller alone.
    """

    headers: Mapping[str, str]
    has_own_credential: bool

    def pace_key(self, upstream: KnownUpstream) -> str:
        """Return the key that a request's rate limits are counted under. It does not contain the credential."""
        if not self.has_own_credential:
            return str(upstream.id)
        value = self.headers[upstream.caller_header]
        return f"{upstream.id} {hashlib.sha256(value.encode()).hexdigest()}"


async def find_sender(upstream: KnownUpstream) -> SentAs:
    """Return the credential headers for this call. Raises ToolError."""
    stored = await headers_of(upstream)
    credential = current_upstream_credentials.get({}).get(upstream.slug)
    if credential is None:
        if upstream.needs_caller_credential:
            raise refusals.credential_refused("it is asked with the caller's own credential only", slug=upstream.slug)
        return SentAs(headers=stored, has_own_credential=False)
    if not upstream.caller_header:
        raise refusals.credential_refused("it is not configured to take callers' credentials", slug=upstream.slug)
    if not credential:
        raise refusals.credential_refused("the token that this server accepts is not passed on", slug=upstream.slug)
    if not credential.isascii() or not credential.isprintable() or len(credential) > MAX_CREDENTIAL_BYTES:
        raise refusals.credential_refused("the credential cannot be sent in a header", slug=upstream.slug)
    others = {name: value for name, value in stored.items() if name.lower() != upstream.caller_header.lower()}
    return SentAs(headers=others | {upstream.caller_header: credential}, has_own_credential=True)


async def send_request(
    upstream: KnownUpstream, *, body: bytes, sender: SentAs, is_repeatable: bool, idempotency_key: str
) -> tuple[Outcome, int]:
    """Send a request when the rate limits allow it. Returns the outcome and its size. Raises ToolError."""
    key = sender.pace_key(upstream)
    await _wait_for_turn(key, slug=upstream.slug)
    to = Destination(
        url=upstream.address,
        headers=_headers(sender.headers, idempotency_key=idempotency_key),
        timeout_seconds=upstream.timeout_seconds,
        most_bytes=upstream.most_answer_bytes,
        is_local=upstream.is_local,
    )
    try:
        answer = await web.post(to, body=body, is_repeatable=is_repeatable)
    except WebFailure as failure:
        raise refusals.no_answer(failure, slug=upstream.slug, is_local=upstream.is_local) from failure
    try:
        outcome = read_answer(answer, slug=upstream.slug, secrets=sender.headers.values(), now=datetime.now(UTC))
    except ToolError as refused:
        if refused.code is UPSTREAM_LIMIT:
            seconds = refused.retry_after_seconds
            pacer.block(key, seconds=math.nan if seconds is None else seconds, now=clock())
        raise
    pacer.note(key, limits=outcome.limits, now=clock())
    return outcome, len(answer.body)


async def _wait_for_turn(key: str, *, slug: str) -> None:
    """Wait up to a second if the upstream has little quota left. Refuse if the wait would be longer."""
    wait = pacer.seconds_to_wait(key, now=clock())
    if wait > MAX_PAUSE_SECONDS:
        raise refusals.limit_reached(slug=slug, seconds=math.ceil(wait))
    if wait:
        await asyncio.sleep(wait)


def _headers(own: Mapping[str, str], *, idempotency_key: str = "") -> dict[str, str]:
    """Return the headers of a request. The upstream's own replace ours, in any capitalisation."""
    taken = {name.lower() for name in own}
    traced = {"traceparent": current_trace.get()} if current_trace.get() else {}
    keyed = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    ours = _HEADERS | traced | keyed
    return {name: value for name, value in ours.items() if name.lower() not in taken} | dict(own)
