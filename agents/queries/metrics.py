"""Counts of runs, for metrics and the admin's first page. Each query reads a bounded number of rows."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from agents.models import FINAL, LIVE
from toolbox.database.pools import work_pool

MAX_RUNS = 20_000

_LIVE = """
SELECT state, count(*) AS runs, min(created_at) AS oldest FROM (
    SELECT state, created_at FROM agents_runs
    WHERE state IN ('queued', 'running', 'awaiting_approval') LIMIT 20000
) AS live GROUP BY state LIMIT 10
"""
_ENDED = """
SELECT state, count(*) AS runs, sum(cost) AS cost, sum(prompt_tokens + completion_tokens)::bigint AS tokens FROM (
    SELECT state, cost, prompt_tokens, completion_tokens FROM agents_runs
    WHERE created_at >= %s AND state IN ('succeeded', 'failed', 'cancelled', 'timed_out')
    ORDER BY created_at DESC LIMIT 20000
) AS latest GROUP BY state LIMIT 10
"""


@dataclass(slots=True)
class RunCounts:
    """Runs by state: live ones, and ended ones that began since a time; at most 20,000 of each."""

    runs: dict[str, int] = field(default_factory=lambda: dict.fromkeys([*LIVE, *FINAL], 0))
    oldest_queued: datetime | None = None
    cost: Decimal = Decimal(0)
    tokens: int = 0

    @property
    def is_cut(self) -> bool:
        """Return whether there were more than were counted."""
        return sum(self.runs[state] for state in FINAL) >= MAX_RUNS


async def count_runs(*, since: datetime) -> RunCounts:
    """Count runs; raises DatabaseUnavailable."""
    found = RunCounts()
    for row in (await work_pool.fetch(_LIVE)).rows:
        found.runs[row["state"]] = row["runs"]
        if row["state"] == "queued":
            found.oldest_queued = row["oldest"]
    for row in (await work_pool.fetch(_ENDED, [since])).rows:
        found.runs[row["state"]] = row["runs"]
        found.cost += row["cost"]
        found.tokens += row["tokens"]
    return found
