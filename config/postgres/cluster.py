"""Start the embedded PostgreSQL on demand; the last process that uses it stops it."""

import atexit
import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

from config.postgres.client_programs import read_major
from config.postgres.location import SHARED_HOME, Place, find_place, make_shared_folder
from config.postgres.roles import provision
from config.refcounted_process import is_last, join, lock_start

SUPERUSER = "postgres"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "max_wal_size": "4GB",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
START_TIMEOUT_SECONDS = 60
MAX_PROCESS_KIB = 1_048_576
"""
Address space of each process of the server, shared buffers included.

PostgreSQL limits no role's memory, and SQL written by a model runs here. A statement of any role that needs more than
about 700 MB of its own fails with "out of memory"; the server and its other sessions continue. Linux only.
"""
_LIMITED = f'ulimit -v {MAX_PROCESS_KIB} 2>/dev/null; exec "$0" "$@"'
PROVISIONED = "provisioned-4"
"""Marker file of a provisioned cluster; raise its number when config/postgres/roles.py creates more."""

_in_use: dict[Path, IO[str]] = {}


class PostgresDidNotStart(RuntimeError):
    """The embedded server did not start; the message holds the end of its log."""


def ensure_running(var: Path) -> Place:
    """
    Start or join the embedded server below `var`, provisioned; this process uses it until it ends.

    The first call in a fresh clone creates the cluster (about 2 s); the first call of a process starts the server
    (about 0.2 s) or joins it. Safe from many processes at once. Raises PostgresDidNotStart.
    """
    place = find_place(var)
    if place.home in _in_use:
        return place
    _make_folders(place)
    users = join(place.home)
    with lock_start(place.home):
        make(place)
    _in_use[place.home] = users
    atexit.register(_leave_at_exit, place, os.getpid())
    return place


def address(place: Place, *, database: str, user: str) -> str:
    """Return the server's address as a postgresql:// URL."""
    return f"postgresql://{user}@/{database}?host={place.sockets}"


def revive(place: Place) -> None:
    """Start the server again if it has died; its clients reconnect by themselves."""
    with lock_start(place.home):
        if not _is_running(place):
            start(place)


def make(place: Place) -> None:
    """Create the cluster if there is none, start it, provision it; the caller must hold `lock_start`."""
    _make_folders(place)
    if not (place.data / "PG_VERSION").exists():
        _initialise(place)
    if not _is_running(place):
        start(place)
    _provision_once(place)


def start(place: Place) -> None:
    """Start the server of an existing cluster. Raises PostgresDidNotStart."""
    log = place.data / "server.log"
    try:
        _run(
            place,
            "/bin/sh",
            "-c",
            _LIMITED,
            str(place.programs / "pg_ctl"),
            "-D",
            str(place.data),
            "-l",
            str(log),
            "-w",
            "-t",
            str(START_TIMEOUT_SECONDS),
            "-o",
            f"-k '{place.sockets}'",
            "start",
        )
    except PostgresDidNotStart as failed:
        tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        raise PostgresDidNotStart(f"{failed}\n{tail}{_find_version_advice(place)}") from failed


def stop(place: Place) -> None:
    """Stop the server if it runs; the caller must hold `lock_start` or be its last user."""
    _stop(place, mode="fast")


def crash(place: Place) -> None:
    """
    Stop the server as a power cut would, even while others use it.

    Nobody can revive it before it is down: pg_ctl looks ten times a second for the process that the server's file
    names, and would wait a minute for a new one.
    """
    with lock_start(place.home):
        _stop(place, mode="immediate")


def _stop(place: Place, *, mode: Literal["fast", "immediate"]) -> None:
    if _is_running(place):
        _run(place, "pg_ctl", "-D", str(place.data), "-m", mode, "-w", "stop")


def leave(place: Place) -> None:
    """Stop using the server, and stop it if nobody else uses it; calling it again does no harm."""
    users = _in_use.pop(place.home, None)
    if users is None:
        return
    if not is_last(users):
        users.close()
        return
    stop(place)
    if place.sockets.parent != place.home:
        with suppress(OSError):
            place.sockets.rmdir()
    users.close()


def _leave_at_exit(place: Place, process_id: int) -> None:
    """Leave, except in a forked child, whose lock is its parent's."""
    if os.getpid() == process_id:
        leave(place)


def _make_folders(place: Place) -> None:
    try:
        if SHARED_HOME in place.home.parents:
            make_shared_folder()
        place.home.mkdir(parents=True, exist_ok=True)
        if place.home.stat().st_uid == os.geteuid():
            place.home.chmod(0o711)  # whatever the umask
    except OSError as error:
        raise PostgresDidNotStart(f"{place.home} cannot be made: {error.strerror}") from error
    for folder in (place.data, place.sockets):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            if place.account:
                os.chown(folder, place.account.pw_uid, place.account.pw_gid)
        if folder.stat().st_uid != (place.account.pw_uid if place.account else os.geteuid()):
            raise PostgresDidNotStart(f"{folder} belongs to another user. Remove it, or set TOOLROOM_VAR elsewhere.")


def _initialise(place: Place) -> None:
    flags = [f"-c{name}={value}" for name, value in SETTINGS.items()]
    locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    _run(place, "initdb", "-D", str(place.data), "-U", SUPERUSER, "--auth=trust", *locale, *flags)


def _find_version_advice(place: Place) -> str:
    made_with, now = int((place.data / "PG_VERSION").read_text()), read_major(place.programs)
    if made_with == now:
        return ""
    return f"The cluster was made by PostgreSQL {made_with}, the programs are {now}: run manage.py upgrade_cluster."


def _is_running(place: Place) -> bool:
    status = _program(place, "pg_ctl", "-D", str(place.data), "status")
    return status.returncode == 0


def _provision_once(place: Place) -> None:
    marker = place.home / PROVISIONED
    if not marker.exists():
        provision(address(place, database="postgres", user=SUPERUSER), template="template1")
        marker.touch()


def _run(place: Place, program: str, *arguments: str) -> None:
    done = _program(place, program, *arguments)
    if done.returncode:
        raise PostgresDidNotStart(f"{program} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")


def _program(place: Place, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    account = place.account
    # A pipe would stay open in the server that pg_ctl leaves behind, so the output goes to a file.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(
            [str(place.programs / program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
            cwd="/",
            check=False,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )
        output.seek(0)
        return subprocess.CompletedProcess(done.args, done.returncode, "", output.read())
