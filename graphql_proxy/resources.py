"""MCP resources of this domain: types and queries of upstreams' schemas, with completions of their names."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from graphql_proxy.addresses import QUERY, SDL, TYPE
from graphql_proxy.tools import toolkit
from graphql_proxy.upstreams import upstream_for, upstreams_of
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.resources import CompletionRequest

if TYPE_CHECKING:
    from graphql_proxy.schema.store import KnownSchema

KEEP_SECONDS = 300.0
MAX_VALUES = 101


async def _upstreams(typed: CompletionRequest) -> list[str]:
    return _find_by_prefix(typed.text, names=[upstream.slug for upstream in await upstreams_of(typed.caller)])


async def _types(typed: CompletionRequest) -> list[str]:
    known = await _schema(typed)
    names = known.schema.type_map if known else ()
    return _find_by_prefix(typed.text, names=[name for name in names if not name.startswith("__")])


async def _queries(typed: CompletionRequest) -> list[str]:
    known = await _schema(typed)
    return _find_by_prefix(
        typed.text, names=known.schema.query_type.fields if known and known.schema.query_type else ()
    )


toolkit.completers.update(upstream=_upstreams, type=_types, query=_queries)


@toolkit.resource(
    TYPE,
    title="A type of a GraphQL schema",
    mime_type=SDL,
    ttl_seconds=KEEP_SECONDS,
    completes={"upstream": _upstreams, "type": _types},
)
async def graphql_type(
    *,
    upstream: Annotated[str, "The upstream's name."],
    type: Annotated[str, "The type's name."],  # noqa: A002 - the schema's word
    client: ClientChannel,
) -> str | None:
    """Write a type with all its fields, arguments and descriptions, as the schema writes it."""
    from graphql import print_type

    from graphql_proxy.schema.store import schemas

    known = await schemas.find((await upstream_for(client.caller, named=upstream)).slug)
    found = known.schema.type_map.get(type) if known else None
    return print_type(found) if found else None


@toolkit.resource(
    QUERY,
    title="A query of a GraphQL schema",
    mime_type=SDL,
    ttl_seconds=KEEP_SECONDS,
    completes={"upstream": _upstreams, "query": _queries},
)
async def graphql_query(
    *,
    upstream: Annotated[str, "The upstream's name."],
    query: Annotated[str, "The query's name."],
    client: ClientChannel,
) -> str | None:
    """Write a query with all its arguments and descriptions, and a document that the schema accepts."""
    from graphql import GraphQLObjectType, print_type

    from graphql_proxy.schema.examples import example_for
    from graphql_proxy.schema.store import schemas

    known = await schemas.find((await upstream_for(client.caller, named=upstream)).slug)
    fields = known.schema.query_type.fields if known and known.schema.query_type else {}
    if known is None or query not in fields:
        return None
    written = print_type(GraphQLObjectType("Query", {query: fields[query]}))
    return (
        f"{written}\n\n# A document that runs:\n{_comment_out(str(example_for(known.schema, name=query)['query']))}\n"
    )


async def _schema(typed: CompletionRequest) -> "KnownSchema | None":
    from graphql_proxy.schema.store import schemas

    upstream = await upstream_for(typed.caller, named=typed.chosen.get("upstream") or None)
    return await schemas.find(upstream.slug)


def _find_by_prefix(typed: str, *, names: Iterable[str]) -> list[str]:
    wanted = typed.lower()
    return sorted(name for name in names if name.lower().startswith(wanted))[:MAX_VALUES]


def _comment_out(document: str) -> str:
    return "\n".join(f"# {line}" for line in document.splitlines())
