"""A file system that is full: writes are refused with words, reads go on, and nothing is corrupt afterwards."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connections
from psycopg import sql

from config.postgres.cluster import SUPERUSER, PostgresDidNotStart, ensure_running, leave, start, stop
from config.postgres.location import find_place
from config.postgres.table_checksums import compute_checksums, find_differences
from tests.config.conftest import open_folder
from tests.config.own_cluster import connect_to_web, superuser_url
from tests.conftest import _drop, _maintenance, server_environment
from tests.toolbox.transports import TOOLS, address
from toolbox.database.disk_full import DISK_IS_FULL

MEBIBYTE = 1_048_576
WRITER = "linescore/ingest_linescore_games"
MONTH = {"startDate": "2025-01-01", "endDate": "2025-01-31", "source": "shipped"}
CHANGED = ("public.linescore_", "public.toolbox_")
"""Tables that this test empties, and that the audit fills."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not settings.TOOLROOM_DATABASE_IS_EMBEDDED, reason="needs a superuser of the test's server"),
]


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Mount a file system of so many MiB, in a file; skips the test where that is refused."""
    with open_folder() as folder:
        image, disk = folder / "image", folder / "disk"
        disk.mkdir()
        with image.open("wb") as file:
            file.truncate(megabytes * MEBIBYTE)
        try:
            subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], check=True, capture_output=True)
            subprocess.run(["mount", "-o", "loop", str(image), str(disk)], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as refused:
            pytest.skip(f"no file system can be mounted here: {refused}")
        try:
            (disk / "lost+found").rmdir()
            disk.chmod(0o755)
            yield disk
        finally:
            subprocess.run(["umount", "--lazy", str(disk)], check=True, capture_output=True)


def fill(disk: Path) -> Path:
    """Leave no byte on the disk; gives the file that takes them."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):  # ENOSPC
        for size in (MEBIBYTE, 4096, 1):
            with suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return ballast


@pytest.fixture
def disk(django_db_setup: None, django_db_blocker: Any) -> Iterator[SimpleNamespace]:
    """Put a copy of the test database on a small disk; gives the disk, the copy's name and its environment."""
    usual = connections["default"].settings_dict["NAME"]
    name, place = f"{usual}_small_disk", find_place(settings.TOOLROOM_VAR)
    environment = server_environment()
    addresses = ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL")
    environment |= {url: environment[url].replace(f"/{usual}?", f"/{name}?") for url in addresses}
    with small_disk(1_024) as mounted:
        space = mounted / "tablespace"
        space.mkdir()
        owner = place.data.stat()
        os.chown(space, owner.st_uid, owner.st_gid)
        with django_db_blocker.unblock(), _maintenance(user=SUPERUSER) as admin:
            admin.execute(sql.SQL("CREATE TABLESPACE small_disk LOCATION {}").format(str(space)))
            made = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER toolroom TABLESPACE small_disk")
            admin.execute(made.format(sql.Identifier(name), sql.Identifier(f"{usual}_template")))
        try:
            yield SimpleNamespace(folder=mounted, database=name, environment=environment, programs=place.programs)
        finally:
            with django_db_blocker.unblock():
                (mounted / "ballast").unlink(missing_ok=True)
                _drop(name)
                with _maintenance(user=SUPERUSER) as admin:
                    admin.execute("DROP TABLESPACE small_disk")


def read_checksums(url: str) -> dict[str, list[str]]:
    """Give the checksums of tables with rows that this test leaves alone; empty ones may keep what reading finds."""
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found = compute_checksums(connection)
    return {name: one for name, one in found.items() if one[0] != "0" and not name.startswith(CHANGED)}


def check_relations(database: str, *, programs: Path) -> subprocess.CompletedProcess[str]:
    """Have PostgreSQL's own pg_amcheck read every page of every table and B-tree."""
    host = find_place(settings.TOOLROOM_VAR).sockets
    return subprocess.run(
        [str(programs / "pg_amcheck"), "--install-missing", "--heapallindexed", "-h", str(host), "-U", SUPERUSER,
         database],
        text=True, capture_output=True, check=False,
    )  # fmt: skip


