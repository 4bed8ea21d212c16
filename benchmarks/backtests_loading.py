"""Measure how fast a log is loaded in a separate process, beside a bare COPY of the same rows."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from uuid import UUID

import psycopg
from psycopg import sql

from benchmarks.backtests_log import Log
from benchmarks.servers import PROJECT, database_cpu_seconds

TABLES = ("events", "lists", "order_states")
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """The figures of loading one log."""

    events: int
    seconds: float
    cpu_seconds: float
    database_cpu_seconds: float
    peak_megabytes: float
    copy_seconds: float
    copy_events_seconds: float
    copy_cpu_seconds: float

    @property
    def rate(self) -> float:
        """Return events per second."""
        return self.events / self.seconds

    @property
    def of_copy(self) -> float:
        """Return the ratio of the rate to that of a bare COPY of everything stored."""
        return self.copy_seconds / self.seconds


def load(log: Log, *, owner_url: str) -> Loading:
    """Load the log, then copy the same rows into tables with the same indexes."""
    said = in_own_process(log.path, run_id=log.run_id)
    if said["stored"] != log.events:
        raise RuntimeError(f"{said['stored']:,} of {log.events:,} events were stored")
    with psycopg.connect(owner_url) as connection:
        connection.execute("ANALYZE")
        connection.commit()
        found = connection.execute("SELECT number FROM backtests_runs WHERE run_id = %s", [log.run_id]).fetchone()
        number = int(found[0]) if found else 0
        each = {table: _copied(connection, f"backtests_{table}_{number}") for table in TABLES}
    return Loading(
        events=log.events, seconds=said["seconds"], cpu_seconds=said["cpu"], database_cpu_seconds=said["database_cpu"],
        peak_megabytes=said["peak"], copy_seconds=sum(taken for taken, _ in each.values()),
        copy_events_seconds=each["events"][0], copy_cpu_seconds=sum(cpu for _, cpu in each.values()),
    )  # fmt: skip


def child(path: str, run_id: str) -> None:
    """Load a log in this process and print its figures as JSON; `load` starts this as a process."""
    import django  # noqa: PLC0415 - only the child needs it

    django.setup()
    from backtests.ingest.load import load_lines  # noqa: PLC0415
    from backtests.ingest.report import LoadReport  # noqa: PLC0415

    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    with Path(path).open("rb") as lines:
        report = load_lines(lines, run_id=UUID(run_id) if run_id else None, report=LoadReport(), overlaps=True)
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": used.ru_maxrss / 1024, "stored": report.stored}))


def in_own_process(path: Path, *, run_id: UUID | None) -> dict[str, float]:
    """Load a log in a separate process and return its figures; without `run_id`, into the runs that it names."""
    before = database_cpu_seconds() or 0.0
    command = [sys.executable, "-m", "benchmarks.backtests_loading", str(path), str(run_id or "")]
    done = subprocess.run(command, cwd=PROJECT, env=os.environ, check=True, capture_output=True, text=True)
    said: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return said | {"database_cpu": (database_cpu_seconds() or 0.0) - before}


def _copied(connection: psycopg.Connection[tuple[object, ...]], table: str) -> tuple[float, float]:
    """
    Time a COPY of a table's rows into an empty copy of it, indexes included, in one transaction.

    Returns elapsed seconds, and PostgreSQL's CPU seconds.
    """
    names = sql.Identifier(table), sql.Identifier("bare_copy")
    with _exported(connection, names[0]) as rows:
        connection.execute(sql.SQL("CREATE TABLE {1} (LIKE {0} INCLUDING ALL)").format(*names))
        connection.commit()
        before, started = database_cpu_seconds() or 0.0, time.perf_counter()
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(names[1])) as copy:
            while piece := rows.read(CHUNK):
                copy.write(piece)
        connection.commit()
        taken = time.perf_counter() - started
        used = (database_cpu_seconds() or 0.0) - before
    connection.execute(sql.SQL("DROP TABLE {}").format(names[1]))
    connection.commit()
    return taken, used


@contextmanager
def _exported(connection: psycopg.Connection[tuple[object, ...]], name: sql.Identifier) -> Iterator[IO[bytes]]:
    with TemporaryFile() as file:
        with connection.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(name)) as copy:
            for piece in copy:
                file.write(piece)
        connection.commit()
        file.seek(0)
        yield file


if __name__ == "__main__":
    child(*sys.argv[1:])
