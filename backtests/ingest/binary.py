"""PostgreSQL's binary COPY format: nothing to escape, and numbers that the server need not read from text. Pure."""

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
    """Begin a row."""
    return _count(columns)


def text(value: bytes | None) -> bytes:
    """Write a text, or JSON."""
    return NULL if value is None else _length(len(value)) + value


def number(value: int) -> bytes:
    """Write a bigint."""
    return _int8(8, value)


def event_element(value: int) -> bytes:
    """Write one element of an integer array."""
    return _int4(4, value)


def moment_element(value: int) -> bytes:
    """Write one element of a bigint array."""
    return _int8(8, value)


def events(elements: Iterable[bytes]) -> bytes:
    """Write an integer array of elements that `event_element` made."""
    return _one_dimension(_INT4, b"".join(elements))


def moments(elements: Iterable[bytes]) -> bytes:
    """Write a bigint array of elements that `moment_element` made."""
    return _one_dimension(_INT8, b"".join(elements))


def event_row(
    start: bytes,
    *,
    place: tuple[int, str, int, int, int, int],
    parent: str | None,
    root: int,
    trail: bytes,
    properties: bytes,
    errors: bytes | None,
) -> bytes:
    """
    Write a row of backtests_events.

    `start` is its beginning, which a run's rows share: row_start and the run. `place` is its number, id, moment, and
    codes of type, severity and category.
    """
    number, event_id, moment, kind, severity, category = place
    return b"".join((
        start,
        _before_parent(
            4, number, 16, unhexlify(event_id.replace("-", "")), 8, moment - _EPOCH_2000,
            2, kind, 2, severity, 2, category,
        ),
        NULL if parent is None else b"\0\0\0\x10" + unhexlify(parent.replace("-", "")),
        _after_parent(4, root, len(trail)),
        trail,
        _length(len(properties)),
        properties,
        NULL if errors is None else text(errors),
    ))  # fmt: skip


def _one_dimension(element: int, body: bytes) -> bytes:
    return _array(20 + len(body), 1, 0, element, len(body) // _ELEMENT_BYTES[element], 1) + body
