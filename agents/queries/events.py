"""Events, as streams read them."""

from typing import Any
from uuid import UUID

from toolbox.database.pools import work_pool

PAGE = 200

_AFTER = """
SELECT number, kind, data, at FROM agents_events WHERE run_id = %s AND number > %s ORDER BY number LIMIT 200
"""
_NEEDED = """
SELECT number, data FROM agents_events WHERE run_id = %s AND kind = 'approval.needed' ORDER BY number DESC LIMIT 1
"""
_OVER = "SELECT finished_at IS NOT NULL AND event_count <= %s AS is_over FROM agents_runs WHERE id = %s LIMIT 1"


async def is_over(run_id: UUID, *, number: int) -> bool:
    """Return whether no event will follow this one: the run has ended or was deleted."""
    found = await work_pool.fetch(_OVER, [number, run_id])
    return not found.rows or bool(found.rows[0]["is_over"])


async def load_events(run_id: UUID, *, number: int) -> list[dict[str, Any]]:
    """Return the next events of a run, at most 200."""
    return (await work_pool.fetch(_AFTER, [run_id, number])).rows


async def find_approval_event(run_id: UUID) -> dict[str, Any] | None:
    """Return the latest event that asked for an approval, or None."""
    found = await work_pool.fetch(_NEEDED, [run_id])
    return found.rows[0] if found.rows else None
