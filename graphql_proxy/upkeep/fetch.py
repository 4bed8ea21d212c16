"""Fetching of an upstream's schema by introspection, and health checks of upstreams."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import orjson
from graphql import get_introspection_query

from graphql_proxy import refusals
from graphql_proxy.execution.responses import Outcome, read_answer
from graphql_proxy.schema.parsing import MAX_SCHEMA_BYTES
from graphql_proxy.upstreams import KnownUpstream, headers_of
from toolbox.contract.errors import ToolError
from toolbox.outbound.failures import WebFailure
from toolbox.outbound.web import Destination, web

TIMEOUT_SECONDS = 60.0
PROBE_SECONDS = 5.0


class NoSchema(Exception):
    """The upstream gave no schema; the message says why."""


async def fetch_schema(upstream: KnownUpstream) -> str:
    """Fetch an upstream's schema as introspection JSON. Raises NoSchema."""
    if not upstream.allows_introspection:
        raise NoSchema(f"{upstream.slug} does not allow introspection; give its schema as a file")
    patient = replace(upstream, timeout_seconds=TIMEOUT_SECONDS, most_answer_bytes=MAX_SCHEMA_BYTES)
    try:
        return await _ask(patient)
    except WebFailure as failure:
        raise NoSchema(f"{upstream.slug} gave no answer: {failure}") from failure
    except ToolError as refusal:
        raise NoSchema(refusal.message) from refusal


async def find_problem(upstream: KnownUpstream, *, secrets: Mapping[str, str]) -> str:
    """Query an upstream for its __typename and return why it did not answer. Empty if it did."""
    patient = replace(upstream, timeout_seconds=min(upstream.timeout_seconds, PROBE_SECONDS))
    try:
        outcome, _ = await _post(patient, query="{ __typename }", secrets=secrets)
    except WebFailure as failure:
        return str(failure)
    except ToolError as refusal:
        return refusal.message
    return outcome.errors[0].message[:200] if outcome.was_refused else ""


async def _post(upstream: KnownUpstream, *, query: str, secrets: Mapping[str, str]) -> tuple[Outcome, int]:
    """Send a document with these headers. Returns the outcome and the HTTP status."""
    to = Destination(
        url=upstream.address,
        headers={"Content-Type": "application/json", "Accept": "application/json"} | dict(secrets),
        timeout_seconds=upstream.timeout_seconds,
        most_bytes=upstream.most_answer_bytes,
        is_local=upstream.is_local,
    )
    answer = await web.post(to, body=orjson.dumps({"query": query}), is_repeatable=True)
    outcome = read_answer(answer, slug=upstream.slug, secrets=secrets.values(), now=datetime.now(UTC))
    return outcome, answer.status


async def _ask(upstream: KnownUpstream) -> str:
    secrets = await headers_of(upstream)
    outcome, status = await _post(upstream, query=get_introspection_query(descriptions=True), secrets=secrets)
    if not isinstance(outcome.data, dict) or "__schema" not in outcome.data:
        why = outcome.errors[0].message if outcome.errors else "it left __schema out"
        raise refusals.useless_answer(f"no schema ({why[:200]})", slug=upstream.slug, status=status)
    return orjson.dumps(outcome.data).decode()
