"""A loader that is killed outright and run again leaves what one clean load leaves."""

import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import connection

from backtests.models import Run
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl, strategy
from tests.conftest import server_environment

LOADER = """
import os, signal, sys
import django
django.setup()
from uuid import UUID
from backtests.ingest import batch, load
from backtests.ingest.report import LoadReport
load.BATCH_EVENTS = 300
left = int(sys.argv[3])
def bomb(name, original):
    def exploding(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **kwargs)
    setattr(batch, name, exploding)
for name in ("write_events", "write_lists", "write_orders", "_count", "store_batch"):
    bomb(name, getattr(batch, name))
load.store_batch = batch.store_batch
with open(sys.argv[1], "rb") as lines:
    load.load_lines(lines, run_id=UUID(sys.argv[2]), report=LoadReport(), overlaps=sys.argv[4] == "overlapped")
"""

CONTENTS = [
    """
    SELECT number, event_id, occurred_at, event_type, root_number, trail, properties::text, validation_errors::text
    FROM backtests_events WHERE run_id = %s ORDER BY number
    """,
    """
    SELECT list, chunk, size, total, squares, lowest, highest, events, moments, numbers
    FROM backtests_lists WHERE run_id = %s ORDER BY list, chunk
    """,
    """SELECT order_id, moment, number, until, is_open, executed, state_number FROM backtests_order_states
    WHERE run_id = %s ORDER BY 1, 2, 3""",
    """
    SELECT event_count, counts_by_type, counts_by_severity, symbols, first_event_at, last_event_at, open_loads
    FROM backtests_runs WHERE run_id = %s
    """,
    "SELECT line_number, reason FROM backtests_quarantine WHERE run_id = %s ORDER BY 1",
]


def contents(run_id: UUID) -> list[Any]:
    found = []
    with connection.cursor() as cursor:
        for statement in CONTENTS:
            cursor.execute(statement, [run_id])
            found.append(cursor.fetchall())
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "way"),
    [([0, 3], "in turn"), ([1, 2, 4], "overlapped"), ([7, 11], "overlapped"), ([13, 14], "in turn")],
)
def test_a_killed_load_run_again_equals_a_clean_one(
    load: Load, tmp_path: Path, django_db_blocker: Any, kills: list[int], way: str
) -> None:
    clean, killed = uuid4(), uuid4()
    events = list(strategy("", events=2000, seed=5))
    for event in events:
        del event["RunId"]
    lines = [*jsonl(events)[:1500], b"rubbish\n", *jsonl(events)[1200:]]
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(lines))
    load(lines, run_id=clean)

    for survived in [*kills, 10_000]:
        run = subprocess.run(
            [sys.executable, "-c", LOADER, str(file), str(killed), str(survived), way],
            cwd=settings.BASE_DIR,
            env=server_environment() | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            check=False,
        )
        assert run.returncode == (-9 if survived < 10_000 else 0)
        with django_db_blocker.unblock():
            stored = Run.objects.filter(run_id=killed).values_list("event_count", "open_loads").first()
        assert stored is None or bool(stored[1]) == (survived < 10_000), "a killed load is open until it is whole"

    with django_db_blocker.unblock():
        assert contents(killed) == contents(clean)
