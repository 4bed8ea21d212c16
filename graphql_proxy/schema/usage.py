"""Usage of fields, arguments and inputs, counted in our own record of calls."""

import asyncio
from collections import Counter
from collections.abc import Iterable

import orjson
from graphql import (
    ArgumentNode,
    FieldNode,
    GraphQLError,
    GraphQLSchema,
    Node,
    ObjectFieldNode,
    TypeInfo,
    Visitor,
    get_named_type,
    parse,
    visit,
)

from toolbox.database.caches import TtlCache
from toolbox.database.pools import Pool, owner_pool

KEEP_SECONDS = 300.0
MAX_TOKENS = 5_000

_CALLS = """
SELECT arguments FROM (
    SELECT tool, outcome, arguments, called_at FROM toolbox_tool_calls ORDER BY called_at DESC LIMIT 20000
) AS latest
WHERE tool IN ('execute_graphql', 'execute_graphql_mutation') AND outcome = 'answered'
ORDER BY called_at DESC LIMIT 500
"""

_counts: TtlCache[Counter[str]] = TtlCache(seconds=KEEP_SECONDS)


async def count_uses(
    schema: GraphQLSchema, *, slug: str, is_default: bool, version: int, pool: Pool = owner_pool
) -> Counter[str]:
    """
    Count how many of an upstream's last answered calls use each coordinate. Runs one statement in five minutes.

    A call without an upstream counts for the default one. Variables hold no coordinates that are counted.
    """

    async def read() -> Counter[str]:
        rows = (await pool.fetch(_CALLS)).rows
        calls = [row["arguments"] for row in rows]
        return await asyncio.to_thread(count_coordinates, calls, schema=schema, slug=slug, is_default=is_default)

    return await _counts.get((slug, version), read)


def count_coordinates(calls: Iterable[str], *, schema: GraphQLSchema, slug: str, is_default: bool) -> Counter[str]:
    """Count coordinates once a call: `Repository.issues`, `Repository.issues.first`, `IssueFilters.since`."""
    counted: Counter[str] = Counter()
    for call in calls:
        try:
            said = orjson.loads(call)
            if said.get("upstream") == slug or (is_default and said.get("upstream") is None):
                types = TypeInfo(schema)
                uses = _Uses(types)
                visit(parse(said["query"], no_location=True, max_tokens=MAX_TOKENS), uses)
                counted.update(uses.found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, GraphQLError):
            continue  # the record keeps only the beginning of long arguments
    return counted


class _Uses(Visitor):
    """A visitor that collects the coordinates of one document."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self.types = types
        self.found: set[str] = set()
        self._field = ""

    def enter(self, node: Node, *_: object) -> None:
        """Record a field, an argument or an input field."""
        types = self.types
        types.enter(node)
        if isinstance(node, FieldNode) and (parent := types.get_parent_type()):
            self._field = f"{parent.name}.{node.name.value}"
            self.found.add(self._field)
        elif isinstance(node, ArgumentNode):
            self.found.add(f"{self._field}.{node.name.value}")
        elif isinstance(node, ObjectFieldNode) and (holder := types.get_parent_input_type()):
            self.found.add(f"{get_named_type(holder).name}.{node.name.value}")

    def leave(self, node: Node, *_: object) -> None:
        """Leave a node."""
        self.types.leave(node)
