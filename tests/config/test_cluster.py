"""The embedded PostgreSQL, as separate processes use it: each test has a cluster of its own."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from config.postgres import cluster
from config.postgres.location import Place, find_place

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
USE = """
import sys
from pathlib import Path
from config.postgres.cluster import address, ensure_running
import psycopg
place = ensure_running(Path(sys.argv[1]))
url = address(place, database="toolroom", user="toolroom")
with psycopg.connect(url) as connection:
    server = connection.execute("SELECT pg_postmaster_start_time()::text, version()").fetchone()
    extension = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
print(url, server[0], server[1].split()[1], extension[0], sep="|", flush=True)
sys.stdin.readline()
"""


@contextmanager
def user_of(var: Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run a process that uses the cluster until it is told to end; yields url, start, version and vector's version."""
    process = subprocess.Popen(
        [sys.executable, "-c", USE, str(var)], cwd=PROJECT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process, process.stdout.readline().strip().split("|")
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait(30)
        process.stdout.close()


def runs(var: Path) -> bool:
    """Return whether the cluster's server runs, by its own pid file."""
    return any(path.exists() for path in var.rglob("postmaster.pid"))


def test_it_makes_a_server_with_vector_and_stops_it_with_its_last_user(var: Path) -> None:
    with user_of(var) as (_, [_, first_start, version, vector]):
        with user_of(var) as (_, [_, second_start, *_]):
            assert first_start == second_start
        assert runs(var)

    assert (version.partition(".")[0], vector.partition(".")[0]) == ("18", "0")
    assert not runs(var)


def test_a_user_that_was_killed_does_not_keep_it_running(var: Path) -> None:
    with user_of(var) as (killed, _):
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert runs(var)

    with user_of(var):
        pass

    assert not runs(var)


def test_a_server_that_crashed_is_started_again(var: Path) -> None:
    with user_of(var) as (killed, _):
        [pid_file] = var.rglob("postmaster.pid")
        os.kill(int(pid_file.read_text().splitlines()[0]), signal.SIGQUIT)
        killed.send_signal(signal.SIGKILL)
        killed.wait()

    with user_of(var) as (_, answer):
        assert answer[0].startswith("postgresql://")


def test_a_crash_ends_even_if_others_revive_the_server_at_once(var: Path) -> None:
    over = threading.Event()

    def keep_reviving(place: Place) -> None:
        while not over.is_set():
            cluster.revive(place)

    with user_of(var):
        place = find_place(var)
        with ThreadPoolExecutor(1) as pool:
            reviver = pool.submit(keep_reviving, place)
            try:
                for _ in range(3):
                    cluster.crash(place)
            finally:
                over.set()
            reviver.result()
        cluster.revive(place)


def test_many_processes_may_start_it_at_once(var: Path) -> None:
    with user_of(var) as (_, one), user_of(var) as (_, two), user_of(var) as (_, three):
        assert one[:2] == two[:2] == three[:2]


def test_two_clones_do_not_disturb_each_other(var: Path) -> None:
    with user_of(var / "one") as (_, one), user_of(var / "two") as (_, two):
        assert one[0] != two[0]
        assert one[1] != two[1]


def test_a_folder_with_a_very_long_name_is_no_problem(var: Path) -> None:
    long = var / ("a" * 60) / ("b" * 60)

    with user_of(long) as (_, [url, *_]):
        assert len(url.partition("host=")[2]) < 100


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as somebody else")
def test_root_may_keep_its_clone_where_nobody_else_can_enter(var: Path) -> None:
    var.mkdir()
    var.chmod(0o700)

    with user_of(var / "clone") as (_, [url, *_]):
        socket_folder = Path(url.partition("host=")[2])

    shutil.rmtree(socket_folder.parent)
    assert var not in socket_folder.parents
    assert var.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="the folder must belong to somebody else")
def test_a_data_folder_of_somebody_else_is_refused_with_a_sentence(var: Path) -> None:
    data = var / "postgres" / "data"
    data.mkdir(parents=True)
    os.chown(data, 12345, 12345)
    (var / "postgres").chmod(0o755)

    done = subprocess.run(
        [sys.executable, "-c", USE, str(var)], cwd=PROJECT, text=True, capture_output=True, check=False
    )

    assert done.returncode == 1
    assert "belongs to another user. Remove it, or set TOOLROOM_VAR elsewhere." in done.stderr
