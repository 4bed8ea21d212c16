"""
The server's metrics for Prometheus.

Calls, runs and jobs are counted in the database, so any process reports those of all, workers included. Metrics of one
process have its process id as a label.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from agents.queries.metrics import RunCounts, count_runs
from config.observability.health import Part, parts
from sprints.sql_sandbox.analyst_pool import analyst
from toolbox.audit import traffic
from toolbox.audit.log import audit
from toolbox.audit.traffic import BOUNDS, Traffic
from toolbox.database.notifications import notifications
from toolbox.database.pools import owner_pool, reader, relaxed_pool, work_pool, writer
from toolbox.database.replicas import ReplicatedPool
from toolbox.work.jobs import count_by_state

POOLS = {
    "reader": reader,
    "owner": owner_pool,
    "writer": writer,
    "runs": work_pool,
    "beats": relaxed_pool,
    "analyst": analyst,
}
A_DAY = timedelta(days=1)


async def exposition() -> bytes:
    """Return every metric in Prometheus's text format; raises DatabaseUnavailable."""
    calls = await traffic.by_tool()
    lost = _write_lost_calls(await traffic.lost_calls())
    runs = await count_runs(since=datetime.now(UTC) - A_DAY)
    families = [*_calls(calls), lost, *_runs(runs), _jobs(await count_by_state()), *_process(), _parts(await parts())]
    registry = CollectorRegistry()
    registry.register(_FixedCollector(families))
    return generate_latest(registry)


class _FixedCollector(Collector):
    """A collector of given metrics."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        """Return them."""
        return self._families


def _calls(calls: list[Traffic]) -> Iterator[Metric]:
    labels = ["domain", "tool"]
    counted = CounterMetricFamily("toolroom_calls", "Calls of tools, by how they ended.", labels=[*labels, "outcome"])
    limited = CounterMetricFamily("toolroom_calls_rate_limited", "Calls that came too often.", labels=labels)
    lasted = HistogramMetricFamily("toolroom_call_seconds", "How long calls took.", labels=labels)
    for one in calls:
        for outcome in sorted({outcome for outcome, _ in one.outcomes}):
            count = sum(number for (ended, _), number in one.outcomes.items() if ended == outcome)
            counted.add_metric([one.domain, one.tool, outcome], count)
        limited.add_metric([one.domain, one.tool], one.rate_limited)
        lasted.add_metric([one.domain, one.tool], buckets=_buckets(one), sum_value=one.milliseconds / 1000)
    yield from (counted, limited, lasted)


def _write_lost_calls(calls: dict[tuple[str, str], int]) -> Metric:
    family = GaugeMetricFamily(
        "toolroom_calls_outcome_unknown",
        "Calls that write whose process was killed before their outcome was recorded.",
        labels=["domain", "tool"],
    )
    for (domain, tool), count in calls.items():
        family.add_metric([domain, tool], count)
    return family


def _buckets(one: Traffic) -> list[tuple[str, float]]:
    """Return cumulative buckets, as the format requires."""
    upper = [*(f"{bound / 1000:g}" for bound in BOUNDS), "+Inf"]
    return [(bound, sum(one.buckets[: number + 1])) for number, bound in enumerate(upper)]


def _runs(runs: RunCounts) -> Iterator[Metric]:
    states = GaugeMetricFamily(
        "toolroom_runs", "Runs of conversations by state; those ended, of the last day.", labels=["state"]
    )
    for state, count in runs.runs.items():
        states.add_metric([state], count)
    yield states
    waited = (datetime.now(UTC) - runs.oldest_queued).total_seconds() if runs.oldest_queued else 0.0
    yield GaugeMetricFamily("toolroom_runs_oldest_queued_seconds", "How long the oldest has waited.", value=waited)


def _jobs(counts: dict[str, int]) -> Metric:
    family = GaugeMetricFamily("toolroom_jobs", "Jobs by state; those ended, of the last day.", labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family


def _process() -> Iterator[Metric]:
    process = str(os.getpid())
    in_use = GaugeMetricFamily("toolroom_pool_in_use", "Connections that work.", labels=["pool", "process"])
    size = GaugeMetricFamily("toolroom_pool_size", "Connections there may be.", labels=["pool", "process"])
    for name, pool in POOLS.items():
        in_use.add_metric([name, process], pool.in_use)
        size.add_metric([name, process], pool.max_size)
    waiting = GaugeMetricFamily("toolroom_audit_waiting", "Calls that wait to be recorded.", labels=["process"])
    waiting.add_metric([process], audit.waiting_count)
    yield from (in_use, size, waiting)
    arriving = GaugeMetricFamily("toolroom_notifications_arrive", "Whether NOTIFY arrives here.", labels=["process"])
    if notifications.is_arriving is not None:
        arriving.add_metric([process], float(notifications.is_arriving))
    yield arriving
    yield from _replicas(process)


def _replicas(process: str) -> Iterator[Metric]:
    if not isinstance(reader, ReplicatedPool):
        return
    reads = CounterMetricFamily("toolroom_reads", "Reads of tools, by where.", labels=["where", "process"])
    for where, count in reader.reads.items():
        reads.add_metric([where, process], count)
    lag = GaugeMetricFamily("toolroom_replica_lag_seconds", "How far it is behind.", labels=["replica", "process"])
    is_read = GaugeMetricFamily("toolroom_replica_read", "Whether reads go to it.", labels=["replica", "process"])
    usable = reader.list_usable()
    for replica in reader.replicas:
        if not replica.why_away:
            lag.add_metric([replica.name, process], replica.lag_seconds)
        is_read.add_metric([replica.name, process], float(replica in usable))
    yield from (reads, lag, is_read)


def _parts(known: list[Part]) -> Metric:
    family = GaugeMetricFamily("toolroom_part_up", "Whether a part answers.", labels=["part"])
    for part in known:
        if part.is_up is not None:
            family.add_metric([part.name], float(part.is_up))
    return family
