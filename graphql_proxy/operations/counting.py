"""Counts of queries and operations of the open upstreams, for the descriptions of tools."""

from collections.abc import Iterable, Mapping

from graphql_proxy import queries
from graphql_proxy.operations.figures import figures
from graphql_proxy.operations.operation import Operation, read_operation
from graphql_proxy.operations.schema_fitting import MissingInSchema, fit_document
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream, upstreams
from toolbox.database.pools import reader

MAX_NAMED = 5
MAX_JUDGED_BYTES = 8_388_608
"""A larger schema is not parsed to see whether it has the hockey operations."""
SAMPLE = "hockey"
"""The shipped upstream, a part of the API that the contract describes."""
FULL_QUERIES = 321
"""The number of queries of that API by the contract."""


async def refresh() -> None:
    """
    Refresh the counts. The watcher of these tables calls this on every change.

    Counts come from the rows: a schema of 50 MB takes gigabytes once it is parsed, and every process comes by here.
    """
    known = [upstream for upstream in await upstreams() if upstream.is_open][:MAX_NAMED]
    newest = await queries.newest_schemas([upstream.id for upstream in known], reader=reader) if known else {}
    figures.counts = _count(known, newest)
    judged = [
        (upstream, await schemas.find(upstream.slug))
        for upstream in known
        if upstream.id not in newest or newest[upstream.id]["sdl_bytes"] <= MAX_JUDGED_BYTES
    ]
    rows = await queries.operations(reader=reader)
    figures.operations = {row["name"]: _say_where(read_operation(row), judged) for row in rows if row["is_contract"]}


def _count(known: Iterable[KnownUpstream], newest: Mapping[int, queries.Row]) -> str:
    parts = []
    for upstream in known:
        row = newest.get(upstream.id)
        count = f"{row['query_count']:,} queries" if row else "a schema that is not stored"
        part = f"; the full hockey API has {FULL_QUERIES}" if row and upstream.slug == SAMPLE else ""
        parts.append(f"{_name(upstream)}: {count}{part}")
    return f"Upstreams now: {'; '.join(parts)}." if parts else "No upstream is open to every key now."


def _say_where(operation: Operation, known: Iterable[tuple[KnownUpstream, KnownSchema | None]]) -> str:
    having, lacking = list[str](), list[str]()
    for upstream, schema in known:
        (having if schema is None or _has(operation, schema) else lacking).append(_name(upstream))
    if not lacking:
        return ""
    elsewhere = f"Upstreams that have it: {', '.join(having)}." if having else "No upstream has it now."
    return f"{elsewhere} Not there: {', '.join(lacking)}."


def _has(operation: Operation, known: KnownSchema) -> bool:
    """Return whether a schema has the fields that every step of an operation needs."""
    try:
        for step, mapping in operation.mapping.items():
            fit_document(operation.document, operation=step, needs=mapping.needs, given={}, schema=known.schema)
    except MissingInSchema:
        return False
    except (KeyError, ValueError):
        return True  # the operation itself is not usable, which it says when it is called
    return True


def _name(upstream: KnownUpstream) -> str:
    return f"{upstream.slug}{' (the default)' if upstream.is_default else ''}"
