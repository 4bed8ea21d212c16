"""Reading of text from an open file: encodings, ranges, detection of binary files."""

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from devassist.files.refusals import binary, too_large

MAX_FILE = 10 * 1024 * 1024
_CHUNK = 262_144
_LOOKED_AT = 8_192

Encoding = Literal["utf-8", "utf-16", "ascii"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines of a file. `text` is as in the file, except for the line break after its last line."""

    text: str
    count: int
    encoding: Encoding
    file_size: int


def read_lines(descriptor: int, *, path: str, encoding: Encoding, first: int = 1, last: int | None = None) -> Lines:
    r"""
    Read the lines from `first` to `last`, 1-indexed and inclusive. Past the end there are none.

    A byte order mark decides over `encoding` and is left out. A line ends at \n, \r\n or \r. A whole file keeps the
    line break at its end. Holds at most the lines asked for, and 256 KiB; UTF-16 is held whole. Raises ToolError
    TOO_LARGE, BINARY_FILE.
    """
    size = os.fstat(descriptor).st_size
    if size > MAX_FILE:
        raise too_large(path, size=size)
    start = os.pread(descriptor, _LOOKED_AT, 0)
    found = _read_mark(start) or encoding
    is_whole = first == 1 and last is None
    try:
        if found == "utf-16":
            raw = b"".join(_chunks(descriptor, path=path)).decode("utf-16").encode("utf-8", "surrogatepass")
            chosen = _pick_lines([raw], first=first, last=last)
        elif is_binary(start):
            raise binary(path, encoding=found)
        else:
            skipped = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
            chosen = _pick_lines(_chunks(descriptor, path=path, start=skipped), first=first, last=last)
        text = chosen.decode("ascii" if found == "ascii" else "utf-8")
    except UnicodeError as error:
        raise binary(path, encoding=found, has_one_byte_letters=found == "utf-8") from error
    count = _breaks(chosen) + (not chosen.endswith((b"\n", b"\r")) and bool(chosen))
    return Lines(text=text if is_whole else _unbroken(text), count=count, encoding=found, file_size=size)


def read_source(descriptor: int, *, path: str, limit: int) -> bytes:
    """Read a whole file, UTF-16 with a byte order mark as UTF-8. Raises ToolError TOO_LARGE."""
    size = os.fstat(descriptor).st_size
    if size > limit:
        raise too_large(path, size=size, limit=f"{limit // 2**20} MB")
    content = b"".join(_chunks(descriptor, path=path, limit=limit))
    return content.decode("utf-16", "replace").encode() if _read_mark(content) == "utf-16" else content


def is_binary(content: bytes) -> bool:
    """Return whether the beginning of a file is no text."""
    return b"\0" in content[:_LOOKED_AT]


def _read_mark(start: bytes) -> Encoding | None:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8" if start.startswith(codecs.BOM_UTF8) else None


def _unbroken(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _chunks(descriptor: int, *, path: str, start: int = 0, limit: int = MAX_FILE) -> Iterator[bytes]:
    """Read to the end. The file may grow meanwhile: past the limit raises ToolError TOO_LARGE."""
    offset = start
    while part := os.pread(descriptor, _CHUNK, offset):
        offset += len(part)
        if offset > limit:
            raise too_large(path, size=offset, limit=f"{limit // 2**20} MB")
        yield part


def _pick_lines(chunks: Iterable[bytes], *, first: int, last: int | None) -> bytes:
    """Return the requested lines of a byte stream. Earlier lines are only counted."""
    kept: list[bytes] = []
    line = 1
    for part in _whole_breaks(chunks):
        breaks = _breaks(part)
        if line + breaks >= first:
            kept.append(_cut_to_range(part, line=line, first=first, last=last))
        line += breaks
        if last is not None and line > last:
            break
    return b"".join(kept)


def _cut_to_range(part: bytes, *, line: int, first: int, last: int | None) -> bytes:
    """Return the part of some bytes that is in the range. The bytes begin in the given line."""
    if first <= line and last is None:
        return part
    lines = part.splitlines(keepends=True)
    return b"".join(lines[max(first - line, 0) : None if last is None else max(last - line + 1, 0)])


def _whole_breaks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the bytes in chunks that do not split a \r\n."""
    held = b""
    for chunk in chunks:
        part = held + chunk
        held = b"\r" if part.endswith(b"\r") else b""
        yield part[: len(part) - len(held)]
    yield held


def _breaks(part: bytes) -> int:
    return part.count(b"\n") + (part.count(b"\r") - part.count(b"\r\n") if b"\r" in part else 0)
