"""Lines out of files and streams: plain or gzip, of bounded length, and what is whole of one that was cut short."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from typing import IO, Any, cast

from backtests.ingest.parse import LONGEST_LINE
from backtests.ingest.report import LoadReport

GZIP = b"\x1f\x8b"


def read_lines(
    stream: IO[bytes], *, report: LoadReport, on_bytes: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """
    Give the lines of a stream, unpacked if it is gzip.

    Where a gzip ends early or is damaged, the lines before it are given, and the report says where that was. The rest
    of a line longer than LONGEST_LINE is passed over.
    """
    buffered: Any = stream if hasattr(stream, "peek") else BufferedReader(cast(RawIOBase, stream), 262_144)
    packed = buffered.peek(2)[:2] == GZIP
    unpacked: Any = gzip.GzipFile(fileobj=buffered) if packed else buffered
    count = 0
    pending = b""
    try:
        while line := unpacked.readline(LONGEST_LINE + 1):
            pending = line
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                _pass_over(unpacked)
            count += 1
            yield line
            pending = b""
            if on_bytes is not None and count % 1000 == 0:
                on_bytes(_place(buffered))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        report.ended_early = f"after line {count:,}: {error}"
        if pending:
            yield pending


def _pass_over(stream: IO[bytes]) -> None:
    while piece := stream.readline(1_048_576):
        if piece.endswith(b"\n"):
            return


def _place(stream: IO[bytes]) -> int:
    return stream.tell() if stream.seekable() else 0
