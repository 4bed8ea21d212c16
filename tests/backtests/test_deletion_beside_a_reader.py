"""Deleting a run while a transaction reads the tables of all runs in another order."""

from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest
from django.db import connections

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from tests.backtests import makers
from tests.blocking import post_as_curator, wait_until_blocked
from toolbox.database.pools import direct_conninfo

MADE = "0d7f5c7e-52aa-4b0e-8a53-0c2f7c9d4e11"


@pytest.mark.slow  # the database looks for deadlocks after a second
@pytest.mark.usefixtures("scratch_database")
def test_the_deletion_is_repeated_where_the_database_undid_it() -> None:
    """The deletion locks events and waits for lists; the reader has lists and waits for events."""
    load_lines(makers.jsonl(makers.strategy(MADE, events=50)), run_id=None, report=LoadReport())

    def delete() -> None:
        try:
            post_as_curator(f"/admin/backtests/run/{MADE}/delete/", {"post": "yes"})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as pool:
        with psycopg.connect(direct_conninfo()) as reader:
            reader.execute("SELECT 1 FROM backtests_lists LIMIT 1")
            deletion: Future[None] = pool.submit(delete)
            assert wait_until_blocked(reader.info.backend_pid, work=deletion)
            try:
                reader.execute("SELECT 1 FROM backtests_events LIMIT 1")
            except psycopg.errors.DeadlockDetected:  # the reader, not the deletion, was undone
                reader.rollback()
        deletion.result(timeout=60)
    assert not Run.objects.filter(pk=MADE).exists()
