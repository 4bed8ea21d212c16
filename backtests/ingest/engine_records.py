"""Readers of engines' files: JSON lines, a table, or one JSON document. Pure."""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

import orjson

Record = dict[str, Any]
"""One record of an engine's stream, as decoded JSON; a row of a table has texts by column."""

MAX_DOCUMENT_BYTES = 268_435_456
DELIMITERS = (",", ";", "\t")
_PAST_64_BITS = 2**63


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """One record with its position; if it is unreadable, `record` is a text that says why, for a person."""

    line_number: int
    line: bytes
    record: Record | str


def read_json_lines(lines: Iterable[bytes]) -> Iterator[ReadRecord]:
    """Yield an object for each line that is not blank."""
    for line_number, line in enumerate(lines, start=1):
        if line.strip():
            yield ReadRecord(line_number, line, decode_record(line))


def read_table(lines: Iterable[bytes]) -> Iterator[ReadRecord]:
    """
    Yield the rows of a CSV table in UTF-8, separated by comma, semicolon or tab; the first line names the columns.

    Columns without a name are called `column 1`, `column 2` and so on by their place. A row with more or fewer cells
    than the first line yields the reason.
    """
    taken: list[bytes] = []
    texts = _decode(lines, taken=taken)
    first = next(texts, "")
    header = split_header(first)
    taken.clear()
    rows = csv.reader(texts, delimiter=find_delimiter(first))
    while True:
        start = rows.line_num + 2
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield ReadRecord(start, b"".join(taken), f"The row cannot be read: {error}"[:200])
            taken.clear()
            continue
        line = b"".join(taken)
        taken.clear()
        if not cells:
            continue
        if len(cells) != len(header):
            reason = f"The row has {len(cells):,} cells, the first line names {len(header):,} columns."
            yield ReadRecord(start, line, reason)
        else:
            yield ReadRecord(start, line, dict(zip(header, cells, strict=True)))


def read_document(lines: Iterable[bytes]) -> Any:
    """Read the file as one JSON value. Raises ValueError if it is invalid or too long."""
    read = bytearray()
    for line in lines:
        read += line
        if len(read) > MAX_DOCUMENT_BYTES:
            raise ValueError(f"The document is longer than {MAX_DOCUMENT_BYTES >> 20} MiB.")
    return _read_leniently(bytes(read).removeprefix(b"\xef\xbb\xbf"))


def split_header(line: str) -> list[str]:
    """Split the first line of a table into column names; none if no table begins like this."""
    try:
        names = next(csv.reader([line.removeprefix("\ufeff")], delimiter=find_delimiter(line)), [])
    except csv.Error:
        return []
    return [name.strip() or f"column {place}" for place, name in enumerate(names, start=1)]


def find_delimiter(line: str) -> str:
    """Return the delimiter of a table's first line."""
    return max(DELIMITERS, key=line.count)


def decode_record(line: bytes) -> Record | str:
    """Decode one JSON object; return the reason, for a person, if it is not one."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            record = _read_leniently(line)
        except (ValueError, RecursionError) as error:
            return f"The line is not JSON: {error}"[:200]
    return record if isinstance(record, dict) else "The line is JSON, but not an object."


def encode_properties(value: Record) -> bytes:
    """Encode properties as JSON; decimals and large integers keep all digits."""
    return orjson.dumps(value, default=_write_exactly)


def _decode(lines: Iterable[bytes], *, taken: list[bytes]) -> Iterator[str]:
    for line in lines:
        taken.append(line)
        yield line.decode("utf-8", "surrogateescape")


def _read_leniently(text: bytes) -> Any:
    """
    Decode the JSON that Python writes beyond the standard: NaN, Infinity, integers of any size.

    What is no number, or is beyond a double, becomes its text, so that it is reported and not lost.
    """
    return json.loads(text, parse_constant=str, parse_float=_read_float, parse_int=_read_integer)


def _read_float(digits: str) -> float | str:
    value = float(digits)
    return value if isfinite(value) else digits


def _read_integer(digits: str) -> int | Decimal:
    value = Decimal(digits)
    return int(value) if abs(value) < _PAST_64_BITS else value


def _write_exactly(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} is no value of JSON")
