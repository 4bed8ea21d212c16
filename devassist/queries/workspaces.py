"""SQL of workspaces and their keys. It runs as the owner, because the reader role cannot read keys."""

from typing import Any

from toolbox.database.pools import Pool

Row = dict[str, Any]

_WORKSPACES = """
SELECT
  w.id, w.name, w.root, w.is_open, w.is_default, w.shows_secrets,
  coalesce(array_agg(k.id) FILTER (WHERE k.id IS NOT NULL), '{}') AS key_ids,
  coalesce(array_agg(DISTINCT k.owner_id) FILTER (WHERE k.id IS NOT NULL), '{}') AS owner_ids
FROM devassist_workspaces AS w
LEFT JOIN devassist_workspace_keys AS chosen ON chosen.workspace_id = w.id
LEFT JOIN toolbox_api_keys AS k
  ON k.id = chosen.apikey_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
GROUP BY w.id
ORDER BY w.name
LIMIT 1000
"""


async def fetch_workspaces(*, owner_pool: Pool) -> list[Row]:
    """Return every workspace by name, each with the active keys chosen for it and their owners."""
    return (await owner_pool.fetch(_WORKSPACES)).rows
