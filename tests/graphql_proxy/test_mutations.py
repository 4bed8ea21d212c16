"""Documents that write, against a server that really changes something when it is asked to."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from graphql import GraphQLResolveInfo, build_schema

from graphql_proxy.tools import toolkit
from tests.graphql_proxy.conftest import MakeKey, MakeUpstream
from tests.mock_upstream import MockUpstream, mock_upstream
from toolbox.models import ToolCall

SDL = "type Query { name: String! } type Mutation { rename(to: String!): String! } type Subscription { names: String }"
RENAME = 'mutation { rename(to: "Whalers") }'
READS, WRITES = "/api/tools/graphql_proxy/execute_graphql", "/api/tools/graphql_proxy/execute_graphql_mutation"


@pytest.fixture
def team() -> Iterator[tuple[MockUpstream, list[str]]]:
    """Run a server with one name that a mutation changes; yields it with the names it has had."""
    names = ["Hurricanes"]

    def rename(_: Any, __: "GraphQLResolveInfo[Any]", to: str) -> str:
        names.append(to)
        return to

    schema = build_schema(SDL)
    assert schema.query_type
    assert schema.mutation_type
    schema.query_type.fields["name"].resolve = lambda *_: names[-1]
    schema.mutation_type.fields["rename"].resolve = rename
    with mock_upstream(schema) as running:
        yield running, names


Team = tuple[MockUpstream, list[str]]


async def test_a_writing_key_writes_once_where_the_upstream_allows_it(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    slug = make_upstream(team[0].address, allows_mutations=True, cache_seconds=60)

    first = await fast_client.post(WRITES, json={"query": RENAME, "upstream": slug})
    again = await fast_client.post(WRITES, json={"query": RENAME, "upstream": slug})

    assert first.json() == again.json() == {"data": {"rename": "Whalers"}, "errors": [], "hints": []}
    assert team[1] == ["Hurricanes", "Whalers", "Whalers"]  # no answer to a mutation is kept


async def test_a_mutation_carries_the_call_s_idempotency_key(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    slug = make_upstream(team[0].address, allows_mutations=True)
    asked: list[tuple[str, str, str]] = [
        (WRITES, RENAME, "attempt-one"), (WRITES, RENAME, "attempt-one"), (WRITES, RENAME, "attempt-two"),
        (READS, "{ name }", "attempt-one"),
    ]  # fmt: skip

    for path, query, request_id in asked:
        await fast_client.post(path, json={"query": query, "upstream": slug}, headers={"X-Request-Id": request_id})

    first, again, other, reading = team[0].idempotency_keys
    assert first == again != other
    assert (len(first), reading) == (32, "")


async def test_an_answer_too_large_to_a_mutation_is_left_out_and_never_read_as_a_failure(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    slug = make_upstream(team[0].address, allows_mutations=True)
    long = f'mutation {{ rename(to: "{"W" * 500}") }}'

    answer = await fast_client.post(WRITES, json={"query": long, "upstream": slug, "maxTokens": 50})

    assert answer.status_code == 200
    assert answer.json()["data"] is None
    assert "Do not send it again." in answer.json()["hints"][0]
    assert len(team[1]) == 2


async def test_the_reading_tool_names_the_writing_one(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    slug = make_upstream(team[0].address, allows_mutations=True)

    refused = await fast_client.post(READS, json={"query": RENAME, "upstream": slug})

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "MUTATION_REFUSED")
    assert "execute_graphql_mutation" in refused.json()["error"]["suggestion"]
    assert team[1] == ["Hurricanes"]


async def test_a_reading_key_is_told_the_scope_it_lacks(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team, make_key: MakeKey
) -> None:
    slug, (_, key) = make_upstream(team[0].address, allows_mutations=True), make_key()
    mine = {"Authorization": f"Bearer {key}"}

    refused = await fast_client.post(WRITES, json={"query": RENAME, "upstream": slug}, headers=mine)
    pointed = await fast_client.post(READS, json={"query": RENAME, "upstream": slug}, headers=mine)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "graphql_proxy:write" in refused.json()["error"]["message"]
    assert "graphql_proxy:write" in pointed.json()["error"]["suggestion"]
    assert team[1] == ["Hurricanes"]


@pytest.mark.parametrize(
    "query",
    [
        RENAME,
        f"query A {{ name }} {RENAME}",
        'mutation { ...F } fragment F on Mutation { rename(to: "x") }',
        f"{RENAME} query A {{ name }}",
    ],
)
async def test_an_upstream_that_is_read_only_refuses_every_form(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team, query: str
) -> None:
    slug = make_upstream(team[0].address)

    for tool in (READS, WRITES):
        refused = await fast_client.post(tool, json={"query": query, "operationName": "A", "upstream": slug})
        assert refused.status_code == 403, tool

    assert team[0].asked == []


async def test_subscriptions_are_refused_by_both(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    slug = make_upstream(team[0].address, allows_mutations=True)

    for tool in (READS, WRITES):
        refused = await fast_client.post(tool, json={"query": "subscription { names }", "upstream": slug})
        assert refused.status_code == 403, tool

    assert team[0].asked == []


async def test_what_was_written_is_in_the_audit_before_the_answer_is_out(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, team: Team
) -> None:
    from asgiref.sync import sync_to_async

    slug = make_upstream(team[0].address, allows_mutations=True)

    answer = await fast_client.post(WRITES, json={"query": RENAME, "upstream": slug})

    request = answer.headers["x-request-id"]
    rows = ToolCall.objects.filter(request_id=request, tool="execute_graphql_mutation")
    assert await sync_to_async(rows.count)() == 1


def test_conversations_ask_before_they_write() -> None:
    """The agents engine asks a person before it calls what declares that it writes; only this tool does."""
    assert [tool.name for tool in toolkit.tools if tool.writes] == ["execute_graphql_mutation"]
