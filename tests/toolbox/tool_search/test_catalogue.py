"""One index of the catalogue: what it finds, when it is made, and what becomes of it without a model."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from django.conf import settings

from tests.toolbox.transports import CATALOGUE, TOOLS
from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.tool import Tool
from toolbox.embedding.embedder import Embedder, embedder
from toolbox.embedding.failures import EmbeddingFailed
from toolbox.embedding.session import Vector
from toolbox.tool_search.catalogue import CatalogueSearch, catalogue_search
from toolbox.tool_search.index import ToolIndex, ToolText

QUERIES = [
    ("which teams won the most periods in NHL games", "query_linescore_data"),
    ("find past errors like this stack trace", "vector_search_db"),
    ("who calls this function", "find_callers_of_function"),
    ("league standings", "get_league_standings"),
    ("positions and profit at a moment of a backtest", "get_state_snapshot"),
    ("turn a question into SQL", "generate_sql"),
    ("read a file", "read_file"),
]
pytestmark = pytest.mark.usefixtures("cast")
ANY = pytest.mark.parametrize(("query", "name"), QUERIES)


class CountingModel(Embedder):
    """A model whose vectors count a text's letters, and that counts the texts. With `fails` it cannot be loaded."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.asked: list[str] = []
        self._fails = fails

    def embed(self, texts: Sequence[str]) -> Vector:
        """Count letters."""
        self.asked += texts
        if self._fails:
            raise EmbeddingFailed("no model here")
        rows = np.array([[1.0 + text.lower().count(letter) for letter in "abcdefghijklmnop"] for text in texts])
        vectors: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return vectors

    async def embed_text(self, text: str) -> Vector:
        """Embed at once."""
        vector: Vector = self.embed([text])[0]
        return vector


@pytest.fixture
def with_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use vectors in tool search."""
    monkeypatch.setattr(settings, "TOOLROOM_TOOL_VECTORS", True)


def small_registry(*tools: Tool) -> Registry:
    """Build a catalogue of some dynamic tools."""
    made = Registry()
    made.replace_dynamic_tools(list(tools), domain=tools[0].domain)
    return made


@ANY
async def test_a_tool_is_found_by_what_it_is_for(query: str, name: str) -> None:
    assert name in [hit.name for hit in (await catalogue_search.rank(query, tools=TOOLS))[:3]]


@pytest.mark.slow
@ANY
async def test_a_tool_is_found_by_words_and_meaning(with_vectors: None, query: str, name: str) -> None:
    search = CatalogueSearch(registry, model=embedder)

    found = await search.rank(query, tools=TOOLS, wait_seconds=60)

    assert name in [hit.name for hit in found[:5]]


async def test_only_the_tools_that_are_given_are_ranked_and_counted() -> None:
    given = TOOLS[:3]

    found = await catalogue_search.search(TOOLS[5].documentation, tools=given)

    assert {tool["name"] for tool in found["tools"]} <= {tool.name for tool in given}
    assert found["total"] == len(given)


async def test_words_that_no_tool_has_find_no_tool() -> None:
    found = await catalogue_search.search("zzzyx qwrtp", tools=TOOLS)

    assert "No tool has these words" in found["note"]
    assert (found["tools"], found["total"]) == ([], len(TOOLS))


@pytest.mark.parametrize("question", ["zzzyx qwrtp", " "])
async def test_where_a_question_has_no_vector_meaning_finds_nothing(with_vectors: None, question: str) -> None:
    model = CountingModel()
    search = CatalogueSearch(small_registry(*TOOLS[:1]), model=model)
    await search.rank("a question", tools=TOOLS[:1], wait_seconds=30)
    model._fails = True

    found = await search.search(question, tools=TOOLS[:1])

    assert found["tools"] == await search.find(question, tools=TOOLS[:1]) == []


async def test_a_search_lists_tools_with_about_as_many_words_as_the_best() -> None:
    found = await catalogue_search.find("standin", tools=CATALOGUE)

    assert found[0].name == "get_league_standings"
    assert await catalogue_search.find("zzzyx qwrtp", tools=CATALOGUE) == []


async def test_vectors_are_made_once_and_anew_for_tools_that_changed(with_vectors: None) -> None:
    one, other = TOOLS[0], next(tool for tool in TOOLS if tool.domain == TOOLS[0].domain and tool is not TOOLS[0])
    made, model = small_registry(one, other), CountingModel()
    search = CatalogueSearch(made, model=model)
    await search.rank("a question", tools=[one, other], wait_seconds=30)
    first = len(model.asked)
    await search.rank("a question", tools=[one, other], wait_seconds=30)
    assert model.asked[first:] == ["a question"]

    async def answer_other(ask: object) -> object:
        """Answer what nobody asked before."""
        return ask

    answer_other.__name__ = other.name
    made.replace_dynamic_tools([one, replace(other, function=answer_other)], domain=one.domain)
    await search.rank("a question", tools=[one, other], wait_seconds=30)

    again = model.asked[first + 1 :]
    assert any("what nobody asked before" in text for text in again)
    assert not any(one.documentation[:40] in text for text in again)


async def test_without_a_model_words_decide_and_it_is_asked_once(with_vectors: None) -> None:
    model = CountingModel(fails=True)
    search = CatalogueSearch(registry, model=model)

    for _ in range(3):
        found = await search.rank("league standings", tools=TOOLS, wait_seconds=30)
        assert found[0].name == "get_league_standings"
    assert len(model.asked) == 8


def test_a_curated_question_finds_its_tool_by_meaning() -> None:
    east, north = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    tools = [
        ToolText(name="first", description="Alpha.", parameters={}, questions=("beta",)),
        ToolText(name="second", description="Gamma.", parameters={}),
    ]
    index = ToolIndex(tools, vectors=[[east, east, north], [east, east]])

    assert [hit.name for hit in index.rank("delta", vector=north)] == ["first", "second"]


def test_no_tools_and_no_words_are_no_error() -> None:
    assert ToolIndex([]).rank("anything") == []
    assert ToolIndex([ToolText(name="x", description="", parameters={})]).rank("") == [("x", 0.0, 0.0, False)]
