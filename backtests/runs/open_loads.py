"""
Whether a run is stored whole, from its row. Pure.

A load notes itself in the row with its first batch and takes the note away with its last one (`ingest/batch.py`). A
killed load leaves its note. The same log, loaded again, takes it away.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from backtests.contracts.answers import IncompleteRun

RUN_STATE = "event_count, last_event_at, open_loads, now() AS asked_at"
"""The columns that `describe_open_loads` reads."""
MAX_SILENCE = timedelta(seconds=60)
"""Time without a batch after which a load may have been killed."""
_SO_FAR = "This answer is of the events stored so far."
_STATES = {
    "inProgress": ("The run is being loaded.", "Ask again when the load has ended."),
    "silent": (
        "The run's load has stored nothing for a minute or more: it was killed, or waits for the rest of its log.",
        "If no load is running, load the same log again: what is stored is not stored twice.",
    ),
    "brokenOff": (
        "The run's load ended before its log did.",
        "Load the same log again: what is stored is not stored twice.",
    ),
}
"""What is known of the load, and what completes the run."""


def describe_open_loads(row: Mapping[str, Any]) -> IncompleteRun | None:
    """Return what a run lacks; None for a run that is stored whole."""
    loads = row["open_loads"]
    if not loads:
        return None
    last = max(datetime.fromisoformat(load["stored_at"]) for load in loads.values())
    running = [load for load in loads.values() if not load["is_over"]]
    silent = all(row["asked_at"] - datetime.fromisoformat(load["stored_at"]) > MAX_SILENCE for load in running)
    state = "brokenOff" if not running else "silent" if silent else "inProgress"
    return IncompleteRun(
        run_id=row["run_id"], events_stored=row["event_count"], last_event_at=row["last_event_at"], load=state,
        last_stored_at=last, note=f"{_STATES[state][0]} {_SO_FAR} {_STATES[state][1]}",
    )  # fmt: skip


def tell_how_to_complete(incomplete: IncompleteRun) -> str:
    """Say what is known of the load of an incomplete run, and what completes the run."""
    return " ".join(_STATES[incomplete.load])
