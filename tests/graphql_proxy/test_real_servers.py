"""GraphQL Yoga and Apollo Server, which nobody here wrote: their answers and errors, through the proxy."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from graphql_proxy.fixes.contract_text import enhance_graphql_error
from tests.graphql_proxy.conftest import MakeUpstream
from tests.graphql_proxy.node_servers import run_server
from tests.graphql_proxy.upstream_data import DATA, SMALL_SDL, cases

pytestmark = pytest.mark.slow
TOOL = "/api/tools/graphql_proxy/execute_graphql"
SCHEMA = DATA / "small.graphql"


@pytest.fixture(scope="module", params=["yoga", "apollo"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run each server once."""
    with run_server(request.param, SCHEMA) as started:
        yield started


@pytest.fixture(scope="module", params=["yoga", "apollo"])
def closed_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run each server with introspection off."""
    with run_server(request.param, SCHEMA, mode="closed") as started:
        yield started


async def _directly(address: str, case: dict[str, Any]) -> dict[str, Any]:
    async with httpx.AsyncClient() as client:
        body = {"query": case["query"], "variables": case["variables"]}
        answer: dict[str, Any] = (await client.post(address, json=body)).json()
        return answer


async def _through(client: httpx.AsyncClient, upstream: str, case: dict[str, Any]) -> dict[str, Any]:
    body = {"query": case["query"], "variables": case["variables"], "upstream": upstream}
    answer = await client.post(TOOL, json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_good_query_is_answered(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, address: str
) -> None:
    case = {"query": "query Q($n: Int) { teams(limit: $n) { totalCount edges { id name } } }", "variables": {"n": 2}}

    told = await _through(fast_client, make_upstream(address, sdl=SMALL_SDL), case)

    assert told["errors"] == []
    assert isinstance(told["data"]["teams"]["totalCount"], int)


async def test_every_error_keeps_its_words_and_gets_its_help(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, shipped_hints: None, address: str
) -> None:
    upstream = make_upstream(address, sdl=SMALL_SDL)
    parsing = [case for case in cases("graphql_js") if not case["errors"][0].startswith("Syntax Error")]

    for case in parsing:
        direct = await _directly(address, case)
        told = await _through(fast_client, upstream, case)

        said = [error["message"] for error in direct["errors"]]
        heard = [error["message"] for error in told["errors"]]
        assert heard == [enhance_graphql_error(text) for text in said]
        if "operation name" not in case["errors"][0]:  # Yoga finds that out itself, in its own words
            assert said == case["errors"], "the error texts of the test data are this server's"
        assert told["hints"] or heard != said or "never used" in said[0] or "fragment" in said[0], said
        assert "stacktrace" not in str(told)


async def test_introspection_that_is_off_leads_to_the_stored_schema(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, shipped_hints: None, closed_server: str
) -> None:
    case = {"query": "{ __schema { types { name } } }", "variables": {}}

    told = await _through(fast_client, make_upstream(closed_server, sdl=SMALL_SDL), case)

    assert "introspection" in told["errors"][0]["message"].lower()
    assert any("introspect_schema" in hint for hint in told["hints"])


async def test_a_server_that_knows_registered_documents_only_says_so(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, shipped_hints: None
) -> None:
    with run_server("yoga", SCHEMA, mode="registered") as address:
        told = await _through(fast_client, make_upstream(address), {"query": "{ team(id: 1) { id } }", "variables": {}})

    assert told["data"] is None
    assert told["errors"][0]["message"] == "PersistedQueryOnly"
    assert any("registered" in hint for hint in told["hints"])
