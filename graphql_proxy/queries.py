"""SQL of this domain. The reader role runs it, except for headers and chosen keys, which only the owner can read."""

from typing import Any

from toolbox.database.pools import Pool

Row = dict[str, Any]

_UPSTREAMS = """
SELECT
  id, slug, title, address, is_default, is_local, is_open, allows_mutations, allows_introspection, timeout_seconds,
  cache_seconds, most_answer_bytes, most_document_bytes, most_tokens, most_depth, most_aliases, most_root_fields,
  most_directives, most_list_size, assumed_list_size, most_cost, size_names, caller_header,
  needs_caller_credential, max_answer_tokens
FROM graphql_proxy_upstreams
WHERE is_enabled
ORDER BY is_default DESC, slug
LIMIT 200
"""

_OPEN_TO = """
SELECT chosen.upstream_id, chosen.apikey_id AS key_id, key.owner_id
FROM graphql_proxy_upstream_keys AS chosen
JOIN toolbox_api_keys AS key ON key.id = chosen.apikey_id
WHERE key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())
LIMIT 10000
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
    """Return every enabled upstream, the default first."""
    return (await reader.fetch(_UPSTREAMS)).rows


async def open_to(*, pool: Pool) -> list[Row]:
    """Return the keys chosen for upstreams that are not open to all, with their owners."""
    return (await pool.fetch(_OPEN_TO)).rows


async def headers(upstream_id: int, *, pool: Pool) -> list[Row]:
    """Return an upstream's headers, encrypted."""
    return (await pool.fetch(_HEADERS, [upstream_id])).rows


async def hints(*, reader: Pool) -> list[Row]:
    """Return the enabled hints in their order."""
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
    """Return the enabled operations by name, each with its upstream's slug, NULL for the default."""
    return (await reader.fetch(_OPERATIONS)).rows


_NEWEST_SCHEMAS = """
SELECT DISTINCT ON (upstream_id) upstream_id, version, query_count, type_count, taken_at, octet_length(sdl) AS sdl_bytes
FROM graphql_proxy_schemas
WHERE upstream_id = ANY(%s)
ORDER BY upstream_id, version DESC
LIMIT 200
"""


async def newest_schemas(upstream_ids: list[int], *, reader: Pool) -> dict[int, Row]:
    """Return the metadata of each upstream's newest schema, without its text."""
    rows = (await reader.fetch(_NEWEST_SCHEMAS, [upstream_ids])).rows
    return {row["upstream_id"]: row for row in rows}
