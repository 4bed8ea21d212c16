"""Errors of the tools made of stored documents."""

from collections.abc import Sequence

from graphql_proxy.contracts import GraphqlError
from graphql_proxy.operations.hockey_contracts import NOT_CONFIGURED, NOT_FOUND, NOT_OFFERED, REFUSED_BY_UPSTREAM
from graphql_proxy.operations.schema_fitting import MissingInSchema
from graphql_proxy.upstreams import KnownUpstream
from toolbox.contract.errors import ToolError

MAX_SHOWN = 5
_SUBJECTS = (("player", "players"), ("skater", "players"), ("goalie", "players"), ("team", "teams"), ("game", "games"))


def not_configured(tool: str) -> ToolError:
    """Say that a tool's document is missing."""
    return ToolError(
        NOT_CONFIGURED,
        f"The document of {tool} is missing, turned off or not usable.",
        suggestion="The operator of this server can fix it in the admin, under Saved operations; use execute_graphql.",
    )


def missing_in_schema(tool: str, *, lacking: MissingInSchema, upstream: KnownUpstream) -> ToolError:
    """Say what the upstream does not have."""
    if lacking.fields:
        subject = _subject(lacking.fields[0])
        names = " and ".join(lacking.fields)
        message = f"The upstream {upstream.slug} has no {subject}: its schema has no query {names}."
    else:
        names = ", ".join(lacking.arguments)
        message = f"The upstream {upstream.slug} cannot tell {tool} apart by {names}: its query takes no such argument."
    return ToolError(
        NOT_OFFERED,
        message,
        suggestion="Ask another upstream by its name, or see what this one has with introspect_schema.",
        field="upstream",
        details={"lacking": [*lacking.fields, *lacking.arguments], "upstream": upstream.slug},
    )


def not_found(kind: str, *, given: str, upstream: KnownUpstream) -> ToolError:
    """Say that a name or id matches nothing."""
    return ToolError(
        NOT_FOUND,
        f"The upstream {upstream.slug} knows no {kind} {given!r}.",
        suggestion=f"Give a part of the {kind}'s name, spelt as the league spells it, or its id.",
        field=kind,
    )


def refused_by_upstream(
    tool: str, *, errors: Sequence[GraphqlError], hints: Sequence[str], upstream: KnownUpstream
) -> ToolError:
    """Report the upstream's errors that came instead of an answer."""
    return ToolError(
        REFUSED_BY_UPSTREAM,
        f"The upstream {upstream.slug} answered {tool} with: {errors[0].message[:500]}",
        suggestion=hints[0] if hints else "Change the arguments as the message says, or use execute_graphql.",
        details={"errors": [error.message[:500] for error in errors[:MAX_SHOWN]], "hints": list(hints[:MAX_SHOWN])},
    )


def _subject(field: str) -> str:
    found = [subject for word, subject in _SUBJECTS if word in field.lower()]
    return found[0] if found else f"{field}"
