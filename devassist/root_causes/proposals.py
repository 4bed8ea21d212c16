"""The `propose_rca` tool."""

from datetime import UTC, datetime

from devassist.contracts.propose_rca import Proposal, SimilarEntry, StoredProposal
from devassist.entries.root_cause import LONGEST, Entry, language_key, proposal_id
from devassist.queries.proposals import store
from devassist.root_causes.columns import embedding_columns, searchable
from devassist.root_causes.ranking import NEAR_DUPLICATE
from devassist.root_causes.refusals import no_embedding
from devassist.root_causes.search import rows_like
from toolbox.database.pools import writer
from toolbox.embedding.embedder import embedder
from toolbox.embedding.failures import EmbeddingFailed

SHOWN = 3
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""The database says when; a proposal's own time takes no part in its name."""


async def propose(ask: Proposal, *, proposer: str) -> StoredProposal:
    """Store a proposal with its embedding, so that searches of unvalidated entries find it at once."""
    entry = _entry(ask)
    try:
        vector = await embedder.embed_text(entry.text)
    except EmbeddingFailed as failed:
        raise no_embedding(failed) from failed
    vectors = searchable(entry) | embedding_columns(entry, vector=vector.tolist())
    plain = {name: value.to_text() if hasattr(value, "to_text") else value for name, value in vectors.items()}
    written = {name: getattr(entry, name) for name in type(ask).model_fields}
    status = await store(
        written | plain | {"entry_name": entry.id, "source": f"proposed by {proposer}"[:200]},
        writer=writer,
    )  # fmt: skip
    return StoredProposal(
        id=entry.id, status=status, user_validated=status == "validated",
        similar=[
            SimilarEntry(
                id=row["entry_name"], error_description=row["error_description"], similarity=round(row["similarity"], 4)
            )
            for row in await rows_like(entry.text, limit=SHOWN + 1, floor=NEAR_DUPLICATE, include_unvalidated=False)
            if row["entry_name"] != entry.id and row["similarity"] >= NEAR_DUPLICATE
        ][:SHOWN],
    )  # fmt: skip


def _entry(ask: Proposal) -> Entry:
    said = ask.model_dump() | {"language": language_key(ask.language)}
    said |= {name: text[: LONGEST[name]] for name, text in said.items() if name in LONGEST}  # masks may be longer
    return Entry(id=proposal_id(said), status="proposed", created_at=_UNDATED, **said)
