"""
Runs a language server and ensures that none of its processes outlives ours. Imports nothing of this project.

    python -I -S process_watchdog.py <our process id> <most megabytes> <command> ...

It kills the server's whole process group when our process dies (also by SIGKILL), when the server ends, and when the
group exceeds its memory limit.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LOOK_SECONDS = 1.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_GROUP_FIELD = 2  # of /proc/N/stat, counted after the name in brackets
TOO_LARGE = 97
"""The exit status of a server that exceeded its memory limit."""
NO_COMMAND = 98
"""The exit status if the command cannot be run."""


def main(arguments: list[str]) -> None:
    """Run the command. Never returns."""
    parent, megabytes, *command = arguments
    _die_with_parent(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda _signal, _frame: _end(0))
    if os.getppid() != int(parent):
        _end(0)
    child = os.fork()
    if not child:
        _become(command)
    for descriptor in (0, 1):
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    _watch(child, most_bytes=int(megabytes) * 1_048_576)


def _become(command: list[str]) -> None:
    _die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606  # the command is the operator's setting
    except OSError as error:
        os.write(2, f"{command[0]}: {error}\n".encode())
        os._exit(NO_COMMAND)


def _watch(child: int, *, most_bytes: int) -> None:
    next_look = time.monotonic() + _LOOK_SECONDS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _end(os.waitstatus_to_exitcode(status) & 0xFF)
        if time.monotonic() > next_look:
            if _group_bytes() > most_bytes:
                _end(TOO_LARGE)
            next_look = time.monotonic() + _LOOK_SECONDS
        time.sleep(0.05)


def _group_bytes() -> int:
    """Return the memory of all processes in our group."""
    ours, total = os.getpgrp(), 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[_GROUP_FIELD]) == ours:
                total += int((entry / "statm").read_text().split()[1]) * _PAGE_BYTES
        except (OSError, IndexError, ValueError):
            continue
    return total


def _end(status: int) -> None:
    """Exit with `status` after killing every other process of the group."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    group = os.getpgrp()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            _kill_if_of(group, process=int(entry.name))
    os._exit(status)


def _kill_if_of(group: int, *, process: int) -> None:
    try:
        if os.getpgid(process) == group:
            os.kill(process, signal.SIGKILL)
    except OSError:
        return


def _die_with_parent(by: signal.Signals) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(by), 0, 0, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
