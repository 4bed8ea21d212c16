"""Lines of files and streams: plain or gzip, of bounded length, and the complete lines of a truncated one."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from typing import IO, Any, cast

from backtests.ingest.parse import MAX_LINE
from backtests.ingest.report import LoadReport

GZIP = b"\x1f\x8b"
PIECE_BYTES = 262_144


def read_lines(
    stream: IO[bytes], *, report: LoadReport, on_bytes: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """
    Yield the lines of a stream, unpacked if it is gzip.

    If a gzip is truncated or damaged, all complete lines before that are yielded, and the report says where it ends.
    The incomplete line is left out: it is another line in the complete file. The rest of a line longer than MAX_LINE is
    skipped.
    """
    content = open_unpacked(stream)
    count = 0
    while line := content.stream.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            _pass_over(content.stream)
        elif not line.endswith(b"\n") and content.fault is not None:
            break
        count += 1
        yield line
        if on_bytes is not None and count % 1000 == 0:
            on_bytes(_place(content.packed))
    if content.fault is not None:
        report.ended_early = f"after line {count:,}: {content.fault}"


@dataclass(frozen=True, slots=True)
class Content:
    """A stream and its unpacked content; the same stream if it is not packed."""

    packed: Any
    stream: Any
    unpacker: "_GzipReader | None"

    @property
    def fault(self) -> Exception | None:
        """Describe why a gzip could not be read to its end."""
        return None if self.unpacker is None else self.unpacker.fault


def open_unpacked(stream: IO[bytes]) -> Content:
    """Open a stream's content, unpacked if it is gzip."""
    buffered: Any = stream if hasattr(stream, "peek") else BufferedReader(cast(RawIOBase, stream), PIECE_BYTES)
    if buffered.peek(2)[:2] != GZIP:
        return Content(buffered, buffered, None)
    unpacker = _GzipReader(gzip.GzipFile(fileobj=buffered))
    return Content(buffered, BufferedReader(unpacker, PIECE_BYTES), unpacker)


class _GzipReader(RawIOBase):
    """Reader of a gzip as far as possible; `fault` says why it ended early."""

    def __init__(self, packed: gzip.GzipFile) -> None:
        self._packed = packed
        self.fault: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.fault is None:
            try:
                return self._packed.readinto1(buffer)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                self.fault = error
        return 0


def _pass_over(stream: IO[bytes]) -> None:
    while piece := stream.readline(1_048_576):
        if piece.endswith(b"\n"):
            return


def _place(stream: IO[bytes]) -> int:
    return stream.tell() if stream.seekable() else 0
