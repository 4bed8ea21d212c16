"""How PostgreSQL executes each statement: which index, and how long."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.latency import READER_OPTIONS
from benchmarks.questions import BenchmarkQuestion

RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A summary of a plan: its scans, its rows, planning and execution time in milliseconds."""

    scans: str
    rows: int
    planning_ms: float
    execution_ms: float


def explain(question: BenchmarkQuestion, *, reader_url: str) -> Plan:
    """Run EXPLAIN ANALYZE several times with the reader's settings, and return the fastest."""
    wanted = question.statement
    with psycopg.connect(reader_url, autocommit=True, options=READER_OPTIONS) as connection:
        # The client fills in the values: EXPLAIN then plans for them, as a prepared statement's first runs do.
        cursor = psycopg.ClientCursor(connection)
        plans = []
        for _ in range(RUNS):
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {wanted.sql}".encode(), wanted.parameters)
            plans.append(_read(cursor.fetchone()))
    return min(plans, key=lambda plan: plan.execution_ms)


def _read(row: Any) -> Plan:
    explained = row[0][0]
    root = explained["Plan"]
    return Plan(
        scans=", ".join(dict.fromkeys(_scans(root))),
        rows=int(root["Actual Rows"]),
        planning_ms=explained["Planning Time"],
        execution_ms=explained["Execution Time"],
    )


def _scans(node: dict[str, Any]) -> Iterator[str]:
    if "Scan" in node["Node Type"]:
        yield f"{node['Node Type']} {node.get('Index Name') or node.get('Relation Name', '')}".strip()
    for part in node.get("Plans", ()):
        yield from _scans(part)
