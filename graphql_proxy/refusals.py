"""Errors of this domain. No message contains an address or the value of a header."""

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from graphql_proxy.contracts import (
    CREDENTIAL_REFUSED,
    DOCUMENT_REFUSED,
    MUTATION_REFUSED,
    NO_UPSTREAM,
    UNKNOWN_UPSTREAM,
    UPSTREAM_ERROR,
    UPSTREAM_LIMIT,
    UPSTREAM_TIMEOUT,
    UPSTREAM_TOO_LARGE,
    UPSTREAM_UNREACHABLE,
)
from toolbox.contract.errors import ToolError
from toolbox.outbound.failures import (
    AddressRefused,
    AnswerTooLarge,
    DeadlineExceeded,
    TlsFailed,
    UnknownHost,
    Unreachable,
    WebFailure,
)

_ASK_A_PERSON = "The operator of this server can open an upstream to this key in the admin, under Upstreams."
_ASK_LESS = "Ask for less: fewer fields, a smaller limit, one query instead of several."


def no_upstream() -> ToolError:
    """Say that there is no upstream."""
    return ToolError(
        NO_UPSTREAM,
        "No GraphQL upstream is configured.",
        suggestion="The operator of this server can add one in the admin, under Upstreams.",
    )


def unknown_upstream(given: str, *, known: Iterable[str], whose: str = "") -> ToolError:
    """Say that an upstream does not exist, and list those that do. `whose` says for whom."""
    names = sorted(known)
    near = get_close_matches(given[:40], names, n=1, cutoff=0.7)
    return ToolError(
        UNKNOWN_UPSTREAM,
        f"There is no upstream {given[:40]!r}{whose}.",
        suggestion=f"Use one of: {', '.join(names)}; or leave upstream out for the default."
        if names
        else _ASK_A_PERSON,
        field="upstream",
        details={"upstreams": names},
        retry_with={"upstream": near[0]} if near else None,
    )


def lost_default(slug: str, *, known: Iterable[str]) -> ToolError:
    """Say that the key's own default upstream does not exist or is not open to it."""
    return _unchosen(f"This key asks {slug[:40]!r} by default, which is not there or not open to it.", known=known)


def no_default(*, known: Iterable[str]) -> ToolError:
    """Say that no upstream was named and none that the caller may query is the default."""
    return _unchosen("No upstream was named, and none that this key may ask is the default.", known=known)


def _unchosen(message: str, *, known: Iterable[str]) -> ToolError:
    names = sorted(known)
    suggestion = f"Name one as upstream: {', '.join(names)}." if names else _ASK_A_PERSON
    return ToolError(UNKNOWN_UPSTREAM, message, suggestion=suggestion, field="upstream", details={"upstreams": names})


def too_much(what: str, *, found: int, most: int) -> ToolError:
    """Say that a document exceeds one of the upstream's limits."""
    return ToolError(
        DOCUMENT_REFUSED,
        f"The document was not sent: {what} is {found:,}, and at most {most:,} is allowed.",
        suggestion=_ASK_LESS,
        field="query",
        details={"limit": what, "found": found, "most": most},
    )


def unsafe(reason: str, *, suggestion: str) -> ToolError:
    """Say that a document is unsafe."""
    return ToolError(DOCUMENT_REFUSED, f"The document was not sent: {reason}.", suggestion=suggestion, field="query")


def writes(kind: str, *, suggestion: str) -> ToolError:
    """Say that mutations and subscriptions are not allowed."""
    return ToolError(
        MUTATION_REFUSED, f"The document was not sent: it holds a {kind}.", suggestion=suggestion, field="query"
    )


