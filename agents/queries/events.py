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
    """Tell whether nothing will come after this event: the run has ended, or is no more."""
    found = await work_pool.fetch(_OVER, [number, run_id])
    return not found.rows or bool(found.rows[0]["is_over"])


async def load_events(run_id: UUID, *, number: int) -> list[dict[str, Any]]:
    """Give the next events of a run, 200 at most."""
    return (await work_pool.fetch(_AFTER, [run_id, number])).rows


async def find_approval_event(run_id: UUID) -> dict[str, Any] | None:
    """Give the latest event that told of a call to be approved."""
    found = await work_pool.fetch(_NEEDED, [run_id])
    return found.rows[0] if found.rows else None
