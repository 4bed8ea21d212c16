"""Search results with the reason of each."""

from collections.abc import Sequence

from devassist.past_errors import queries
from devassist.past_errors.why import Reason, name_words, reasons, spelt, weights_in
from devassist.root_causes.queries import Row
from devassist.root_causes.search import SearchResult


async def explain(found: SearchResult, *, rows: Sequence[Row]) -> list[tuple[Row, Reason]]:
    """Return each row with its reason and its number of uses."""
    if not rows:
        return []
    words, weights = spelt(found.paste.words), weights_in(found.sought.weights)
    beside = await queries.fetch_uses_and_words([row["id"] for row in rows], places=list(words))
    shared = {row_id: name_words(row["places"], words=words, weights=weights) for row_id, row in beside.items()}
    known = [row | {"times": beside[row["id"]]["times"] if row["id"] in beside else 0} for row in rows]
    return list(zip(known, reasons(known, shared=shared, sought=found.sought), strict=True))
