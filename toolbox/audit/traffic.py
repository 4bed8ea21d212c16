"""
Figures of calls by tool, from counts that a database trigger keeps: equal in every process and across restarts.

Reads no call itself, so the cost does not grow with their number.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from toolbox.audit.log import LOST_SECONDS
from toolbox.contract.errors import RATE_LIMITED
from toolbox.database.pools import owner_pool

MAX_BY_HOURS = timedelta(days=2)
"""Longer spans are counted by days."""
BOUNDS = (1, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000, 30000)
"""Lower bounds of the duration buckets in milliseconds; migration 0005 has the same ones."""

_BY_TOOL = """
SELECT domain, tool, outcome, code, bucket, sum(calls)::bigint AS calls, sum(milliseconds) AS milliseconds
FROM toolbox_call_counts
WHERE grain = %s AND began_at >= %s
GROUP BY domain, tool, outcome, code, bucket
ORDER BY domain, tool
LIMIT 20000
"""
_BY_DAY = """
SELECT began_at, outcome, code, bucket, sum(calls)::bigint AS calls
FROM toolbox_call_counts
WHERE grain = 'day' AND began_at >= %s AND domain <> 'console'
GROUP BY began_at, outcome, code, bucket
LIMIT 50000
"""
_LOST = """
SELECT domain, tool, count(*) AS calls
FROM toolbox_tool_calls
WHERE outcome = 'unknown' AND heartbeat_at < now() - make_interval(secs => %s)
GROUP BY domain, tool
LIMIT 1000
"""


@dataclass(slots=True)
class Traffic:
    """Figures of the calls of one tool; an empty tool stands for unknown names."""

    domain: str
    tool: str
    outcomes: dict[tuple[str, str], int] = field(default_factory=dict)
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    milliseconds: float = 0.0

    @property
    def calls(self) -> int:
        """Return the number of calls."""
        return sum(self.buckets)

    @property
    def failed_calls(self) -> int:
        """Return how many failed: crashes and passed deadlines."""
        return sum(count for (outcome, _), count in self.outcomes.items() if outcome == "failed")

    @property
    def refused_calls(self) -> int:
        """Return how many were refused, rate-limited ones included."""
        return sum(count for (outcome, _), count in self.outcomes.items() if outcome == "refused")

    @property
    def rate_limited(self) -> int:
        """Return how many were refused by the rate limit."""
        return sum(count for (_, code), count in self.outcomes.items() if code == RATE_LIMITED.code)

    def quantile(self, share: float) -> float | None:
        """Estimate the duration in milliseconds that this share of the calls stayed below, to within a bucket."""
        wanted, below = self.calls * share, 0
        for number, count in enumerate(self.buckets):
            if count and below + count >= wanted:
                low = BOUNDS[number - 1] if number else 0.0
                high = BOUNDS[number] if number < len(BOUNDS) else low
                return low + (high - low) * (wanted - below) / count
            below += count
        return None


@dataclass(frozen=True, slots=True)
class Span:
    """A period whose calls are counted, by hours or by days, from `since` on."""

    grain: str
    since: datetime

    @classmethod
    def last(cls, length: timedelta, *, until: datetime) -> "Span":
        """Return the period of this length up to `until`, in whole hours if short, in whole days if long."""
        if length > MAX_BY_HOURS:
            return cls("day", (until - length).replace(hour=0, minute=0, second=0, microsecond=0))
        return cls("hour", (until - length).replace(minute=0, second=0, microsecond=0))


ALL_TIME = Span("all", datetime(1970, 1, 1, tzinfo=UTC))


async def by_tool(span: Span = ALL_TIME) -> list[Traffic]:
    """Return the figures of the period for each tool. Raises DatabaseUnavailable."""
    found: dict[tuple[str, str], Traffic] = {}
    for row in (await owner_pool.fetch(_BY_TOOL, [span.grain, span.since])).rows:
        traffic = found.setdefault((row["domain"], row["tool"]), Traffic(row["domain"], row["tool"]))
        ending = row["outcome"], row["code"]
        traffic.outcomes[ending] = traffic.outcomes.get(ending, 0) + row["calls"]
        traffic.buckets[row["bucket"]] += row["calls"]
        traffic.milliseconds += row["milliseconds"]
    return list(found.values())


async def lost_calls() -> dict[tuple[str, str], int]:
    """Count calls by domain and tool whose process was killed while they wrote. Raises DatabaseUnavailable."""
    found = await owner_pool.fetch(_LOST, [LOST_SECONDS])
    return {(row["domain"], row["tool"]): row["calls"] for row in found.rows}


def sum_traffic(parts: Iterable[Traffic]) -> Traffic:
    """Add up the figures of several tools."""
    whole = Traffic("", "")
    for part in parts:
        whole.milliseconds += part.milliseconds
        whole.buckets = [mine + its for mine, its in zip(whole.buckets, part.buckets, strict=True)]
        for ending, count in part.outcomes.items():
            whole.outcomes[ending] = whole.outcomes.get(ending, 0) + count
    return whole


async def by_day(*, since: datetime) -> dict[datetime, Traffic]:
    """Return the figures of each day since then, without console pages. Raises DatabaseUnavailable."""
    found: dict[datetime, Traffic] = {}
    for row in (await owner_pool.fetch(_BY_DAY, [since])).rows:
        traffic = found.setdefault(row["began_at"], Traffic("", ""))
        ending = row["outcome"], row["code"]
        traffic.outcomes[ending] = traffic.outcomes.get(ending, 0) + row["calls"]
        traffic.buckets[row["bucket"]] += row["calls"]
    return found
