"""How many queries the upstreams open to all really have, for the description of `execute_graphql`."""

from graphql_proxy.schemas import schemas
from graphql_proxy.upstreams import upstreams

MAX_NAMED = 5

_said = ""


def said() -> str:
    """Give the sentence as it was last worked out; empty until then."""
    return _said


async def refresh() -> None:
    """Count again: whoever watches these tables calls it when they change."""
    global _said
    parts: list[str] = []
    open_ones = [upstream for upstream in await upstreams() if upstream.is_open]
    for upstream in open_ones[:MAX_NAMED]:
        known = await schemas.of(upstream.slug)
        count = f"{known.query_count:,} queries" if known else "a schema that is not stored"
        parts.append(f"{upstream.slug}{' (the default)' if upstream.is_default else ''}: {count}")
    _said = f"Upstreams now: {'; '.join(parts)}." if parts else "No upstream is open to every key now."
