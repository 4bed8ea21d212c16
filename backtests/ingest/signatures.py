"""
Shapes of sequences, numbered within a run and stored in blocks of arrays. Pure.

A shape is the set of trails from a root to its leaves (chains.py). Shapes 0 to 7 are events without parent or child, by
the code of their type; the others are numbered in order of their first occurrence. A block holds the trails of 4,096
shapes, one trail per column: the first row says whether the chain is broken (missing parent or cycle), the next rows
are the type codes from the root down. A query about few levels reads only the first rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import md5
from typing import TYPE_CHECKING

from backtests.ingest.chains import CIRCLE, ORPHAN
from backtests.vocabulary import EVENT_TYPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


BLOCK_SHAPES = 4_096
LONE_SHAPES = len(EVENT_TYPES)
MAX_LISTED_SHAPES = 256
"""A run with more shapes has one list of all roots, each with its shape, instead of a list per shape."""
NO_CODE = 255
"""The code below the end of a trail."""
ROOTS = "q"
"""The list of all roots of a run with many shapes."""

Shape = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureBlock:
    """Trails of the shapes from `first_shape` on; `owners` has the shape within the block of each column."""

    first_shape: int
    owners: NDArray[np.int32]
    codes: NDArray[np.uint8]

    @property
    def shape_count(self) -> int:
        """Count the shapes, which are numbered without gaps."""
        return int(self.owners[-1]) + 1


def make_lone_block() -> SignatureBlock:
    """Build the block of the shapes that every run has."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    return SignatureBlock(
        first_shape=0,
        owners=np.arange(LONE_SHAPES, dtype=np.int32),
        codes=np.array([[0] * LONE_SHAPES, range(LONE_SHAPES)], dtype=np.uint8),
    )


def has_many_shapes(next_shape: int) -> bool:
    """Return whether a run whose next shape gets this number has one list of roots."""
    return next_shape - LONE_SHAPES > MAX_LISTED_SHAPES


def find_lone_shape(shape: Shape) -> int | None:
    """Return the number of the shape of a single event without parent or child; None for any other shape."""
    return int(shape[0]) if len(shape) == 1 and len(shape[0]) == 1 else None


def digest_shape(shape: Shape) -> str:
    """Return the digest by which a shape is looked up."""
    return md5(".".join(shape).encode(), usedforsecurity=False).hexdigest()


def list_of_shape(shape: int) -> str:
    """Return the name of the list of one shape's roots, in a run with few shapes."""
    return f"{ROOTS}:{shape}"


def encode_block(shapes: Sequence[Iterable[str]]) -> tuple[int, bytes, bytes]:
    """Encode a block as the count of trails, their codes and their owners."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    trails = [(owner, trail) for owner, trails in enumerate(shapes) for trail in trails]
    flags = [trail[0] in (ORPHAN, CIRCLE) for _, trail in trails]
    plain = [trail[flag:] for (_, trail), flag in zip(trails, flags, strict=True)]
    codes = np.full((1 + max(map(len, plain)), len(trails)), NO_CODE, dtype=np.uint8)
    codes[0] = flags
    lengths = np.fromiter(map(len, plain), dtype=np.int64, count=len(plain))
    columns = np.repeat(np.arange(len(plain)), lengths)
    rows = 1 + np.concatenate([np.arange(length) for length in lengths])
    codes[rows, columns] = np.frombuffer("".join(plain).encode(), dtype=np.uint8) - ord("0")
    owners = np.fromiter((owner for owner, _ in trails), dtype="<i4", count=len(trails))
    return len(trails), codes.tobytes(), owners.tobytes()


def decode_block(block: int, *, trail_count: int, codes: bytes, owners: bytes) -> SignatureBlock:
    """Decode a block or its first rows."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    return SignatureBlock(
        first_shape=LONE_SHAPES + block * BLOCK_SHAPES,
        owners=np.frombuffer(owners, dtype="<i4"),
        codes=np.frombuffer(codes, dtype=np.uint8).reshape(-1, trail_count),
    )


def join_blocks(blocks: Sequence[SignatureBlock]) -> SignatureBlock:
    """Join consecutive blocks: one large block is evaluated faster than many small ones."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    height = max(len(block.codes) for block in blocks)
    padded = [
        block.codes
        if len(block.codes) == height
        else np.pad(block.codes, ((0, height - len(block.codes)), (0, 0)), constant_values=NO_CODE)
        for block in blocks
    ]
    first = blocks[0].first_shape
    owners = np.concatenate([block.owners + (block.first_shape - first) for block in blocks])
    return SignatureBlock(first_shape=first, owners=owners, codes=np.concatenate(padded, axis=1))
