"""Search results with why each was found."""

from collections.abc import Sequence

from devassist.past_errors import queries
from devassist.past_errors.why import Reason, reasons, spelt, telling, weights_in
from devassist.root_causes.queries import Row
from devassist.root_causes.searching import Looked


async def explain(found: Looked, *, rows: Sequence[Row]) -> list[tuple[Row, Reason]]:
    """Give each row with its reason, and how often it was used."""
    if not rows:
        return []
    words, weights = spelt(found.paste.words), weights_in(found.sought.weights)
    beside = await queries.beside([row["id"] for row in rows], places=list(words))
    shared = {row_id: telling(row["places"], words=words, weights=weights) for row_id, row in beside.items()}
    known = [row | {"times": beside[row["id"]]["times"] if row["id"] in beside else 0} for row in rows]
    return list(zip(known, reasons(known, shared=shared, sought=found.sought), strict=True))
