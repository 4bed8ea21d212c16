"""PgBouncer in front of the tests' database, if installed."""

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from config.child_servers import free_port

KNOWS_PREPARED = (1, 21)
CONFIGURATION = """
[databases]
* = host={host}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = {mode}
default_pool_size = {size}
{more}
"""
USERS = ("toolroom", "toolroom_reader", "sprints_analyst")


class Program(NamedTuple):
    """PgBouncer, and its version."""

    path: Path
    version: tuple[int, int]


def find_pooler(*, at_least: tuple[int, int] = (1, 0)) -> Program:
    """Return PgBouncer's program: TOOLROOM_TEST_PGBOUNCER, or Debian's; skips the test if there is none so new."""
    given = os.environ.get("TOOLROOM_TEST_PGBOUNCER")
    for name in filter(None, (given, shutil.which("pgbouncer"), "/usr/sbin/pgbouncer")):
        if not Path(name).exists():
            continue
        printed = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"PgBouncer (\d+)\.(\d+)", printed)
        if version and (int(version[1]), int(version[2])) >= at_least:
            return Program(Path(name), (int(version[1]), int(version[2])))
    wanted = ".".join(map(str, at_least))
    pytest.skip(f"no PgBouncer of {wanted} or newer here: set TOOLROOM_TEST_PGBOUNCER to its program")


@contextmanager
def running_pooler(
    program: Program, *, host: str, mode: str = "transaction", size: int = 2, prepared: int = 0
) -> Iterator[int]:
    """Run PgBouncer for the PostgreSQL whose socket is in `host`; yields its port on 127.0.0.1."""
    port = free_port("127.0.0.1", wanted=0)
    folder = Path(tempfile.mkdtemp(prefix="toolroom-pooler-"))
    folder.chmod(0o755)
    more = f"max_prepared_statements = {prepared}" if program.version >= KNOWS_PREPARED else ""
    text = CONFIGURATION.format(host=host, port=port, folder=folder, mode=mode, size=size, more=more)
    (folder / "pooler.ini").write_text(text)
    (folder / "users.txt").write_text("".join(f'"{user}" ""\n' for user in USERS))
    account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [str(program.path), str(folder / "pooler.ini")], stdout=log, stderr=log, cwd="/",
            user=account.pw_uid if account else None, group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )  # fmt: skip
    try:
        _wait_for(port, process, folder)
        yield port
    finally:
        process.kill()
        process.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"PgBouncer did not start: {(folder / 'log').read_text()[-2000:]}")


def through(port: int, conninfo: str) -> str:
    """Return the address through the pooler."""
    return psycopg.conninfo.make_conninfo(conninfo, host="127.0.0.1", port=port)
