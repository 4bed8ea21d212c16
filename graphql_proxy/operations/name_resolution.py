"""Resolution of names to ids by the upstream's own search. An ambiguous name is returned to the caller."""

import re
from typing import Any, Literal

from graphql_proxy.operations import refusals
from graphql_proxy.operations.hockey_contracts import Clarification, OperationAnswer
from graphql_proxy.operations.operation import operation_named, run
from graphql_proxy.upstreams import KnownUpstream

FIND = "Find"
MAX_CANDIDATES = 8

Kind = Literal["player", "team"]


class Several(Exception):
    """A name that fits several candidates. It is an answer of its own, not an error."""

    def __init__(self, clarification: Clarification, *, upstream: KnownUpstream) -> None:
        super().__init__(clarification.question)
        self.clarification = clarification
        self.upstream = upstream

    def answer(self) -> OperationAnswer:
        """Return the clarification."""
        return OperationAnswer(
            upstream=self.upstream.slug, rows=[], clarification=self.clarification, not_offered=[], notes=[]
        )


async def resolve_name(
    given: str, *, kind: Kind, upstream: KnownUpstream, parameter: str = "", league: str | None = None
) -> str:
    """
    Return the id of a name or id. A number is an id; a name is searched at the upstream.

    Raises Several, and ToolError NOT_FOUND or NOT_OFFERED.
    """
    text = " ".join(given.split())
    operation = await operation_named(f"get_{kind}")
    if re.fullmatch(r"[0-9]{1,12}", text):
        return text
    variables = {"q": text, "limit": MAX_CANDIDATES, "league": league}
    found = await run(operation, step=FIND, variables=variables, upstream=upstream, limit=MAX_CANDIDATES)
    candidates = [row for row in found.flat.rows if row.get("id") is not None]
    if not candidates:
        raise refusals.not_found(kind, given=given, upstream=upstream)
    fitting = _keep_fitting(text, candidates)
    if len(fitting) == 1:
        return str(fitting[0]["id"])
    total = found.flat.total or len(candidates)
    more = f", the first {len(candidates)} of {total}" if total > len(candidates) else ""
    raise Several(
        Clarification(parameter=parameter or kind, question=f"Which {kind} is {given!r}{more}?", candidates=fitting),
        upstream=upstream,
    )


def _keep_fitting(text: str, candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep the candidate whose id or full name matches exactly, else keep all."""
    wanted = text.casefold()
    by_id = [row for row in candidates if str(row["id"]).casefold() == wanted]
    by_name = [row for row in candidates if str(row.get("name", "")).casefold() == wanted]
    return by_id or by_name or candidates
