"""
The search index of this process's catalogue, rebuilt when the catalogue or the curated examples change.

Words count at once. Vectors are computed in the background from the first question on, on the embedding model's thread;
those of unchanged tools are kept. Without a model, or with TOOLROOM_TOOL_VECTORS=0, words decide alone.
"""

import asyncio
import logging
import os
import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.conf import settings

from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.contract.tool import Tool
from toolbox.embedding.embedder import Embedder, embedder
from toolbox.embedding.failures import EmbeddingFailed
from toolbox.examples.cache import KnownExample, load_known_examples
from toolbox.tool_search.index import Hit, ToolIndex, ToolText

if TYPE_CHECKING:
    from toolbox.embedding.session import Vector

logger = logging.getLogger(__name__)

SEARCH_TOOLS = "search_tools"
SEARCH_DESCRIPTION = "Find tools by what they are for: up to 10, the likeliest first, each with a sentence."
MAX_FOUND = 10
MAX_QUERY_CHARACTERS = 400
NEAREST = 5
NEARLY_AS_MANY = 0.5
BATCH = 8
"""Texts that are embedded at once; a question can be embedded in between."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_PLACEHOLDER = re.compile(r"\{(?:\w+:)?(\w+)\}")


class CatalogueSearch:
    """The search index of one registry."""

    def __init__(self, catalogue: Registry, *, model: Embedder) -> None:
        self._registry = catalogue
        self._model = model
        self._tools: list[Tool] = []
        self._examples: Sequence[KnownExample] = ()
        self._texts: list[ToolText] = []
        self._index = ToolIndex([])
        self._vectors: dict[str, Vector] = {}
        self._has_vectors = False
        self._embedding: asyncio.Task[None] | None = None
        os.register_at_fork(after_in_child=self._abandon_embedding)

    async def rank(self, question: str, *, tools: Sequence[Tool], wait_seconds: float = 0.0) -> list[Hit]:
        """
        Return these tools ordered by how well they fit the question; by words alone until vectors are ready.

        Waits up to `wait_seconds` for the vectors. Queries: the examples, at most once in some seconds.
        """
        await self._refresh()
        question = question[:MAX_QUERY_CHARACTERS]
        vector = await self._embed_question(question, wait_seconds=wait_seconds)
        return self._index.rank(question, vector=vector, among=frozenset(tool.name for tool in tools))

    async def find(self, question: str, *, tools: Sequence[Tool]) -> list[Tool]:
        """Return the tools with about as many of the question's words as the best; without any, the nearest ones."""
        hits = [hit for hit in await self.rank(question, tools=tools) if hit.is_ranked]
        most = max((hit.coverage for hit in hits), default=0.0)
        fitting = [hit for hit in hits if hit.coverage >= most * NEARLY_AS_MANY] if most else hits[:NEAREST]
        known = {tool.name: tool for tool in tools}
        return [known[hit.name] for hit in fitting]

    async def search(self, question: str, *, tools: Sequence[Tool]) -> dict[str, Any]:
        """Answer a call of the search tool: the tools that fit best, each with its description's first sentence."""
        hits = await self.rank(question, tools=tools)
        known = {tool.name: tool for tool in tools}
        found = [known[hit.name] for hit in hits[:MAX_FOUND] if hit.is_ranked]
        note = {"note": "No tool has these words: search with others."} if tools and not found else {}
        return {"tools": [summarize_tool(tool) for tool in found], "total": len(tools)} | note

    async def _refresh(self) -> None:
        """Rebuild the index if the catalogue or the examples changed."""
        tools = [*self._registry.tools(), *self._registry.dynamic_tools()]
        try:
            examples: Sequence[KnownExample] = await load_known_examples()
        except DatabaseUnavailable:
            examples = self._examples
        if tools == self._tools and (examples is self._examples or examples == self._examples):
            return
        texts = await asyncio.to_thread(lambda: [_describe(tool, examples=examples) for tool in tools])
        index = await asyncio.to_thread(ToolIndex, texts)
        self._tools, self._examples, self._texts, self._index = tools, examples, texts, index
        self._has_vectors, self._embedding = False, None

    async def _embed_question(self, question: str, *, wait_seconds: float) -> "Vector | None":
        if not (settings.TOOLROOM_TOOL_VECTORS and question.strip()):
            return None
        if not self._has_vectors:
            if self._embedding is None or self._embedding.get_loop() is not asyncio.get_running_loop():
                self._embedding = asyncio.create_task(self._embed_tools())
            await asyncio.wait({self._embedding}, timeout=wait_seconds)
        if not self._has_vectors:
            return None
        try:
            return await self._model.embed_text(question)
        except EmbeddingFailed as failed:
            logger.warning("tools are found by words alone: %s", failed)
            return None

    async def _embed_tools(self) -> None:
        """Embed new texts; a model that fails is not asked again until the catalogue changes."""
        index, texts = self._index, self._texts
        needed = dict.fromkeys(chain.from_iterable(text.to_embed for text in texts))
        vectors = {text: self._vectors[text] for text in needed if text in self._vectors}
        new = [text for text in needed if text not in vectors]
        try:
            for start in range(0, len(new), BATCH):
                batch = new[start : start + BATCH]
                vectors |= dict(zip(batch, await self._model.embed_texts(batch), strict=True))
        except EmbeddingFailed as failed:
            logger.warning("tools are found by words alone: %s", failed)
            return
        rows = [[vectors[one] for one in text.to_embed] for text in texts]
        complete = await asyncio.to_thread(ToolIndex, texts, words=index.words, vectors=rows)
        if index is self._index:
            self._index, self._vectors, self._has_vectors = complete, vectors, True

    def _abandon_embedding(self) -> None:
        """Reset in a forked child: no task embeds there."""
        self._embedding = None


def _describe(tool: Tool, *, examples: Sequence[KnownExample]) -> ToolText:
    parameters = tool.input_schema.get("properties", {})
    asked = chain.from_iterable(example.templates for example in examples if tool.name in example.tools)
    return ToolText(
        name=tool.name,
        description=f"{tool.documentation}\n{tool.domain}",
        parameters={name: str(part.get("description", "")) for name, part in parameters.items()},
        questions=tuple(dict.fromkeys(_PLACEHOLDER.sub(r"\1", text) for text in asked)),
    )


def summarize_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool's entry in a list, with the first sentence of its description."""
    return {
        "name": tool.name,
        "domain": tool.domain,
        "summary": _SENTENCE_END.split(tool.documentation)[0],
        "writes": tool.writes,
    }


catalogue_search = CatalogueSearch(registry, model=embedder)
"""The search index of this process."""
