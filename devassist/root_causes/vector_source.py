"""
The vectors that searches use: the built-in model's in the rows, or those of a model behind an endpoint.

An endpoint's model serves once every root cause has its vector. Until then the previous model of the same server
serves, else the built-in model, whose vectors always exist.
"""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolbox.embedding.embedder import embedder
from toolbox.embedding.endpoint import configured_endpoint
from toolbox.embedding.model_files import MODEL_NAME
from toolbox.text.redaction import mask_secrets

if TYPE_CHECKING:
    from toolbox.embedding.session import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSource:
    """The vectors of one model, and the conversion of its cosines to the built-in model's."""

    model: str = MODEL_NAME
    dimensions: int = 0
    scale: float = 1.0
    shift: float = 0.0

    @property
    def is_built_in(self) -> bool:
        """Return whether the vectors are in the rows themselves."""
        return not self.dimensions

    @property
    def sql(self) -> dict[str, str]:
        """Return the SQL parts of a search: tables with every entry, tables with a vector, and the distance."""
        table = "devassist_root_causes AS r"
        if self.is_built_in:
            distance = "embedding <=> %(vector)s::halfvec"
            has_vector = "embedding_model = %(model)s AND "
            return {"all": table, "near_to": table, "distance": distance, "has_vector": has_vector}
        vectors = f"devassist_root_cause_vectors AS v ON v.root_cause_id = r.id AND v.model = {quote(self.model)}"
        distance = f"v.embedding::halfvec({self.dimensions}) <=> %(vector)s::halfvec({self.dimensions})"
        return {
            "all": f"{table} LEFT JOIN {vectors}", "near_to": f"{table} JOIN {vectors}", "distance": distance,
            "has_vector": "",
        }  # fmt: skip

    async def embed(self, text: str) -> "Vector":
        """Return the vector of a question. Raises EmbeddingFailed."""
        endpoint = None if self.is_built_in else configured_endpoint(self.model)
        if endpoint is None:
            return await embedder.embed_text(text)
        return await asyncio.to_thread(endpoint.embed_question, mask_secrets(text))


BUILT_IN = VectorSource()


def quote(text: str) -> str:
    """Quote a text as a literal. The planner uses the index of one model only if the name is in the statement."""
    return "'" + text.replace("'", "''").replace("%", "%%").replace("\\", "") + "'"
