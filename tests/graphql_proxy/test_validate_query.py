"""`validate_query`: whether a document is valid, what it costs, whether it would be sent; and that nothing is sent."""

import time
from typing import Any

import httpx
import pytest

from graphql_proxy.models import SchemaSnapshot
from tests.bad_upstream import BadUpstream
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.graphql_proxy.upstream_data import SMALL_SDL, cases
from toolbox.database.caches import clear_all_caches

TOOL = "/api/tools/graphql_proxy/validate_query"


@pytest.fixture
def small(make_upstream: MakeUpstream, bad: BadUpstream, shipped_hints: None) -> str:
    """Return an upstream with the small schema."""
    return make_upstream(bad.url("good"), sdl=SMALL_SDL)


async def _check(client: httpx.AsyncClient, upstream: str, query: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(TOOL, json={"query": query, "upstream": upstream, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_a_good_document_is_valid_and_its_cost_is_told(
    fast_client: httpx.AsyncClient, small: str, bad: BadUpstream
) -> None:
    bad.asked.clear()

    told = await _check(fast_client, small, "{ teams(limit: 10) { edges { name } } }")

    assert (told["valid"], told["wouldBeSent"], told["errors"], told["hints"]) == (True, True, [], [])
    assert told["cost"]["cost"] == 21
    assert told["mostCost"] == 100_000
    assert told["schemaVersion"] == 1
    assert bad.asked == []


@pytest.mark.parametrize("case", cases("graphql_core"), ids=lambda case: str(case["query"])[:40])
async def test_it_says_what_the_server_would_say(
    fast_client: httpx.AsyncClient, small: str, case: dict[str, Any]
) -> None:
    """Variables are judged where some are sent; a draft is judged without."""
    told = await _check(fast_client, small, case["query"])

    found = [error["message"].partition("\n\n")[0] for error in told["errors"]]
    assert found == [error for error in case["errors"] if "has invalid value" not in error]


async def test_a_misspelt_field_is_invalid_but_would_be_sent(fast_client: httpx.AsyncClient, small: str) -> None:
    told = await _check(fast_client, small, '{ league(slug: "nhl") { nam } }')

    assert (told["valid"], told["wouldBeSent"]) == (False, True)
    assert "`nam` is called `name`." in told["hints"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("{ teams(limit: 5000) { totalCount } }", "list size is 5,000, and at most 1,000"),
        ('mutation { renameTeam(id: 1, name: "x") { id } }', "it holds a mutation"),
        ("{ ...A } fragment A on Query { ...A }", "contain each other"),
        ("{" * 200, "nesting of brackets is 101"),
        ("{ team(id: 1) { name ", "does not parse"),
    ],
)
async def test_what_would_not_be_sent_says_why(
    fast_client: httpx.AsyncClient, small: str, query: str, said: str
) -> None:
    told = await _check(fast_client, small, query)

    assert told["wouldBeSent"] is False
    assert said in told["refusal"]


async def test_without_a_stored_schema_only_the_form_is_checked(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream
) -> None:
    told = await _check(fast_client, make_upstream("http://127.0.0.1:9/"), "{ anything }")

    assert told["valid"] is True
    assert "schemaVersion" not in told


async def test_a_document_of_hundreds_of_equal_fields_is_checked_in_time(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream
) -> None:
    """The rule that compares fields with each other takes their number squared: seconds of CPU for these."""
    upstream = make_upstream("http://127.0.0.1:9/", sdl=SMALL_SDL)
    await _check(fast_client, upstream, "{ team(id: 1) { id } }")
    started = time.process_time()

    told = await _check(fast_client, upstream, "{ " + "team(id: 1) { id } " * 550 + "}")

    assert told["cost"]["fields"] == 1_100
    assert time.process_time() - started < 2


async def test_two_upstreams_with_one_schema_keep_their_own_versions(
    fast_client: httpx.AsyncClient, small: str, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    other = make_upstream(bad.url("good"), sdl=SMALL_SDL)
    in_a_thread(lambda: SchemaSnapshot.objects.filter(upstream__slug=other).update(version=7))
    clear_all_caches()

    versions = [(await _check(fast_client, slug, "{ __typename }"))["schemaVersion"] for slug in (small, other)]

    assert versions == [1, 7]


@pytest.mark.parametrize(
    ("query", "more", "retry"),
    [
        (
            "query Q($n: Int) { teams(limit: $n) { totalCount } }",
            {"variables": {"n": "5"}},
            {"variables": {"n": 5}},
        ),
        (
            "query Q($s: TeamStatuses) { teams(status: $s) { totalCount } }",
            {"variables": {"s": "ACTIVE"}},
            {"variables": {"s": "active"}},
        ),
        ("query Teams { teams { totalCount } }", {"operationName": "Team"}, {"operationName": "Teams"}),
    ],
)
async def test_variables_and_operation_name_are_judged(
    fast_client: httpx.AsyncClient, small: str, query: str, more: dict[str, Any], retry: dict[str, Any]
) -> None:
    told = await _check(fast_client, small, query, **more)

    assert told["valid"] is False
    assert told["retryWith"] == retry
    assert (await _check(fast_client, small, query, **more | retry))["valid"] is True


async def test_a_variable_without_a_value_has_no_fix(fast_client: httpx.AsyncClient, small: str) -> None:
    told = await _check(
        fast_client,
        small,
        "query Q($id: ID!, $x: Int) { team(id: $id) { name } teams(limit: $x) { totalCount } }",
        variables={"x": 1},
    )

    assert told["valid"] is False
    assert "retryWith" not in told
    assert "Send $id in variables" in told["hints"][0]
