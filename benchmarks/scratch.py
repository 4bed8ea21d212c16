"""A database for the benchmark on the embedded server, dropped when the run ends, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from config.environment import Environment
from config.postgres.cluster import SUPERUSER, address, ensure_running
from config.postgres.roles import ANALYST, OWNER, READER


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """The addresses of the scratch database for its owner and the reader role, and the folder of its socket."""

    name: str
    owner_url: str
    reader_url: str
    reader_role: str
    socket_folder: str
    analyst_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a Toolroom process that uses this database."""
        return {
            "DATABASE_URL": self.owner_url,
            "DATABASE_READER_URL": self.reader_url,
            "DATABASE_ANALYST_URL": self.analyst_url,
        }


@contextmanager
def scratch_database(*, name: str = "") -> Iterator[Scratch]:
    """
    Create an empty database and drop it at the end; first drops databases that other runs left behind.

    `name` distinguishes several databases of one run.
    """
    place = ensure_running(Environment().toolroom_var)
    admin = address(place, database="postgres", user=SUPERUSER)
    name = f"toolroom_benchmark_{name}{'_' if name else ''}{os.getpid()}"
    _drop_orphans(admin)
    _execute(admin, sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(OWNER)))
    try:
        yield Scratch(
            name=name,
            owner_url=address(place, database=name, user=OWNER),
            reader_url=address(place, database=name, user=READER),
            reader_role=READER,
            socket_folder=str(place.sockets),
            analyst_url=address(place, database=name, user=ANALYST),
        )
    finally:
        _drop(admin, name)


def _drop_orphans(admin: str) -> None:
    """Drop what a killed run left: databases of ours whose process has ended."""
    with psycopg.connect(admin) as connection:
        found = connection.execute(r"SELECT datname FROM pg_database WHERE datname LIKE 'toolroom\_benchmark\_%'")
        names = [str(row[0]) for row in found]
    for name in names:
        if not _is_alive(int(name.rpartition("_")[2])):
            _drop(admin, name)


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _drop(admin: str, name: str) -> None:
    _execute(admin, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _execute(admin: str, statement: sql.Composed) -> None:
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(statement)
