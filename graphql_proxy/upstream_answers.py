"""What came back over the wire, read as GraphQL or refused in words."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
from graphql import GraphQLError as CoreError

from graphql_proxy import refusals
from graphql_proxy.contracts import ErrorLocation, GraphqlError
from toolbox.outbound.web import WebAnswer
from toolbox.text.redaction import REDACTED

MAX_ERRORS = 50
SHORTEST_SECRET = 6
_NOT_ADMITTED = (401, 403)
_TOO_MANY = 429
_MAX_WAIT_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Data and errors of one request."""

    data: Any = None
    errors: list[GraphqlError] = field(default_factory=list)
    age_seconds: int | None = None
    errors_left_out: int = 0


def read_answer(answer: WebAnswer, *, slug: str, secrets: Iterable[str] = ()) -> Outcome:
    """Read an answer; raises ToolError where it is none. A secret that it repeats is blanked."""
    if answer.status == _TOO_MANY:
        raise refusals.slow_down(slug=slug, seconds=_retry_after(answer))
    if answer.status in _NOT_ADMITTED:
        raise refusals.not_admitted(slug=slug, status=answer.status)
    body = _without_secrets(answer.body, secrets)
    try:
        said = orjson.loads(body.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as invalid:
        raise refusals.useless_answer(_what_it_is(body), slug=slug, status=answer.status) from invalid
    if not isinstance(said, dict) or not _is_graphql(said):
        raise refusals.useless_answer("JSON that is no GraphQL answer", slug=slug, status=answer.status)
    errors = said.get("errors") or []
    shown = [_error(one) for one in errors[:MAX_ERRORS]]
    return Outcome(data=said.get("data"), errors=shown, errors_left_out=len(errors) - len(shown))


def core_error(error: CoreError) -> GraphqlError:
    """Give an error of our own parser or validator in the answer's form."""
    places = [ErrorLocation(line=place.line, column=place.column) for place in error.locations or []]
    return GraphqlError(message=error.message, path=list(error.path) if error.path else None, locations=places or None)


def _is_graphql(said: dict[str, Any]) -> bool:
    errors = said.get("errors")
    return ("data" in said or bool(errors)) and (errors is None or isinstance(errors, list))


def _error(said: object) -> GraphqlError:
    if not isinstance(said, dict):
        return GraphqlError(message=str(said))
    message, path, places = said.get("message"), said.get("path"), said.get("locations")
    return GraphqlError(
        message=message if isinstance(message, str) else orjson.dumps(message).decode(),
        path=[one for one in path if isinstance(one, str | int)] if isinstance(path, list) else None,
        locations=[place for place in map(_place, places) if place] if isinstance(places, list) else None,
    )


def _place(said: object) -> ErrorLocation | None:
    if isinstance(said, dict) and isinstance(said.get("line"), int) and isinstance(said.get("column"), int):
        return ErrorLocation(line=said["line"], column=said["column"])
    return None


def _without_secrets(body: bytes, secrets: Iterable[str]) -> bytes:
    """Blank what an upstream repeats of the headers that were sent to it."""
    for secret in secrets:
        for part in {secret, secret.rpartition(" ")[2]}:
            if len(part) >= SHORTEST_SECRET:
                body = body.replace(part.encode(), REDACTED.encode())
    return body


def _what_it_is(body: bytes) -> str:
    start = body[:200].lstrip().lower()
    if not start:
        return "an empty body"
    if start.startswith((b"<!doctype", b"<html", b"<")):
        return "a web page instead of JSON"
    if start.startswith((b"{", b"[")):
        return "JSON that is cut or damaged"
    return "something that is not JSON"


def _retry_after(answer: WebAnswer) -> int | None:
    said = answer.headers.get("retry-after", "").strip()
    return min(int(said), _MAX_WAIT_SECONDS) if re.fullmatch("[0-9]{1,9}", said) else None
