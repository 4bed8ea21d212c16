"""The outcomes of a drill's runs, and which guarantees were broken."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

FINAL_STATES = ("succeeded", "failed", "cancelled", "timed_out")
_MAY_HAVE_BEEN_DONE = "may have been done already"
_RUNS = """
SELECT run.id, run.state, run.attempt, run.losses, run.event_count,
    (SELECT count(*) FROM agents_events AS event WHERE event.run_id = run.id) AS events,
    (SELECT coalesce(max(number), 0) FROM agents_events AS event WHERE event.run_id = run.id) AS last_event,
    (SELECT count(*) FROM agents_messages AS said WHERE said.run_id = run.id AND said.role = 'assistant') AS answers,
    (SELECT count(*) FROM agents_events AS event WHERE event.run_id = run.id AND event.kind = 'approval.needed'
        AND strpos(event.data->>'reason', %(doubt)s) > 0) AS doubts
FROM agents_runs AS run WHERE run.id = ANY (%(runs)s)
"""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one run. `writes` and `reads` count the lines of its tools in the journal."""

    run_id: UUID
    phase: str
    state: str
    attempt: int
    losses: int
    event_count: int
    events: int
    last_event: int
    answers: int
    doubts: int
    writes: int
    reads: int
    was_killed_inside: bool = False
    """Its worker was killed during the write."""


def find_violations(outcomes: Sequence[Outcome]) -> list[str]:
    """Return every broken guarantee with its run."""
    return [f"{one.phase} {one.run_id}: {words}" for one in outcomes for words in _find_faults(one)]


def read_runs(connection: psycopg.Connection[Any], *, runs: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """Read the state of the runs."""
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_RUNS.encode(), {"runs": list(runs), "doubt": _MAY_HAVE_BEEN_DONE}).fetchall()
    return {row["id"]: row for row in rows}


def make_outcome(
    row: Mapping[str, Any], *, phase: str, token: str, journal: Counter[str], was_killed_inside: bool
) -> Outcome:
    """Combine what the database and the journal say about a run."""
    names = ("state", "attempt", "losses", "event_count", "events", "last_event", "answers", "doubts")
    return Outcome(
        run_id=row["id"],
        phase=phase,
        writes=journal[f"write {token}"],
        reads=journal[f"read {token}"],
        was_killed_inside=was_killed_inside,
        **{name: row[name] for name in names},
    )


def _find_faults(one: Outcome) -> list[str]:
    faults = []
    if one.state not in FINAL_STATES:
        faults.append(f"did not end: {one.state}")
    elif one.state != "succeeded":
        faults.append(f"ended as {one.state}")
    elif one.answers != 1:
        faults.append(f"answered {one.answers} times")
    if one.writes > 1:
        faults.append(f"wrote {one.writes} times")
    if not one.event_count == one.events == one.last_event:
        faults.append(f"has {one.events} events, the last {one.last_event}, counted {one.event_count}: a gap")
    if one.was_killed_inside and not one.doubts:
        faults.append("was killed while it wrote, and no person was asked")
    return faults
