"""A file system that is full: writes are refused with words, reads go on, and nothing is corrupt afterwards."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from django.conf import settings
from django.db import connections
from psycopg import sql

from config.postgres.cluster import SUPERUSER, PostgresDidNotStart, address, crash, ensure_running, leave, start
from config.postgres.location import Place, find_place
from config.postgres.table_checksums import compute_checksums, find_differences
from tests.config.conftest import open_folder
from tests.config.own_cluster import connect_to_web, superuser_url
from tests.conftest import server_environment
from tests.toolbox.transports import TOOLS
from tests.toolbox.transports import address as tool_address
from toolbox.database.disk_full import DISK_IS_FULL

MEBIBYTE, DATABASE = 1_048_576, "toolroom"
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
    """Mount a file system of so many MiB from a file; skips the test if that is not permitted."""
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
    """Fill the disk to the last byte; returns the file that takes the space."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):  # ENOSPC
        for size in (MEBIBYTE, 4096, 1):
            with suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return ballast


@pytest.fixture
def disk(django_db_setup: None) -> Iterator[SimpleNamespace]:
    """
    Put a copy of the test database on a small disk, in a separate cluster; yields disk, cluster and environment.

    A full tablespace makes the checkpoints of its whole cluster fail, and with them whatever other tests do there.
    """
    usual, shared = connections["default"].settings_dict["NAME"], find_place(settings.TOOLROOM_VAR)
    environment = server_environment()
    with open_folder() as folder, small_disk(1_024) as mounted:
        place = ensure_running(folder / "var")
        for url in ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL"):
            moved = environment[url].replace(str(shared.sockets), str(place.sockets))
            environment[url] = moved.replace(f"/{usual}?", f"/{DATABASE}?")
        try:
            _make_tablespace(mounted / "tablespace", place=place)
            _copy_database(f"{usual}_template", host=shared.sockets, place=place, dump=folder / "dump")
            yield SimpleNamespace(folder=mounted, place=place, environment=environment)
        finally:
            (mounted / "ballast").unlink(missing_ok=True)
            crash(place)
            leave(place)


def _make_tablespace(folder: Path, *, place: Place) -> None:
    folder.mkdir()
    owner = place.data.stat()
    os.chown(folder, owner.st_uid, owner.st_gid)
    with psycopg.connect(address(place, database="postgres", user=SUPERUSER), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE TABLESPACE small_disk LOCATION {}").format(str(folder)))
        admin.execute(sql.SQL("ALTER DATABASE {} SET TABLESPACE small_disk").format(sql.Identifier(DATABASE)))
        # A vacuum of the catalogue would remove a file that the next session writes, and without room it cannot.
        admin.execute("ALTER SYSTEM SET autovacuum = off")
        admin.execute("SELECT pg_reload_conf()")


def _copy_database(name: str, *, host: Path, place: Place, dump: Path) -> None:
    as_superuser = ["-U", SUPERUSER, "-h"]
    for command in (
        ["pg_dump", "-Fc", "-f", str(dump), *as_superuser, str(host), name],
        ["pg_restore", "--exit-on-error", "-d", DATABASE, *as_superuser, str(place.sockets),
         str(dump)],
    ):  # fmt: skip
        subprocess.run([str(place.programs / command[0]), *command[1:]], check=True)


def read_checksums(url: str) -> dict[str, list[str]]:
    """Return the checksums of filled tables that this test does not change; reading may add rows to empty ones."""
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found = compute_checksums(connection)
    return {name: one for name, one in found.items() if one[0] != "0" and not name.startswith(CHANGED)}


def check_relations(place: Place, *options: str) -> subprocess.CompletedProcess[str]:
    """Let PostgreSQL's own pg_amcheck read every page of every table and B-tree."""
    return subprocess.run(
        [str(place.programs / "pg_amcheck"), "--install-missing", *options, "-h", str(place.sockets), "-U", SUPERUSER,
         DATABASE],
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
            tool.name: http.post(tool_address(tool), content=tool.example_arguments).status_code
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
    checked = check_relations(disk.place, "--heapallindexed")
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
            checked = check_relations(place)
        finally:
            crash(place)
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
    """Fill the disk and write row by row until the server has stopped; returns how many were acknowledged."""
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
