"""`manage.py quickstart`, as a newcomer runs it: from nothing, with real processes."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from config.child_servers import free_port

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]


def manage(*arguments: str, var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py with the embedded database below `var`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "TOOLROOM_"))}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=clean | {"TOOLROOM_VAR": str(var), "COLUMNS": "160"} | environment,
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )


def test_it_ends_with_a_real_answer_and_running_it_again_changes_nothing(shared_var: Path) -> None:
    first = manage("quickstart", "--check", var=shared_var)
    second = manage("quickstart", "--check", var=shared_var)

    assert first.returncode == 0, first.stdout + first.stderr
    assert "linescore: 1,312 added, 0 already there" in first.stdout
    assert "2025-02-01   CAR" in first.stdout
    assert re.search(r"asked of a worker:\n.*Carolina Hurricanes.*\nEverything works\.", first.stdout, re.S)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "linescore: 0 added, 1,312 already there" in second.stdout
    assert _key(first.stdout) == _key(second.stdout)


def test_its_key_is_nowhere_in_what_it_leaves_behind(shared_var: Path) -> None:
    key = _key(manage("quickstart", "--check", var=shared_var).stdout)

    found = [path for path in shared_var.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]

    assert found == []


def test_a_port_in_use_is_passed_over(shared_var: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", wanted=port) > port


def test_any_free_port_is_none_of_those_that_outgoing_connections_take() -> None:
    lowest, _ = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()

    ports = {free_port("127.0.0.1", wanted=0) for _ in range(20)}

    assert len(ports) > 1
    assert max(ports) < int(lowest)


@pytest.mark.parametrize("part", ["postgres", "valkey"])
def test_a_part_that_does_not_start_is_named(shared_var: Path, part: str) -> None:
    blocked = shared_var.parent / f"blocked-{part}"
    blocked.mkdir(mode=0o755)
    (blocked / part).write_text("a file where a folder should be")

    failed = manage("quickstart", "--check", var=blocked)

    assert failed.returncode == 1
    assert "quickstart stopped:" in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_even_where_a_shell_had_it_ignored(sent: signal.Signals) -> None:
    text = f"""
import signal, django
signal.signal({sent.value}, signal.SIG_IGN)
django.setup()
from config.management.commands.quickstart import _listen_for_stop
_listen_for_stop()
try:
    signal.raise_signal({sent.value})
except KeyboardInterrupt:
    print("ended")
"""
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}

    done = subprocess.run(
        [sys.executable, "-c", text], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == "ended\n"


def test_a_database_of_ones_own_needs_its_reader_named(shared_var: Path) -> None:
    failed = manage("check", var=shared_var, DATABASE_URL="postgresql://somebody@/absent")

    assert failed.returncode == 1
    assert "DATABASE_READER_URL is not" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_an_address_of_another_database_is_refused(shared_var: Path) -> None:
    failed = manage("check", var=shared_var, DATABASE_URL="mysql://somebody@db/absent")

    assert failed.returncode == 1
    assert "DATABASE_URL: Value error, must be a postgresql:// address" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_key_can_be_made_from_the_command_line(shared_var: Path) -> None:
    made = manage("create_api_key", "alice", "--scope", "linescore:read", "--days", "7", var=shared_var)
    refused = manage("create_api_key", "alice", "--scope", "linescore:fly", var=shared_var)

    assert re.fullmatch(r"tr_[\w-]{43}\n", made.stdout)
    assert refused.returncode == 1
    assert "unknown scope linescore:fly" in refused.stderr


def _key(printed: str) -> str:
    found = re.search(r"API key +(tr_[\w-]+)", printed)
    assert found
    return found[1]
