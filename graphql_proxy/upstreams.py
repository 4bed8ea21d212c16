"""Known upstreams and who may use them, cached for 4 s, so that a change in the admin needs no restart."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings

from graphql_proxy import queries, refusals
from graphql_proxy.secrets import Sealed, unseal
from toolbox.contract.caller import Caller
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool, reader


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownUpstream:
    """A row of Upstream. The model describes each limit."""

    id: int
    slug: str
    title: str
    address: str
    is_default: bool
    is_local: bool
    is_open: bool
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
    size_names: str
    caller_header: str
    needs_caller_credential: bool
    max_answer_tokens: int

    @classmethod
    def from_row(cls, row: Any) -> "KnownUpstream":
        """Convert a row of the model."""
        return cls(**{name: getattr(row, name) for name in _NAMES})


_upstreams: TtlCache[list[KnownUpstream]] = TtlCache()
_chosen_keys: TtlCache[list[queries.Row]] = TtlCache()
_headers: TtlCache[dict[str, str]] = TtlCache()
_NAMES = tuple(field.name for field in fields(KnownUpstream))


async def upstreams() -> list[KnownUpstream]:
    """Return every enabled upstream, the default first. Runs one statement in 4 s."""

    async def read() -> list[KnownUpstream]:
        rows = await queries.upstreams(reader=reader)
        return [KnownUpstream(**{name: row[name] for name in _NAMES}) for row in rows]

    return await _upstreams.get("all", read)


async def upstream_named(slug: str | None) -> KnownUpstream:
    """Return the upstream of a name, by default the default (or the first) one. Raises ToolError."""
    known = await upstreams()
    if not known:
        raise refusals.no_upstream()
    if slug is None:
        return known[0]
    return _choose(slug, known=known)


async def upstream_for(caller: Caller, *, named: str | None) -> KnownUpstream:
    """
    Return the upstream of a call: the named one, else the key's own default, else the server's default.

    One that the caller may not ask is refused as one that is not there. Raises ToolError.
    """
    known = await upstreams()
    if not known:
        raise refusals.no_upstream()
    usable = await upstreams_of(caller)
    if named is not None:
        return _choose(named, known=usable, whose=" that this key may ask")
    if caller.default_upstream:
        own = next((upstream for upstream in usable if upstream.slug == caller.default_upstream), None)
        if own is None:
            raise refusals.lost_default(caller.default_upstream, known=[upstream.slug for upstream in usable])
        return own
    if usable and (usable[0].is_default or len(usable) == 1 or usable[0] is known[0]):
        return usable[0]
    raise refusals.no_default(known=[upstream.slug for upstream in usable])


async def upstreams_of(caller: Caller) -> list[KnownUpstream]:
    """Return the upstreams open to all and those open to this caller, the default first."""
    known = await upstreams()
    if all(upstream.is_open for upstream in known) or _is_operator(caller):
        return known
    opened = await _list_opened_to(caller)
    return [upstream for upstream in known if upstream.is_open or upstream.id in opened]


async def who_may_ask(upstream: KnownUpstream) -> Callable[[Caller], bool]:
    """Return a predicate on callers for an upstream that is not open to all. It knows the keys chosen now."""
    chosen = [row for row in await _chosen_rows() if row["upstream_id"] == upstream.id]
    return lambda caller: _is_operator(caller) or any(_is_of(caller, row) for row in chosen)


async def _list_opened_to(caller: Caller) -> set[int]:
    return {row["upstream_id"] for row in await _chosen_rows() if _is_of(caller, row)}


async def _chosen_rows() -> list[queries.Row]:
    """Return the chosen keys, each with its upstream. Runs one statement as the owner in 4 s."""

    async def read() -> list[queries.Row]:
        return await queries.open_to(pool=owner_pool)

    return await _chosen_keys.get("all", read)


def _is_of(caller: Caller, row: queries.Row) -> bool:
    """
    Return whether a chosen key is the caller's.

    A conversation has none, and a client that a person connected is the person's, so any of the owner's counts.
    """
    if caller.key_id is not None and not caller.issuer:
        return bool(row["key_id"] == caller.key_id)
    return bool(row["key_id"] == caller.key_id or row["owner_id"] == caller.owner_id)


def _is_operator(caller: Caller) -> bool:
    """Return whether the caller is the operator of this machine, who could change the rows as well."""
    return caller.key_id is None and caller.owner_id is None


def _choose(slug: str, *, known: Iterable[KnownUpstream], whose: str = "") -> KnownUpstream:
    by_slug = {upstream.slug: upstream for upstream in known}
    if slug not in by_slug:
        raise refusals.unknown_upstream(slug, known=by_slug, whose=whose)
    return by_slug[slug]


async def headers_of(upstream: KnownUpstream) -> dict[str, str]:
    """Return the decrypted headers of this upstream. Runs one statement as the owner in 4 s."""

    async def read() -> dict[str, str]:
        rows = await queries.headers(upstream.id, pool=owner_pool)
        return open_headers(upstream, rows=rows)

    return await _headers.get(upstream.id, read)


def open_headers(upstream: KnownUpstream, *, rows: Iterable[queries.Row]) -> dict[str, str]:
    """Decrypt the rows of headers. Raises ToolError if a secret is unavailable."""
    return {row["name"]: _value(upstream, row) for row in rows}


def _value(upstream: KnownUpstream, row: queries.Row) -> str:
    if row["variable"]:
        value: str = settings.GRAPHQL_SECRETS.get(row["variable"], "")
        if not value:
            raise refusals.unset_variable(slug=upstream.slug, header=row["name"])
        return value
    try:
        return unseal(bytes(row["sealed_value"]))
    except Sealed as sealed:
        raise refusals.unreadable_secret(slug=upstream.slug, header=row["name"]) from sealed
