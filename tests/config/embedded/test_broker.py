"""The embedded broker: started on demand, shared, stopped with its last user."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis

from config.embedded import broker

PROJECT = Path(__file__).parents[3]
USE = """
import sys
from pathlib import Path
from config.embedded import broker
broker.ensure_running(Path(sys.argv[1]))
print(broker.address(Path(sys.argv[1])), flush=True)
sys.stdin.readline()
"""


@contextmanager
def user_of(var: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that uses the broker until it is told to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", USE, str(var)], cwd=PROJECT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    try:
        assert process.stdout.readline().startswith("redis+socket://")
        yield process
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait(30)
        process.stdout.close()


def server(var: Path) -> Any:
    """Return a client of the broker."""
    path = broker.address(var).removeprefix("redis+socket://").partition("?")[0]
    return redis.Redis(unix_socket_path=path, decode_responses=True)


def test_it_is_shared_and_stops_with_its_last_user(var: Path) -> None:
    with user_of(var):
        with user_of(var), server(var) as client:
            client.set("word", "kept")
        with server(var) as client:
            assert client.get("word") == "kept"
        assert broker.is_running(var)

    assert not broker.is_running(var)


def test_a_user_that_was_killed_does_not_keep_it_running(var: Path) -> None:
    with user_of(var) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert broker.is_running(var)

    with user_of(var):
        pass

    assert not broker.is_running(var)


def test_one_that_died_is_started_again(var: Path) -> None:
    with user_of(var), server(var) as client:
        pid = client.info("server")["process_id"]
        os.kill(pid, signal.SIGKILL)
        client.close()

        broker.revive(var)

        assert client.info("server")["process_id"] != pid


def test_nobody_else_may_talk_to_it(var: Path) -> None:
    with user_of(var):
        path = Path(broker.address(var).removeprefix("redis+socket://").partition("?")[0])

        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0


def test_it_keeps_nothing_on_disk(var: Path) -> None:
    with user_of(var), server(var) as client:
        client.set("word", "forgotten")

    with user_of(var), server(var) as client:
        assert client.get("word") is None


def test_a_folder_with_a_very_long_name_is_no_problem(var: Path) -> None:
    long = var / ("a" * 60) / ("b" * 60)

    with user_of(long):
        assert broker.is_running(long)


def test_two_clones_do_not_disturb_each_other(var: Path) -> None:
    with user_of(var / "one"), user_of(var / "two"), server(var / "one") as one, server(var / "two") as two:
        one.set("word", "one")

        assert two.get("word") is None


def test_one_that_cannot_start_says_why(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(broker.SETTINGS, "maxmemory-policy", "nonsense")

    with pytest.raises(broker.BrokerDidNotStart, match="did not start"):
        broker.ensure_running(var)
