"""
Parsing of bytes into records; the file's name does not matter.

Pure: it uses no disk, clock or network itself. Input of an unknown format raises NotReadable and no other error.
"""

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from itertools import count
from typing import BinaryIO, cast

import orjson

from linescore.ingest.parse_csv import read_csv
from linescore.ingest.parse_nhl import read_document
from linescore.ingest.record import NotReadable, Record

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
MAX_JSON_BYTES = 64 << 20
MAX_LINE_BYTES = 64 << 10


def read_records(stream: BinaryIO) -> Iterator[Record]:
    """Read CSV or JSON, gzipped or not; CSV is read line by line, so memory does not grow with its size."""
    try:
        yield from _records(_unpack(_peekable(stream)))
    except (EOFError, zlib.error, gzip.BadGzipFile) as damaged:
        raise NotReadable("gzip that ends early or is damaged") from damaged


def read_answer(body: bytes) -> Iterator[Record]:
    """Read one document of an HTTP response."""
    return read_document(read_json(body))


def read_json(body: bytes) -> object:
    """Read one JSON document, with or without a byte-order mark."""
    try:
        return orjson.loads(body.removeprefix(BOM))
    except orjson.JSONDecodeError as error:
        raise NotReadable(f"not one whole JSON document: {error}") from error


def _records(stream: BufferedReader) -> Iterator[Record]:
    start = stream.peek(1).removeprefix(BOM).lstrip()[:1]
    if start in (b"{", b"["):
        return read_document(read_json(_at_most(MAX_JSON_BYTES, stream=stream)))
    return read_csv(_lines(stream))


def _unpack(stream: BufferedReader) -> BufferedReader:
    if not stream.peek(1):
        raise NotReadable("empty")
    if not stream.peek(1).startswith(GZIP):
        return stream
    unpacked = _peekable(cast(BinaryIO, gzip.GzipFile(fileobj=stream)))
    if not unpacked.peek(1):
        raise NotReadable("empty")
    return unpacked


def _peekable(stream: BinaryIO) -> BufferedReader:
    return stream if isinstance(stream, BufferedReader) else BufferedReader(cast(RawIOBase, stream))


def _at_most(most: int, *, stream: BufferedReader) -> bytes:
    body = stream.read(most + 1)
    if len(body) > most:
        raise NotReadable(f"a JSON document over {most >> 20} MB; the NHL's are under 1 MB")
    return body


def _lines(stream: BufferedReader) -> Iterator[str]:
    for number in count(1):
        raw = stream.readline(MAX_LINE_BYTES)
        if not raw:
            return
        if len(raw) == MAX_LINE_BYTES:
            raise NotReadable(f"line {number} is over {MAX_LINE_BYTES >> 10} KB: neither our CSV nor the NHL's JSON")
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise NotReadable(f"line {number} is not UTF-8; save the file as UTF-8") from error
