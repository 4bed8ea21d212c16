"""Parsing of upstream responses. A response that is not GraphQL is refused."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from math import isinf
from typing import Any

import orjson
from graphql import GraphQLError as CoreError

from graphql_proxy import refusals
from graphql_proxy.contracts import ErrorLocation, GraphqlError
from graphql_proxy.rate_limits import UpstreamLimits, find_refusal, is_throttled, read_limits
from toolbox.contract.encoding import encode, read_fraction
from toolbox.outbound.web import WebAnswer
from toolbox.text.redaction import REDACTED

MAX_ERRORS = 50
MAX_PLACES = 20
MAX_EXTENSIONS, MAX_EXTENSION_BYTES, MAX_NAME = 20, 500, 100
MIN_SECRET = 6
MAX_WHOLE_DIGITS, MAX_DOUBLE_DIGITS = 18, 308
_LONG_NUMBER = re.compile(rb"[0-9](?:[.eE]|[0-9]{18})")
_NOT_ADMITTED = (401, 403)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Data and errors of one request. `was_refused` is true if errors came instead of data."""

    data: Any = None
    limits: UpstreamLimits | None = None
    errors: list[GraphqlError] = field(default_factory=list)
    age_seconds: int | None = None
    errors_left_out: int = 0
    was_refused: bool = False


def read_answer(answer: WebAnswer, *, slug: str, now: datetime, secrets: Iterable[str] = ()) -> Outcome:
    """Parse a response and blank secrets that it repeats. Raises ToolError if it is not a GraphQL response."""
    wait = find_refusal(answer.status, headers=answer.headers, body=answer.body, now=now)
    if wait is not None:
        raise refusals.slow_down(slug=slug, status=answer.status, seconds=wait)
    if answer.status in _NOT_ADMITTED:
        raise refusals.not_admitted(slug=slug, status=answer.status)
    body = _without_secrets(answer.body, secrets)
    try:
        said = decode_exactly(body.removeprefix(BOM_UTF8))
    except (ValueError, RecursionError) as invalid:
        raise refusals.useless_answer(_what_it_is(body), slug=slug, status=answer.status) from invalid
    if not isinstance(said, dict) or not _is_graphql(said):
        raise refusals.useless_answer("JSON that is no GraphQL answer", slug=slug, status=answer.status)
    limits = read_limits(answer.headers, body=said, now=now)
    if is_throttled(said):
        raise refusals.slow_down(
            slug=slug, status=answer.status, seconds=limits.seconds_until_paid() if limits else None
        )
    errors = said.get("errors") or []
    shown = read_errors(errors)
    return Outcome(
        data=said.get("data"),
        limits=limits,
        errors=shown,
        errors_left_out=len(errors) - len(shown),
        was_refused=bool(shown) and not _has_values(said.get("data")),
    )


def decode_exactly(text: bytes) -> Any:
    """
    Decode JSON so that encoding it again writes every number unchanged.

    A number beyond a double's range comes as text: clients refuse the whole answer for it. Raises ValueError or
    RecursionError. Only what has other numbers than short whole ones takes the slower way.
    """
    if not _LONG_NUMBER.search(text):
        return orjson.loads(text)
    return json.loads(text, parse_float=_exact_number, parse_int=_exact_whole, parse_constant=_refuse_constant)


def _exact_whole(digits: str) -> Any:
    if len(digits) <= MAX_WHOLE_DIGITS:
        return int(digits)
    return orjson.Fragment(digits) if len(digits) <= MAX_DOUBLE_DIGITS else digits


def _exact_number(digits: str) -> float | str:
    """Keep the digits of a number. A number beyond a double's range becomes text."""
    number = read_fraction(digits)
    return digits if isinf(number) else number


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _has_values(data: Any) -> bool:
    return any(value is not None for value in data.values()) if isinstance(data, dict) else data is not None


def core_error(error: CoreError) -> GraphqlError:
    """Convert an error of our own parser or validator to the form of the answer."""
    places = [ErrorLocation(line=place.line, column=place.column) for place in error.locations or []]
    return GraphqlError(message=error.message, path=list(error.path) if error.path else None, locations=places or None)


def _is_graphql(said: dict[str, Any]) -> bool:
    errors = said.get("errors")
    return ("data" in said or bool(errors)) and (errors is None or isinstance(errors, list))


def read_errors(errors: list[Any]) -> list[GraphqlError]:
    """Read the first fifty errors of an answer, in any form."""
    return [_error(one) for one in errors[:MAX_ERRORS]]


def _error(said: object) -> GraphqlError:
    if not isinstance(said, dict):
        return GraphqlError(message=str(said))
    message, path, places = said.get("message"), said.get("path"), said.get("locations")
    return GraphqlError(
        message=message if isinstance(message, str) else encode(message).decode(),
        path=[one for one in path[:MAX_PLACES] if isinstance(one, str | int)] if isinstance(path, list) else None,
        locations=[place for place in map(_place, places[:MAX_PLACES]) if place] if isinstance(places, list) else None,
        extensions=_bound_extensions(said.get("extensions")),
    )


def _bound_extensions(extensions: object) -> dict[str, Any] | None:
    """Keep the small entries of an error's extensions, such as codes. Drop stack traces."""
    if not isinstance(extensions, dict):
        return None
    shown = {str(name)[:MAX_NAME]: value for name, value in list(extensions.items())[:MAX_EXTENSIONS]}
    return {name: value for name, value in shown.items() if _size(value) <= MAX_EXTENSION_BYTES} or None


def _size(value: object) -> int:
    try:
        return len(encode(value))
    except TypeError:  # nested too deeply, or half of a surrogate pair
        return MAX_EXTENSION_BYTES + 1


def _place(said: object) -> ErrorLocation | None:
    if isinstance(said, dict) and isinstance(said.get("line"), int) and isinstance(said.get("column"), int):
        return ErrorLocation(line=said["line"], column=said["column"])
    return None


def _without_secrets(body: bytes, secrets: Iterable[str]) -> bytes:
    """Blank the header values that an upstream repeats in its answer."""
    for secret in secrets:
        for part in {secret, secret.rpartition(" ")[2]}:
            if len(part) >= MIN_SECRET:
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
