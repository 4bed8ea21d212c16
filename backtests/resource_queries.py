"""SQL of a run's facts and of completions: runs, securities; at most 101 values, one more than a completion shows."""

from typing import Any
from uuid import UUID

from toolbox.database.pools import reader

_FACTS = """
SELECT run_id, name, engine, coalesce(started_at, first_event_at) AS started_at,
       coalesce(ended_at, last_event_at) AS ended_at, config_hash, event_count, malformed_count, quarantined_count,
       counts_by_type, counts_by_severity, first_event_at, last_event_at, symbols, stored_at,
       sweep, parameters, labels, open_loads, now() AS asked_at
FROM backtests_runs WHERE run_id = %s LIMIT 1
"""
_RUNS = """
SELECT run_id::text AS value FROM backtests_runs
WHERE starts_with(run_id::text, lower(%(typed)s)) OR starts_with(lower(name), lower(%(typed)s))
ORDER BY stored_at DESC, run_id LIMIT 101
"""
_SYMBOLS = """
SELECT DISTINCT symbol AS value
FROM (
  SELECT symbols FROM backtests_runs WHERE %(run)s = '' OR run_id::text = lower(%(run)s)
  ORDER BY stored_at DESC LIMIT 200
) AS latest, jsonb_array_elements_text(symbols) AS symbol
WHERE starts_with(lower(symbol), lower(%(typed)s))
ORDER BY symbol LIMIT 101
"""


async def facts(run_id: UUID) -> dict[str, Any] | None:
    """Fetch the facts of a run."""
    rows = (await reader.fetch(_FACTS, [run_id])).rows
    return rows[0] if rows else None


async def runs(typed: str) -> list[str]:
    """Return ids of runs whose id or name has this prefix, newest first."""
    return await _values(_RUNS, typed=typed)


async def symbols(typed: str, *, run: str) -> list[str]:
    """Return securities of a run, or of the latest 200 runs."""
    return await _values(_SYMBOLS, typed=typed, run=run)


async def _values(statement: str, **parameters: str) -> list[str]:
    return [row["value"] for row in (await reader.fetch(statement, parameters)).rows]