def test_writes_are_refused_with_words_reads_go_on_and_nothing_is_corrupt(
    disk: SimpleNamespace, cast: SimpleNamespace
) -> None:
    url = disk.environment["DATABASE_URL"]
    with psycopg.connect(url) as connection:  # so that what the tool writes needs pages that are not there
        connection.execute("TRUNCATE linescore_games CASCADE")
    before = read_checksums(url)

    with connect_to_web(disk.environment, key=cast.alice) as http:
        ballast = fill(disk.folder)
        refused = http.post(f"/api/tools/{WRITER}", json=MONTH)
        read = {
            tool.name: http.post(address(tool), content=tool.example_arguments).status_code
            for tool in TOOLS if not tool.writes and tool.domain != "linescore"  # whose games are away
        }  # fmt: skip
        with psycopg.connect(url) as connection:
            half_written = connection.execute("SELECT count(*) FROM linescore_games").fetchone()
        ballast.unlink()
        accepted = http.post(f"/api/tools/{WRITER}", json=MONTH)

    assert refused.status_code == 503, refused.text
    assert DISK_IS_FULL in refused.text
    assert {name for name, status in read.items() if status != 200} == set()
    assert half_written == (0,)
    assert accepted.status_code == 200, accepted.text
    checked = check_relations(disk.database, programs=disk.programs)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    after = read_checksums(url)
    assert find_differences(before, after={name: after.get(name, []) for name in before}) == []
    with psycopg.connect(url) as connection:
        recorded = connection.execute(
            "SELECT count(*) FROM toolbox_tool_calls WHERE called_at > now() - interval '1 hour' AND tool = ANY (%s)",
            [list(read)],
        ).fetchone()
    assert recorded == (len(read),), "calls that were answered while the disk was full are recorded afterwards"


def test_a_server_that_stopped_for_want_of_room_for_its_log_starts_again_with_all_that_it_had_acknowledged() -> None:
    with small_disk(512) as mounted:
        var = mounted / "var"
        place = ensure_running(var)
        try:
            acknowledged = _write_until_refused(superuser_url(var), disk=mounted)
            (mounted / "ballast").unlink()
            with suppress(PostgresDidNotStart):  # it may be recovering by itself
                start(place)
            kept = _count_when_ready(superuser_url(var))
            checked = subprocess.run(
                [str(place.programs / "pg_amcheck"), "--install-missing", "-h", str(place.sockets),
                 "-U", SUPERUSER, "toolroom"], text=True, capture_output=True, check=False,
            )  # fmt: skip
        finally:
            stop(place, mode="immediate")
            leave(place)

    assert kept in ((acknowledged,), (acknowledged + 1,)), "the last answer may have been lost with the server"
    assert checked.returncode == 0, checked.stdout + checked.stderr


def _count_when_ready(url: str) -> tuple[int] | None:
    until = time.monotonic() + 120
    while True:
        try:
            with psycopg.connect(url) as connection:
                return connection.execute("SELECT count(*) FROM filled").fetchone()
        except psycopg.OperationalError:  # it recovers
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _write_until_refused(url: str, *, disk: Path) -> int:
    """Fill the disk and write row by row until the server has stopped; gives how many were acknowledged."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE filled (number bigint, words text)")
        fill(disk)
        acknowledged = 0
        try:
            for number in range(100_000):
                with suppress(psycopg.errors.DiskFull):
                    connection.execute("INSERT INTO filled VALUES (%s, repeat('x', 2000))", [number])
                    acknowledged += 1
                # Grows the write-ahead log alone, until that has no room either and the server stops.
                connection.execute("SELECT pg_logical_emit_message(false, 'full', repeat('y', 1000000))")
        except psycopg.OperationalError:
            return acknowledged
    raise AssertionError("the server went on with a full disk")
