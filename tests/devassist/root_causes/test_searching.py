"""Past root causes as agents find and propose them; ground truth is what the entries that ship are about."""

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from devassist.embedding.embedder import embedder
from devassist.embedding.failures import EmbeddingFailed
from devassist.root_causes.uses import uses
from tests.devassist.root_causes.test_telling import GRADLE, JVM, NODE
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool, reader

ADDRESS = "/api/tools/devassist/vector_search_db"
FIRST = {
    JVM: "kotlin-lateinit-not-initialized",
    NODE: "ts-cannot-read-map-undefined",
    GRADLE: "kotlin-unresolved-reference",
    "the app freezes and Android says it isn't responding": "android-anr-main-blocked",
    "port 3000 is already taken by another process": "node-eaddrinuse",
    "view binding is null after leaving the screen when the coroutine ends": "android-binding-after-destroy-view",
    "pip refuses to install because the environment is managed by Debian": "py-externally-managed",
    "my compose list does not refresh when I add an item": "compose-state-no-recomposition",
    "error TS2532 Object is possibly undefined": "ts2532-possibly-undefined",
}


async def test_the_past_error_that_is_meant_comes_first(fast_client: httpx.AsyncClient) -> None:
    found = {}
    for query in FIRST:
        data = (await fast_client.post(ADDRESS, json={"query": query})).json()["data"]
        found[query] = data["results"][0]["id"]
        assert data["totalFound"] >= len(data["results"])

    assert found == FIRST


async def test_nothing_is_said_where_nothing_is_known(fast_client: httpx.AsyncClient) -> None:
    unknown = (
        "How many points did Carolina score in February?",
        "a recipe for sourdough bread with rye",
        "🦊🦊🦊",
        "SELECT * FROM users; DROP TABLE students; --",
        "ORA-00942 in a stored procedure of the billing mainframe",
    )

    for query in unknown:
        answer = await fast_client.post(ADDRESS, json={"query": query})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NO_RESULTS"), query


async def test_filters_are_strict_and_a_refusal_by_them_is_mended_by_its_patch(fast_client: httpx.AsyncClient) -> None:
    query = {"query": "NullPointerException from view binding after onDestroyView"}

    async def ask(**filters: Any) -> dict[str, Any]:
        body: dict[str, Any] = (await fast_client.post(ADDRESS, json=query | filters)).json()
        return body

    kotlin = await ask(language="KT", errorType="java.lang.NullPointerException", minConfidence=0.9, limit=10)
    wrong = await ask(language="python")
    unheard = await ask(language="typescrip")

    assert {(one["language"], one["errorType"]) for one in kotlin["data"]["results"]} == {
        ("kotlin", "NullPointerException")
    }
    assert all(one["confidence"] >= 0.9 for one in kotlin["data"]["results"])
    assert wrong["error"]["code"] == unheard["error"]["code"] == "NO_RESULTS"
    assert unheard["error"]["details"]["retryWith"] == {"language": "typescript"}
    patch = {name: value for name, value in wrong["error"]["details"]["retryWith"].items() if value is not None}
    assert (await fast_client.post(ADDRESS, json=query | patch)).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": ""}, 400),
        ({"query": " \x00 \n"}, 400),
        ({"query": "x" * 900_000 + " lateinit property has not been initialized"}, 404),
        ({"query": "\n".join(["all is well"] * 60_000) + NODE}, 200),
        ({"query": "TypeError", "limit": 11}, 400),
        ({"query": "TypeError", "minConfidence": 1.5}, 400),
        ({"query": "lateinit property", "errorType": "'; DROP TABLE devassist_root_causes; --"}, 404),
        ({"query": "lateinit property", "language": "\x00"}, 400),
    ],
)
async def test_bad_input_is_a_planned_refusal(
    fast_client: httpx.AsyncClient, body: dict[str, Any], status: int
) -> None:
    assert (await fast_client.post(ADDRESS, json=body)).status_code == status


async def test_a_search_leaves_no_setting_behind(fast_client: httpx.AsyncClient) -> None:
    """Settings go with the statement, without a transaction of ours; other tools use the same connections."""
    now = "SELECT current_setting('plan_cache_mode') AS plans, current_setting('hnsw.ef_search') AS width"

    assert (await fast_client.post(ADDRESS, json={"query": "TypeError: map of undefined"})).status_code == 200

    assert (await reader.fetch(now)).rows == [{"plans": "auto", "width": "40"}]


async def test_without_its_model_the_search_says_so(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: object) -> None:
        raise EmbeddingFailed("no model")

    monkeypatch.setattr(embedder, "embed", missing)
    answer = await fast_client.post(ADDRESS, json={"query": "TypeError"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "EMBEDDING_FAILED")


async def test_a_proposal_is_stored_once_unvalidated_and_found_by_who_asks_for_less(
    scratch_database: None, fast_client: httpx.AsyncClient, cast: SimpleNamespace
) -> None:
    learned = {
        "errorDescription": "WidgetTurnedSourException when the zymurgy gauge is polled twice",
        "rootCause": "The gauge keeps a single buffer, which the second poll overwrites.",
        "solution": "Poll it through the queue.",
        "language": "kt",
        "errorType": "WidgetTurnedSourException",
    }
    query = {"query": "zymurgy gauge WidgetTurnedSourException"}
    proposing = "/api/tools/devassist/propose_rca"

    answers = [await fast_client.post(proposing, json=learned) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200], [one.text for one in answers]
    first, again = [one.json()["data"] for one in answers]
    alien = await fast_client.post(proposing, json=learned, headers={"Authorization": f"Bearer {cast.bob}"})
    by_default = await fast_client.post(ADDRESS, json=query)

    assert first == again
    assert first["status"] == "proposed"
    assert alien.status_code == 403
    assert by_default.status_code == 404
    found = await fast_client.post(ADDRESS, json=query | {"minConfidence": 0.2})
    assert found.status_code == 200, found.text
    wider = found.json()["data"]["results"][0]
    assert (wider["id"], wider["userValidated"], wider["language"]) == (first["id"], False, "kotlin")


async def test_uses_are_counted_after_the_answer(scratch_database: None, fast_client: httpx.AsyncClient) -> None:
    counted = "SELECT coalesce(sum(times), 0) AS times FROM devassist_root_cause_uses LIMIT 1"
    await event_loop.run_on_loop(uses.flush)  # of tests before
    before = (await owner_pool.fetch(counted)).rows[0]["times"]
    for _ in range(2):
        await fast_client.post(ADDRESS, json={"query": "UninitializedPropertyAccessException lateinit", "limit": 1})
    await event_loop.run_on_loop(uses.flush)

    assert (await owner_pool.fetch(counted)).rows[0]["times"] == before + 2
