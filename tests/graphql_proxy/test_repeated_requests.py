"""What is sent once, what is sent twice, and what is not sent again for a while."""

from typing import Any

import httpx

from tests.bad_upstream import BadUpstream
from tests.graphql_proxy.conftest import MakeUpstream
from toolbox.database.caches import clear_all_caches

TOOL = "/api/tools/graphql_proxy/execute_graphql"
WRITING_TOOL = "/api/tools/graphql_proxy/execute_graphql_mutation"


async def _ask(client: httpx.AsyncClient, upstream: str, query: str = "{ answer }", **more: Any) -> httpx.Response:
    return await client.post(TOOL, json={"query": query, "upstream": upstream, **more})


async def test_a_mutation_goes_through_the_writing_tool_once_where_it_is_allowed(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("good"), allows_mutations=True, cache_seconds=60)
    document = {"query": "mutation { a }", "upstream": upstream}
    bad.asked.clear()

    refused = await fast_client.post(TOOL, json=document)
    answered = [await fast_client.post(WRITING_TOOL, json=document) for _ in range(2)]

    assert refused.status_code == 403
    assert "execute_graphql_mutation" in refused.json()["error"]["suggestion"]
    assert [answer.status_code for answer in answered] == [200, 200]
    assert len(bad.asked) == 2


async def test_a_mutation_is_not_sent_again_when_the_connection_breaks(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("nothing"), allows_mutations=True)
    bad.asked.clear()

    answer = await fast_client.post(WRITING_TOOL, json={"query": "mutation { a }", "upstream": upstream})

    assert answer.status_code == 502
    assert len(bad.asked) == 1


async def test_equal_queries_share_an_answer_for_the_stated_time(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("good"), cache_seconds=60)
    bad.asked.clear()

    first, again = [await _ask(fast_client, upstream, "{ answer }", variables={"n": 1}) for _ in range(2)]
    other = await _ask(fast_client, upstream, "{ answer }", variables={"n": 2})

    assert len(bad.asked) == 2
    assert first.json() == other.json() == {"data": {"answer": 42}, "errors": [], "hints": []}
    assert again.json() == first.json() | {"ageSeconds": 0}


async def test_without_a_stated_time_every_query_is_sent(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("good"))
    bad.asked.clear()

    for _ in range(2):
        await _ask(fast_client, upstream)

    assert len(bad.asked) == 2


async def test_a_change_of_the_row_is_seen_without_a_restart(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    from graphql_proxy.models import Upstream

    upstream = make_upstream(bad.url("html"))
    before = await _ask(fast_client, upstream)
    await Upstream.objects.filter(slug=upstream).aupdate(address=bad.url("good"))
    clear_all_caches()  # what four seconds do

    after = await _ask(fast_client, upstream)

    assert (before.status_code, after.status_code) == (502, 200)
