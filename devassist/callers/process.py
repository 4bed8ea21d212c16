"""The process of a language server: start under a watchdog, read stderr, terminate."""

import asyncio
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from devassist.callers import process_watchdog

logger = logging.getLogger(__name__)

_END_SECONDS = 5.0
_LINE_BYTES = 65_536


class ServerProcess:
    """One running server. `stdin` and `stdout` carry the protocol."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.complaints: deque[str] = deque(maxlen=50)
        self._drain = asyncio.create_task(self._read_complaints())

    @classmethod
    async def start(
        cls, command: Sequence[str], *, folder: str, environment: Mapping[str, str], most_megabytes: int
    ) -> "ServerProcess":
        """Start the command in a process group of its own. Raises OSError."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(Path(process_watchdog.__file__)), str(os.getpid()), str(most_megabytes)),
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        return cls(process)

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Return the pipe that the server reads."""
        assert self._process.stdin is not None  # noqa: S101  # asked for above
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """Return the pipe that the server writes."""
        assert self._process.stdout is not None  # noqa: S101  # asked for above
        return self._process.stdout

    @property
    def id(self) -> int:
        """The process id of the watchdog, which is also the group's."""
        return self._process.pid

    async def end(self) -> int:
        """
        Terminate the whole group and return the exit status: the server's own if it had ended before.

        What it has still to say is read and forgotten: a pipe that nobody reads does not close.
        """
        rest = asyncio.create_task(_read_to_end(self.stdout))
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(_END_SECONDS):
                return await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            return await self._process.wait()
        finally:
            rest.cancel()
            self._drain.cancel()

    async def _read_complaints(self) -> None:
        """Keep the last lines of stderr. Reads to the end, or the server would block."""
        stream = self._process.stderr
        assert stream is not None  # noqa: S101  # asked for above
        while part := await stream.read(_LINE_BYTES):
            self.complaints.extend(line[:500] for line in part.decode(errors="replace").splitlines()[-50:])


async def _read_to_end(stream: asyncio.StreamReader) -> None:
    while await stream.read(_LINE_BYTES):
        pass
