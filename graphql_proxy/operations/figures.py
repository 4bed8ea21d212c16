"""What the upstreams that are open to all really have, for descriptions of tools: queries, and the six operations."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from graphql_proxy import queries
from graphql_proxy.operations.operation import Operation, read_operation
from graphql_proxy.operations.schema_fitting import MissingInSchema, fit_document
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream, upstreams
from toolbox.database.pools import reader

MAX_NAMED = 5
SAMPLE = "hockey"
"""The upstream that ships: a part of the API that the contract describes."""
FULL_QUERIES = 321
"""The queries of that API, as the contract counts them."""


@dataclass(slots=True)
class _Figures:
    """Sentences as they were last worked out."""

    counts: str = ""
    operations: dict[str, str] = field(default_factory=dict)


_figures = _Figures()


def describe_counts() -> str:
    """Give how many queries each upstream has; empty until it was counted."""
    return _figures.counts


def describe_operation(name: str) -> Callable[[], str]:
    """Give what says which upstreams have one of the contract's operations; empty until it was worked out."""
    return lambda: _figures.operations.get(name, "")


async def refresh() -> None:
    """Count again: the watcher of these tables calls it when they change."""
    known = [(upstream, await schemas.find(upstream.slug)) for upstream in await upstreams() if upstream.is_open][
        :MAX_NAMED
    ]
    rows = await queries.operations(reader=reader)
    _figures.counts = _count(known)
    _figures.operations = {row["name"]: _say_where(read_operation(row), known) for row in rows if row["is_contract"]}


def _count(known: Iterable[tuple[KnownUpstream, KnownSchema | None]]) -> str:
    parts = []
    for upstream, schema in known:
        count = f"{schema.query_count:,} queries" if schema else "a schema that is not stored"
        part = f"; the full hockey API has {FULL_QUERIES}" if schema and upstream.slug == SAMPLE else ""
        parts.append(f"{_name(upstream)}: {count}{part}")
    return f"Upstreams now: {'; '.join(parts)}." if parts else "No upstream is open to every key now."


def _say_where(operation: Operation, known: Iterable[tuple[KnownUpstream, KnownSchema | None]]) -> str:
    having = [_name(upstream) for upstream, schema in known if schema is None or _has(operation, schema)]
    lacking = [_name(upstream) for upstream, schema in known if schema is not None and not _has(operation, schema)]
    if not lacking:
        return ""
    elsewhere = f"Upstreams that have it: {', '.join(having)}." if having else "No upstream has it now."
    return f"{elsewhere} Not there: {', '.join(lacking)}."


def _has(operation: Operation, known: KnownSchema) -> bool:
    """Tell whether a schema has what every step of an operation cannot do without."""
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