def no_answer(failure: WebFailure, *, slug: str, is_local: bool) -> ToolError:
    """Say what failed in the connection."""
    match failure:
        case DeadlineExceeded():
            code, suggestion = UPSTREAM_TIMEOUT, _ASK_LESS
        case AnswerTooLarge():
            code, suggestion = UPSTREAM_TOO_LARGE, _ASK_LESS
        case AddressRefused():
            code = UPSTREAM_UNREACHABLE
            suggestion = "The operator of this server can mark the upstream as local, if that is meant."
        case UnknownHost():
            code = UPSTREAM_UNREACHABLE
            suggestion = (
                "The operator of this server must fix the upstream's address in the admin; ask another meanwhile."
            )
        case TlsFailed():
            code = UPSTREAM_UNREACHABLE
            suggestion = "The operator of this server can check its address and certificate; use another meanwhile."
        case Unreachable() if is_local:
            code = UPSTREAM_UNREACHABLE
            suggestion = "It is served by this machine: is its web process running? `manage.py quickstart` starts ours."
        case Unreachable():
            code, suggestion = UPSTREAM_UNREACHABLE, "Try again in a while, or another upstream."
        case _:
            code, suggestion = UPSTREAM_ERROR, "Try again; if it stays so, tell the operator of this server."
    return ToolError(code, f"The upstream {slug} gave no answer: {failure}.", suggestion=suggestion)


def useless_answer(reason: str, *, slug: str, status: int) -> ToolError:
    """Say that the response is not a GraphQL response."""
    return ToolError(
        UPSTREAM_ERROR,
        f"The upstream {slug} answered with HTTP {status} and {reason}.",
        suggestion="Try again; if it stays so, tell the operator of this server.",
        details={"upstreamStatus": status},
    )


def not_admitted(*, slug: str, status: int) -> ToolError:
    """Say that the upstream does not accept the configured credentials."""
    return ToolError(
        UPSTREAM_ERROR,
        f"The upstream {slug} does not admit this server (HTTP {status}).",
        suggestion="The operator of this server must renew the upstream's credentials in the admin.",
        details={"upstreamStatus": status},
    )


def slow_down(*, slug: str, status: int, seconds: float | None) -> ToolError:
    """Say that the upstream wants fewer requests. `seconds` is None or NaN if it does not say for how long."""
    return _limit_error(f"The upstream {slug} takes no more requests now (HTTP {status}).", seconds=seconds)


def limit_reached(*, slug: str, seconds: float) -> ToolError:
    """Say that a request was not sent, because the upstream would refuse it."""
    return _limit_error(
        f"The upstream {slug} takes no more requests now, as it has said; this was not sent.", seconds=seconds
    )


def _limit_error(message: str, *, seconds: float | None) -> ToolError:
    known = None if seconds is None or math.isnan(seconds) else math.ceil(seconds)
    when = f"in {known} s" if known is not None else "in a while"
    return ToolError(
        UPSTREAM_LIMIT,
        message,
        suggestion=f"Try again {when}, and ask for more at once instead of often.",
        retry_after_seconds=known,
    )


def credential_refused(reason: str, *, slug: str) -> ToolError:
    """Say that the caller's own credential is missing or is not passed on. Never reveals it."""
    return ToolError(
        CREDENTIAL_REFUSED,
        f"The upstream {slug} was not asked: {reason}.",
        suggestion=f"Send the upstream's own credential in the header X-Upstream-Credential-{slug}, or none, as the "
        "upstream is configured; a credential of this server is never passed on.",
    )


def too_heavy(size: int, *, max_bytes: int, weights: Sequence[tuple[str, int]]) -> ToolError:
    """Say that an answer exceeds the budget, and name the largest fields."""
    heaviest = ", ".join(f"{path} ({weight:,} bytes)" for path, weight in weights)
    return ToolError(
        UPSTREAM_TOO_LARGE,
        f"The answer has {size:,} bytes, and no list in it can be cut to fit {max_bytes:,}. Heaviest: {heaviest}.",
        suggestion="Leave out the heaviest fields, ask for smaller lists, or raise maxTokens.",
        details={"bytes": size, "maxBytes": max_bytes, "heaviest": dict(weights)},
    )


def unset_variable(*, slug: str, header: str) -> ToolError:
    """Say that the environment variable of a header is not set."""
    return ToolError(
        UPSTREAM_ERROR,
        f"The upstream {slug} cannot be asked: the environment variable of its header {header} is not set.",
        suggestion="The operator of this server must set the variable and start the server again.",
    )


def unreadable_secret(*, slug: str, header: str) -> ToolError:
    """Say that the value of a header cannot be decrypted."""
    return ToolError(
        UPSTREAM_ERROR,
        f"The upstream {slug} cannot be asked: a secret of it is not readable ({header}).",
        suggestion="The operator of this server must enter the upstream's secret again in the admin.",
    )
