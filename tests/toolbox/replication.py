"""A separate cluster with a streaming replica, from the wheel's programs; tests stop and pause it."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from config.postgres.cluster import SUPERUSER, _program, _run, address, ensure_running, leave
from config.postgres.location import Place
from config.postgres.roles import DATABASE, OWNER, READER

MAX_ASKED = 3_000


@dataclass(frozen=True, kw_only=True)
class ReplicatedCluster:
    """A primary with roles and database, and its replica."""

    primary: Place
    replica: Path

    def reader(self) -> str:
        """Return the reader's address on the replica."""
        return f"postgresql://{READER}@/{DATABASE}?host={self.replica / 'run'}"

    def owner(self) -> str:
        """Return the owner's address on the primary."""
        return address(self.primary, database=DATABASE, user=OWNER)

    def superuser(self, *, of_replica: bool = False) -> psycopg.Connection[Any]:
        """Connect as the superuser."""
        host = self.replica / "run" if of_replica else self.primary.sockets
        return psycopg.connect(f"postgresql://{SUPERUSER}@/{DATABASE}?host={host}", autocommit=True)

    def start(self) -> None:
        """Start the replica."""
        options = f"-k '{self.replica / 'run'}'"
        log = str(self.replica / "log")
        _run(self.primary, "pg_ctl", "-D", str(self.replica / "data"), "-l", log, "-w", "-o", options, "start")

    def stop(self) -> None:
        """Kill the replica as a power cut would."""
        _program(self.primary, "pg_ctl", "-D", str(self.replica / "data"), "-m", "immediate", "-w", "stop")

    @contextmanager
    def hang(self) -> Iterator[None]:
        """Stop every process of the replica (SIGSTOP)."""
        first = int((self.replica / "data" / "postmaster.pid").read_text().splitlines()[0])

        def send(number: int) -> None:
            children = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True, check=False).stdout
            for process in (first, *map(int, children.split())):
                with suppress(ProcessLookupError):
                    os.kill(process, number)

        send(signal.SIGSTOP)
        try:
            yield
        finally:
            send(signal.SIGCONT)

    @contextmanager
    def pause_replay(self) -> Iterator[None]:
        """Pause the replay of the WAL."""
        with self.superuser(of_replica=True) as superuser:
            superuser.execute("SELECT pg_wal_replay_pause()")
            for _ in range(MAX_ASKED):
                if superuser.execute("SELECT pg_get_wal_replay_pause_state()").fetchone() == ("paused",):
                    break
            try:
                yield
            finally:
                superuser.execute("SELECT pg_wal_replay_resume()")


@contextmanager
def run_replicated_cluster() -> Iterator[ReplicatedCluster]:
    """Create both clusters, and delete them afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="toolroom-replica-"))
    folder.chmod(0o711)  # started by root, PostgreSQL runs as nobody, who must be able to enter
    place = ensure_running(folder / "primary")
    made = ReplicatedCluster(primary=place, replica=folder / "replica")
    try:
        for name in ("", "data", "run"):
            (made.replica / name).mkdir(mode=0o700)
            if place.account:
                os.chown(made.replica / name, place.account.pw_uid, place.account.pw_gid)
        data = str(made.replica / "data")
        _run(place, "pg_basebackup", "-D", data, "-R", "-c", "fast", "-h", str(place.sockets), "-U", SUPERUSER)
        made.start()
        yield made
    finally:
        made.stop()
        leave(place)
        shutil.rmtree(folder, ignore_errors=True)
