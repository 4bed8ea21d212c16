"""The SQL of this domain. All but the headers is read as the reader role; those only the owner can see."""

from typing import Any

from toolbox.pool import Pool

Row = dict[str, Any]

_UPSTREAMS = """
SELECT
  id, slug, title, address, is_default, is_local, allows_mutations, allows_introspection, timeout_seconds,
  cache_seconds, most_answer_bytes, most_document_bytes, most_tokens, most_depth, most_aliases, most_root_fields,
  most_directives, most_list_size, assumed_list_size, most_cost
FROM graphql_proxy_upstreams
WHERE is_enabled
ORDER BY is_default DESC, slug
LIMIT 200
"""

_HEADERS = """
SELECT name, sealed_value, variable
FROM graphql_proxy_upstream_headers
WHERE upstream_id = %s
ORDER BY name
LIMIT 50
"""

_HINTS = """
SELECT id, name, matcher, pattern, layer, lookup, hint, upstream_id
FROM graphql_proxy_error_hints
WHERE is_enabled
ORDER BY "order", id
LIMIT 500
"""


async def upstreams(*, reader: Pool) -> list[Row]:
    """Give every enabled upstream, the default first."""
    return (await reader.fetch(_UPSTREAMS)).rows


async def headers(upstream_id: int, *, ledger: Pool) -> list[Row]:
    """Give an upstream's headers, still sealed."""
    return (await ledger.fetch(_HEADERS, [upstream_id])).rows


async def hints(*, reader: Pool) -> list[Row]:
    """Give the enabled hints in the order in which they are said."""
    return (await reader.fetch(_HINTS)).rows


_OPERATIONS = """
SELECT o.name, o.description, o.document, o.variables_schema, o.result_mapping, o.example, o.is_contract, u.slug
FROM graphql_proxy_operations AS o
LEFT JOIN graphql_proxy_upstreams AS u ON u.id = o.upstream_id
WHERE o.is_enabled
ORDER BY o.name
LIMIT 500
"""


async def operations(*, reader: Pool) -> list[Row]:
    """Give the enabled operations by name, each with its upstream's slug, NULL for the default."""
    return (await reader.fetch(_OPERATIONS)).rows
