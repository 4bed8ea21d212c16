"""
Which vectors a question is compared with: the built-in model's, in the rows, or those of a model behind an endpoint.

An endpoint's model serves once every root cause has its vector. Until then the one that served before goes on, if it is
of the same server; else the built-in model, whose vectors are always kept.
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
    """Vectors by one model, and how its cosines become those that scores and floors were found with."""

    model: str = MODEL_NAME
    dimensions: int = 0
    scale: float = 1.0
    shift: float = 0.0

    @property
    def is_built_in(self) -> bool:
        """Tell whether the vectors are in the rows themselves."""
        return not self.dimensions

    @property
    def sql(self) -> dict[str, str]:
        """Give the parts of a search: tables with every entry, those with a vector, and the distance."""
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
        """Give the vector of a question; raises EmbeddingFailed."""
        endpoint = None if self.is_built_in else configured_endpoint(self.model)
        if endpoint is None:
            return await embedder.embed_text(text)
        return await asyncio.to_thread(endpoint.embed_question, mask_secrets(text))


BUILT_IN = VectorSource()


def quote(text: str) -> str:
    """Write a text as a literal of SQL: the planner takes an index of one model only where it reads the name."""
    return "'" + text.replace("'", "''").replace("%", "%%").replace("\\", "") + "'"
