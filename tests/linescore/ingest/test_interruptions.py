"""Killed in the middle of writing: whole games or nothing, and the next run finishes the work."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files

import psycopg
import pytest
from django.conf import settings

from linescore.models import Game, Period
from tests.conftest import server_environment

GATE = 4711
PERIODS_BLOCK_AT_THE_GATE = """
CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.game_id = %(game_id)s AND NEW.period_number = 2 THEN
    PERFORM pg_advisory_xact_lock_shared(%(gate)s);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER gate BEFORE INSERT ON linescore_periods FOR EACH ROW EXECUTE FUNCTION wait_at_gate();
"""
SEASON = str(files("linescore") / "samples" / "periods_2024_2025.csv.gz")


@pytest.fixture
def gate(scratch_database: None) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Empty the season, and block writes of one game's second period while the gate is held."""
    with psycopg.connect(server_environment()["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("TRUNCATE linescore_games CASCADE")
        connection.execute(PERIODS_BLOCK_AT_THE_GATE % {"game_id": 2024020650, "gate": GATE})
        connection.execute(f"SELECT pg_advisory_lock({GATE})")
        yield connection


@pytest.mark.slow
def test_killed_while_it_writes_it_leaves_whole_games_and_the_next_run_adds_the_rest(
    gate: psycopg.Connection[tuple[object, ...]],
) -> None:
    with _ingest() as process:
        _until_someone_waits_at(gate, process=process)
        process.send_signal(signal.SIGKILL)
    gate.execute(f"SELECT pg_advisory_unlock({GATE})")

    left = Game.objects.count()
    torn = [game for game in Game.objects.all() if game.periods.count() < 3]
    with _ingest() as process:
        again, _ = process.communicate(timeout=120)

    assert (left, torn) == (600, [])
    assert again.splitlines()[-1] == f"{1312 - left} added, 0 changed, {left} skipped, 0 refused"
    assert (Game.objects.count(), Period.objects.count()) == (1312, 4284)


def _ingest() -> subprocess.Popen[str]:
    command = [sys.executable, "manage.py", "ingest_linescore", SEASON]
    return subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=server_environment(), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _until_someone_waits_at(gate: psycopg.Connection[tuple[object, ...]], *, process: subprocess.Popen[str]) -> None:
    """Poll until a transaction waits at the gate, or the process has ended."""
    question = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
    while not gate.execute(question, [GATE]).fetchone():
        assert process.poll() is None, "it ended without waiting at the gate"
