"""
What a strategy decided, in an order that two runs share: orders, executions, rejections, reactions to risk. Pure.

Decisions are compared by content, not by id: time, type, security, direction, quantity, price, status or reason. A
run's trail has a record for each: moment, fingerprint, number of its event. Decisions of one moment are in the order of
their fingerprints, because their order in the log means nothing.
"""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from backtests.vocabulary import TYPE_CODES

RECORD = np.dtype([("moment", "<i8"), ("fingerprint", "<u8"), ("number", "<i4")])
RECORD_BYTES = RECORD.itemsize
EXECUTION, REJECTION = TYPE_CODES["TradeExecution"], TYPE_CODES["OrderRejection"]
STATE, RISK = TYPE_CODES["StateChange"], TYPE_CODES["RiskEvent"]
_COMPARED = {
    EXECUTION: ("SecuritySymbol", "Direction", "Quantity", "Price"),
    REJECTION: ("SecuritySymbol", "RejectionReason", "RequestedQuantity", "RequestedPrice"),
    STATE: ("SecuritySymbol", "Direction", "Quantity", "Price", "Status"),
    RISK: ("SecuritySymbol", "RiskType", "Action"),
}
"""The properties that a decision is compared by, for each type of event; of a state, those of StateAfter."""
Trail = NDArray[np.void]
BLOCK_DECISIONS, DIGEST_BYTES = 1_024, 8


class Decision(NamedTuple):
    """A decision of the strategy, as a record of the trail."""

    moment: int
    fingerprint: int
    number: int


def read_decision(event_type: int, *, number: int, moment: int, values: dict[str, Any]) -> Decision:
    """Return an event as a decision, with the fingerprint of its compared properties."""
    given = values.get("StateAfter") if event_type == STATE else values
    known = given if isinstance(given, dict) else {}
    words = "\x1f".join([str(event_type), *[_plain(known.get(name)) for name in _COMPARED[event_type]]])
    digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return Decision(moment, int.from_bytes(digest, "little"), number)


def make_trail(decisions: Iterable[Decision]) -> Trail:
    """Return the decisions as sorted records; reads them one at a time."""
    trail: Trail = np.fromiter(decisions, dtype=RECORD)
    return trail[np.lexsort((trail["number"], trail["fingerprint"], trail["moment"]))]


def digest_prefixes(trail: Trail) -> bytes:
    """Return a digest of a trail's first block, of its first two, and so on, for each whole block."""
    digests, digest = [], b""
    for start in range(0, len(trail) - BLOCK_DECISIONS + 1, BLOCK_DECISIONS):
        part = trail[start : start + BLOCK_DECISIONS]
        content = digest + part["moment"].tobytes() + part["fingerprint"].tobytes()
        digest = blake2b(content, digest_size=DIGEST_BYTES).digest()
        digests.append(digest)
    return b"".join(digests)


def count_equal_decisions(first: bytes, *, second: bytes) -> int:
    """Return how many decisions at the beginning of two trails are equal, in whole blocks, by the trails' digests."""
    size = min(len(first), len(second)) // DIGEST_BYTES
    own, other = (np.frombuffer(digests, "<u8", count=size) for digests in (first, second))
    differs = own != other
    return (int(differs.argmax()) if differs.any() else size) * BLOCK_DECISIONS


def find_difference(first: Trail, *, second: Trail) -> int | None:
    """Return the place of the first record in which two trails differ; None if one is the beginning of the other."""
    size = min(len(first), len(second))
    first, second = first[:size], second[:size]
    differs = (first["moment"] != second["moment"]) | (first["fingerprint"] != second["fingerprint"])
    place = int(differs.argmax()) if size else 0
    return place if size and differs[place] else None


def _plain(value: Any) -> str:
    """Return a value as text in which equal numbers are equal, such as 1.50 and 1.5."""
    kind = type(value)
    if kind is Decimal or kind is int:
        return _plain_number(value)
    return "" if value is None else str(value)


@lru_cache(maxsize=4096)
def _plain_number(value: int | Decimal) -> str:
    """Format a number; an order's states and executions repeat its quantity and price."""
    number = Decimal(value)
    return str(number.normalize()) if number else "0"
