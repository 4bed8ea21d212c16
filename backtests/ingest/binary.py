"""Encoder of PostgreSQL's binary COPY format, which needs no escaping and no parsing of numbers. Pure."""

from binascii import unhexlify
from collections.abc import Iterable
from struct import Struct

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
NULL = b"\xff\xff\xff\xff"
_EPOCH_2000 = 946_684_800_000_000
_INT4, _INT8 = 23, 20
_length = Struct(">i").pack
_count = Struct(">h").pack
_int4 = Struct(">ii").pack
_int8 = Struct(">iq").pack
_array = Struct(">iiiiii").pack
_ELEMENT_BYTES = {_INT4: 8, _INT8: 12}
_before_parent = Struct(">iii16siqihihih").pack
_after_parent = Struct(">iii").pack


def row_start(columns: int) -> bytes:
    """Encode the beginning of a row."""
    return _count(columns)


def text(value: bytes | None) -> bytes:
    """Encode a text or JSON."""
    return NULL if value is None else _length(len(value)) + value


def number(value: int) -> bytes:
    """Encode a bigint."""
    return _int8(8, value)


def event_element(value: int) -> bytes:
    """Encode one element of an integer array."""
    return _int4(4, value)


def moment_element(value: int) -> bytes:
    """Encode one element of a bigint array."""
    return _int8(8, value)


def events(elements: Iterable[bytes]) -> bytes:
    """Encode an integer array of elements from `event_element`."""
    return _one_dimension(_INT4, b"".join(elements))


def moments(elements: Iterable[bytes]) -> bytes:
    """Encode a bigint array of elements from `moment_element`."""
    return _one_dimension(_INT8, b"".join(elements))


def event_columns(number: int, *, event_id: str, moment: int, codes: tuple[int, int, int], parent: str | None) -> bytes:
    """Encode the columns of backtests_events from the number to the parent; codes of type, severity and category."""
    kind, severity, category = codes
    columns = _before_parent(
        4, number, 16, unhexlify(event_id.replace("-", "")), 8, moment - _EPOCH_2000, 2, kind, 2, severity, 2, category
    )
    return columns + (NULL if parent is None else b"\0\0\0\x10" + unhexlify(parent.replace("-", "")))


def event_row(
    start: bytes, *, columns: bytes, root: int, trail: bytes, properties: bytes, errors: bytes | None
) -> bytes:
    """
    Encode a row of backtests_events.

    `start` is the beginning that all rows of a run share: row_start and the run. `columns` are from `event_columns`.
    """
    return b"".join((
        start, columns, _after_parent(4, root, len(trail)), trail, _length(len(properties)), properties,
        NULL if errors is None else text(errors),
    ))  # fmt: skip


def _one_dimension(element: int, body: bytes) -> bytes:
    return _array(20 + len(body), 1, 0, element, len(body) // _ELEMENT_BYTES[element], 1) + body
