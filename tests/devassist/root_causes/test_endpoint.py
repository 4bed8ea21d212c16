"""Past root causes by another embedding model: embedded while the one before serves, then compared by it."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from django.utils import timezone

from devassist.models import EmbeddingModel, RootCause, RootCauseVector
from devassist.root_causes.endpoint_load import embed_by_endpoint
from devassist.root_causes.load import prepare_saved
from tests.devassist.root_causes.embedding_server import KEY, EmbeddingServer, embedding_server
from tests.graphql_proxy.conftest import in_a_thread
from toolbox.database.caches import clear_all_caches
from toolbox.embedding.endpoint import EmbeddingEndpoint
from toolbox.embedding.failures import EmbeddingFailed

SECRET = "hunter2-of-the-test"
ADDRESS = "/api/tools/devassist/vector_search_db"
QUERIES = (
    "the app freezes and Android says it isn't responding",
    "view binding is null after leaving the screen when the coroutine ends",
    "my compose list does not refresh when I add an item",
)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """Run an embeddings server."""
    with embedding_server() as running:
        yield running


@pytest.fixture
async def chosen_server(
    server: EmbeddingServer, settings: Any, cast: object, django_db_blocker: Any
) -> AsyncIterator[EmbeddingServer]:
    """Configure the server's model; its vectors are deleted after the test."""
    settings.EMBEDDING_MODEL = "far-space"
    settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY = server.base_url, KEY
    clear_all_caches()
    with django_db_blocker.unblock():
        yield server
        in_a_thread(_forget)
    clear_all_caches()


@pytest.mark.slow
async def test_the_model_before_serves_until_every_root_cause_is_embedded(
    chosen_server: EmbeddingServer, fast_client: httpx.AsyncClient
) -> None:
    before = [await _ask(fast_client, query) for query in QUERIES]
    in_a_thread(lambda: embed_by_endpoint(most=1))
    halfway = in_a_thread(EmbeddingModel.objects.get)
    meanwhile = [await _ask(fast_client, query) for query in QUERIES]
    steps: list[str] = []
    in_a_thread(lambda: embed_by_endpoint(on_progress=lambda model: steps.append(str(model))))
    clear_all_caches()
    chosen_server.asked.clear()
    after = [await _ask(fast_client, query) for query in QUERIES]
    await fast_client.post(ADDRESS, json={"query": f"TypeError with password={SECRET}"})

    assert halfway.state == "embedding"
    assert 0 < halfway.done < halfway.total
    assert [_names(one) for one in before] == [_names(one) for one in meanwhile] == [_names(one) for one in after]
    assert [_similar(one) for one in before] == [_similar(one) for one in meanwhile]
    assert steps[-1] == f"far-space: serving, {halfway.total} of {halfway.total}"
    assert len(chosen_server.asked) == len(QUERIES) + 1, "the questions are embedded by the endpoint now"
    assert SECRET not in str(chosen_server.asked)
    assert min(min(_similar(one)) for one in after) > max(max(_similar(one)) for one in before) / 2
    assert chosen_server.keys == {f"Bearer {KEY}"}


@pytest.mark.slow
async def test_a_change_is_embedded_anew_and_the_words_find_it_at_once(
    scratch_database: None, chosen_server: EmbeddingServer, fast_client: httpx.AsyncClient
) -> None:
    """The old text is of Python, the new one of a greenhouse; the last question shares no word with either."""
    in_a_thread(embed_by_endpoint)
    clear_all_caches()
    worded, meant = "ZymurgyGaugeError irrigation failed", "no water for the crops"

    in_a_thread(lambda: _edit("py-externally-managed"))
    at_once = await _ask(fast_client, worded)
    too_early = await fast_client.post(ADDRESS, json={"query": meant})
    count = in_a_thread(embed_by_endpoint)
    afterwards = await _ask(fast_client, meant)

    assert _names(at_once)[0] == "py-externally-managed"
    assert too_early.json()["error"]["code"] == "NO_RESULTS"
    assert count == 1
    assert _names(afterwards)[0] == "py-externally-managed"
    assert in_a_thread(embed_by_endpoint) == 0


@pytest.mark.slow
async def test_where_the_endpoint_is_away_a_question_is_refused_and_words_still_answer(
    chosen_server: EmbeddingServer, fast_client: httpx.AsyncClient
) -> None:
    in_a_thread(embed_by_endpoint)
    clear_all_caches()
    chosen_server.refusal = 500

    refused = await fast_client.post(ADDRESS, json={"query": QUERIES[0]})
    patch = refused.json()["error"]["details"]["retryWith"]
    answer = await fast_client.post(ADDRESS, json={"query": QUERIES[0]} | patch)

    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "EMBEDDING_FAILED")
    assert KEY not in refused.text
    assert answer.status_code == 200


@pytest.mark.slow
async def test_a_model_that_now_gives_other_vectors_is_embedded_whole_again(chosen_server: EmbeddingServer) -> None:
    in_a_thread(embed_by_endpoint)
    chosen_server.dimensions = 500
    in_a_thread(RootCauseVector.objects.filter(root_cause__entry_name="android-anr-main-blocked").delete)

    in_a_thread(embed_by_endpoint)

    model = in_a_thread(EmbeddingModel.objects.get)
    assert (model.dimensions, model.state, model.done) == (500, "serving", model.total)
    assert in_a_thread(RootCauseVector.objects.count) == model.total


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"object": "embedding", "index": 0, "embedding": []}],
        [{"object": "embedding", "index": 0, "embedding": [0.0, 0.0]}],
        [{"object": "embedding", "index": 0, "embedding": [1.0] * 4_001}],
        [{"object": "embedding", "index": at, "embedding": [1.0, 0.5]} for at in range(2)],
    ],
)
def test_an_answer_that_is_no_vector_is_refused(data: list[dict[str, Any]], server: EmbeddingServer) -> None:
    server.answer = {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    with pytest.raises(EmbeddingFailed, match="gave"):
        EmbeddingEndpoint("m", server.base_url).embed_question("a crash")


def _forget() -> None:
    RootCauseVector.objects.all().delete()
    EmbeddingModel.objects.all().delete()


def _edit(name: str) -> None:
    """Change the text of an entry as the admin does."""
    row = RootCause.objects.get(entry_name=name)
    row.error_type = "ZymurgyGaugeError"
    row.error_description = "ZymurgyGaugeError: irrigation of the vegetable garden failed"
    row.root_cause = "The greenhouse's hose was blocked, so the plants stayed dry."
    row.solution = "Clean the hose before plants are irrigated."
    prepare_saved(row, now=timezone.now())
    row.save()


async def _ask(client: httpx.AsyncClient, query: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = (await client.post(ADDRESS, json={"query": query})).json()["data"]["results"]
    return results


def _names(results: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in results]


def _similar(results: list[dict[str, Any]]) -> list[float]:
    return [one["similarity"] for one in results]
