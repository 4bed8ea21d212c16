"""Lines out of files and streams: plain or gzip, of bounded length, and what is whole of one that was cut short."""

import gzip
import zlib
from collections.abc import Callable, Iterator
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
    Give the lines of a stream, unpacked if it is gzip.

    Where a gzip ends early or is damaged, all before that is given, the last line cut where it is, and the report says
    where that was. The rest of a line longer than MAX_LINE is passed over.
    """
    buffered: Any = stream if hasattr(stream, "peek") else BufferedReader(cast(RawIOBase, stream), PIECE_BYTES)
    whole = _Unpacked(gzip.GzipFile(fileobj=buffered)) if buffered.peek(2)[:2] == GZIP else None
    unpacked = buffered if whole is None else BufferedReader(whole, PIECE_BYTES)
    count, last = 0, b""
    while line := unpacked.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            _pass_over(unpacked)
        count, last = count + 1, line
        yield line
        if on_bytes is not None and count % 1000 == 0:
            on_bytes(_place(buffered))
    if whole is not None and whole.fault is not None:
        is_cut = bool(last) and not last.endswith(b"\n")
        report.ended_early = f"after line {count - is_cut:,}: {whole.fault}"


class _Unpacked(RawIOBase):
    """What a gzip holds, as far as it can be read; `fault` says why that was not to its end."""

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
