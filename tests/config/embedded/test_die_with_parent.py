"""Processes that quickstart starts."""

import os
import subprocess
import sys
from pathlib import Path

PARENT = """
import subprocess, sys, threading
from config.child_servers import module_command
threading.Thread(target=sys.stdin.read, daemon=True).start()
print(subprocess.Popen(module_command("http.server", "--bind", "127.0.0.1", "0"), stdin=subprocess.DEVNULL).pid)
sys.stdout.flush()
threading.Event().wait()
"""
"""It has a thread, as quickstart has, and never ends by itself."""


def test_a_child_starts_beside_threads_and_ends_with_a_parent_that_was_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-c", PARENT],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},  # of the child as well, whose first line is waited for
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as parent:
        assert parent.stdout
        started = [parent.stdout.readline() for _ in range(2)]

        parent.kill()
        rest, _ = parent.communicate(timeout=30)  # ends when nobody holds the other end: no parent, and no child

    assert any("Serving HTTP" in line for line in started), [*started, rest]
