"""
Run Python with the given arguments, in a process that Linux ends when its parent ends.

This is a separate program, `python config/embedded/die_with_parent.py -m module …`, because `preexec_fn` can deadlock:
it runs in a fork of a process with threads, and a lock that another thread held at that moment is never released.
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
