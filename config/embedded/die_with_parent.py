"""
Run Python with the given arguments, in a process that Linux ends when the one that started it ends.

A program of its own, `python config/embedded/die_with_parent.py -m module …`, and no `preexec_fn`: that would run in a
copy of a process that may have threads, of which the copy has none, and wait for ever where one of them was needed.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask for SIGTERM at the parent's death, then become Python with the arguments that follow."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])  # noqa: S606 - without a shell


if __name__ == "__main__":
    main()
