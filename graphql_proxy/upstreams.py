"""Which upstreams there are, remembered for 4 s, so that a change in the admin needs no restart."""

from dataclasses import dataclass, fields

from django.conf import settings

from graphql_proxy import queries, refusals
from graphql_proxy.secrets import Sealed, unseal
from toolbox.ledger import ledger
from toolbox.memory import Memory
from toolbox.reader import reader


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownUpstream:
    """A row of Upstream; see the model for what each limit means."""

    id: int
    slug: str
    title: str
    address: str
    is_default: bool
    is_local: bool
    allows_mutations: bool
    allows_introspection: bool
    timeout_seconds: float
    cache_seconds: int
    most_answer_bytes: int
    most_document_bytes: int
    most_tokens: int
    most_depth: int
    most_aliases: int
    most_root_fields: int
    most_directives: int
    most_list_size: int
    assumed_list_size: int
    most_cost: int


_upstreams: Memory[list[KnownUpstream]] = Memory()
_headers: Memory[dict[str, str]] = Memory()
_NAMES = tuple(field.name for field in fields(KnownUpstream))


async def upstreams() -> list[KnownUpstream]:
    """Give every upstream that may be asked, the default first; one statement in 4 s."""

    async def read() -> list[KnownUpstream]:
        rows = await queries.upstreams(reader=reader)
        return [KnownUpstream(**{name: row[name] for name in _NAMES}) for row in rows]

    return await _upstreams.get("all", read)


async def upstream_named(slug: str | None) -> KnownUpstream:
    """Give the upstream of that name, without a name the default (or the only) one; raises ToolError."""
    known = await upstreams()
    if not known:
        raise refusals.no_upstream()
    if slug is None:
        return known[0]
    for upstream in known:
        if upstream.slug == slug:
            return upstream
    raise refusals.unknown_upstream(slug, known=[upstream.slug for upstream in known])


async def headers_of(upstream: KnownUpstream) -> dict[str, str]:
    """Give the headers that this upstream wants, opened; one statement as the owner in 4 s."""

    async def read() -> dict[str, str]:
        rows = await queries.headers(upstream.id, ledger=ledger)
        return {row["name"]: _value(upstream, row) for row in rows}

    return await _headers.get(upstream.id, read)


def _value(upstream: KnownUpstream, row: queries.Row) -> str:
    if row["variable"]:
        value: str = settings.GRAPHQL_SECRETS.get(row["variable"], "")
    else:
        try:
            value = unseal(bytes(row["sealed_value"]))
        except Sealed as sealed:
            raise refusals.unreadable_secret(slug=upstream.slug, header=row["name"]) from sealed
    if not value:
        raise refusals.unreadable_secret(slug=upstream.slug, header=row["name"])
    return value
