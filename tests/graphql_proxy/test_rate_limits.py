"""The upstream's own limits are read in the forms that servers use, shown, and respected."""

import math
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from graphql_proxy.execution.sending import pacer
from graphql_proxy.rate_limits import Pacer, UpstreamLimits, find_refusal, is_throttled, read_limits
from tests.bad_upstream import BadUpstream
from tests.conftest import ALICE_KEY
from tests.graphql_proxy.conftest import MakeUpstream

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
TOOL = "/api/tools/graphql_proxy/execute_graphql"
SHOPIFY = {
    "data": {},
    "extensions": {
        "cost": {
            "requestedQueryCost": 101,
            "actualQueryCost": 46,
            "throttleStatus": {"maximumAvailable": 1000.0, "currentlyAvailable": 954, "restoreRate": 50.0},
        }
    },
}
GITHUB = {"data": {"rateLimit": {"cost": 1, "remaining": 4999, "limit": 5000, "resetAt": "2026-11-22T12:10:00Z"}}}


@pytest.mark.parametrize(
    ("headers", "body", "limits"),
    [
        ({}, SHOPIFY, UpstreamLimits(cost=46, remaining=954, limit=1000, restores_per_second=50)),
        ({}, GITHUB, UpstreamLimits(cost=1, remaining=4999, limit=5000, resets_in_seconds=600)),
        ({}, {"extensions": {"cost": 12}}, UpstreamLimits(cost=12)),
        (
            {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "12",
             "x-ratelimit-reset": str(NOW.timestamp() + 60)},
            {},
            UpstreamLimits(remaining=12, limit=5000, resets_in_seconds=60),
        ),
        (
            {"ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "9", "ratelimit-reset": "30"},
            {},
            UpstreamLimits(remaining=9, limit=100, resets_in_seconds=30),
        ),
        ({"ratelimit": '"default";r=50;t=30'}, {}, UpstreamLimits(remaining=50, resets_in_seconds=30)),
        (
            {
                "x-ratelimit-requests-limit": "1500", "x-ratelimit-requests-remaining": "1400",
                "x-ratelimit-complexity-limit": "250000", "x-ratelimit-complexity-remaining": "200",
                "x-ratelimit-complexity-reset": str(int((NOW.timestamp() + 5) * 1000)),
            },
            {},
            UpstreamLimits(remaining=200, limit=250_000, resets_in_seconds=5),
        ),
        (
            {"date": "Sun, 22 Nov 2026 13:00:00 GMT", "x-ratelimit-remaining": "1",
             "x-ratelimit-reset": str(NOW.timestamp() + 3_660)},
            {},
            UpstreamLimits(remaining=1, resets_in_seconds=60),
        ),
        ({"x-ratelimit-remaining": "many"}, {"extensions": ["no object"]}, None),
        ({"x-ratelimit-remaining": "-1"}, {"extensions": {"cost": "1e400"}}, None),
        ({}, {"extensions": {"cost": {"throttleStatus": 3}}, "data": {"rateLimit": "no"}}, None),
        ({}, None, None),
    ],
)  # fmt: skip
def test_limits_are_read_in_the_forms_of_real_servers(
    headers: dict[str, str], body: Any, limits: UpstreamLimits | None
) -> None:
    found = read_limits(headers, body=body, now=NOW)

    assert found == limits or (limits is None and found == UpstreamLimits())


@pytest.mark.parametrize(
    ("status", "headers", "body", "seconds"),
    [
        (429, {"retry-after": "17"}, b"", 17),
        (429, {"retry-after": "Sun, 22 Nov 2026 12:01:30 GMT"}, b"", 90),
        (429, {"retry-after": "Sun, 22 Nov 2026 11:00:00 GMT"}, b"", 0),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "40"}, b"", 40),
        (429, {}, b"", math.nan),
        (503, {"retry-after": "5"}, b"", 5),
        (503, {"retry-after": "Sun, 22 Nov 2026 12:01:30 GMT"}, b"", 90),
        (503, {}, b"rate limit", None),
        (403, {"retry-after": "60"}, b"", 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "40"}, b"", 40),
        (403, {}, b'{"message": "You have exceeded a secondary rate limit."}', math.nan),
        (403, {}, b'{"message": "Must have admin rights."}', None),
        (200, {"retry-after": "60"}, b"rate limit", None),
        (429, {"retry-after": "never"}, b"", math.nan),
    ],
)
def test_a_refusal_for_too_many_requests_is_known_with_its_wait(
    status: int, headers: dict[str, str], body: bytes, seconds: float | None
) -> None:
    found = find_refusal(status, headers=headers, body=body, now=NOW)

    assert found == seconds or (seconds is not None and found is not None and math.isnan(found) == math.isnan(seconds))


@pytest.mark.parametrize(
    ("body", "is_it"),
    [
        ({"errors": [{"message": "x", "extensions": {"code": "THROTTLED"}}]}, True),
        ({"errors": [{"type": "RATE_LIMITED", "message": "x"}]}, True),
        ({"errors": [{"type": "RATE_LIMITED"}], "data": {"a": 1}}, False),
        ({"errors": [{"type": "RATE_LIMITED"}, {"message": "rate limit"}]}, False),
        ({"errors": ["RATE_LIMITED"]}, False),
        ({"errors": []}, False),
        ([], False),
    ],
)
def test_codes_alone_make_an_answer_throttled(body: Any, is_it: bool) -> None:  # noqa: FBT001 - a parameter
    assert is_throttled(body) is is_it


def test_requests_slow_down_and_then_wait_for_the_reset() -> None:
    known = Pacer()
    known.note("a", limits=UpstreamLimits(cost=10, remaining=1_000, limit=1_000, resets_in_seconds=60), now=0)
    assert known.seconds_to_wait("a", now=1) == 0
    known.note("a", limits=UpstreamLimits(cost=10, remaining=80, limit=1_000, resets_in_seconds=2), now=1)
    assert known.seconds_to_wait("a", now=1) == pytest.approx(2 * 10 / 80)
    known.note("a", limits=UpstreamLimits(cost=10, remaining=5, limit=1_000, resets_in_seconds=60), now=2)
    assert known.seconds_to_wait("a", now=12) == 50
    assert known.seconds_to_wait("a", now=63) == 0
    assert known.seconds_to_wait("b", now=12) == 0


def test_what_restores_by_itself_is_waited_for_and_no_longer() -> None:
    known = Pacer()
    limits = UpstreamLimits(cost=100, remaining=0, limit=1_000, restores_per_second=50)
    known.note("a", limits=limits, now=0)
    assert known.seconds_to_wait("a", now=0) == 2
    assert known.seconds_to_wait("a", now=20) == 0


def test_a_block_ends_and_is_not_lifted_by_a_late_answer() -> None:
    known = Pacer()
    known.block("a", seconds=30, now=0)
    known.note("a", limits=UpstreamLimits(remaining=100, limit=100, resets_in_seconds=60), now=1)
    assert known.seconds_to_wait("a", now=10) == 20
    assert known.seconds_to_wait("a", now=31) == 0
    known.block("a", seconds=math.nan, now=40)
    assert 0 < known.seconds_to_wait("a", now=40) <= 1


async def _ask(client: httpx.AsyncClient, slug: str, **more: Any) -> httpx.Response:
    asked = {"query": "{ answer }", "upstream": slug, **more}
    return await client.post(TOOL, json=asked, headers={"Authorization": f"Bearer {ALICE_KEY}"})


@pytest.mark.parametrize(
    ("path", "status", "retry_after"),
    [("503-retry", 429, "9"), ("403-limit", 429, None), ("throttled", 429, "1"), ("403", 502, None)],
)
async def test_refusals_for_too_many_requests_are_told_apart(  # noqa: PLR0917 - fixtures
    fast_client: httpx.AsyncClient,
    make_upstream: MakeUpstream,
    bad: BadUpstream,
    path: str,
    status: int,
    retry_after: str | None,
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url(path)))

    assert answer.status_code == status
    assert answer.headers.get("retry-after") == retry_after


async def test_nothing_is_sent_to_an_upstream_that_has_said_to_wait(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    slug = make_upstream(bad.url("used-up"))
    first = await _ask(fast_client, slug)
    before = len(bad.asked)
    second = await _ask(fast_client, slug)

    assert first.json()["upstreamCost"]["remaining"] == 0
    assert (second.status_code, second.json()["error"]["code"]) == (429, "UPSTREAM_LIMIT")
    assert 290 < int(second.headers["retry-after"]) <= 300
    assert len(bad.asked) == before
    pacer.forget()


async def test_the_stated_cost_is_shown(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("stated-cost")))

    assert answer.json()["upstreamCost"] == {"cost": 7.0}


async def test_a_large_answer_is_cut_at_a_list_with_its_cursor(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = (await _ask(fast_client, make_upstream(bad.url("pages")), maxTokens=500)).json()

    teams, cut = answer["data"]["teams"], answer["cut"]
    assert (cut["path"], cut["of"], cut["items"]) == ("teams.edges", 100, len(teams["edges"]))
    assert 10 <= cut["items"] < 20
    assert cut["after"] == teams["edges"][-1]["cursor"] == teams["pageInfo"]["endCursor"]
    assert teams["pageInfo"]["hasNextPage"] is True


async def test_the_upstreams_own_limit_binds_too(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    slug = make_upstream(bad.url("pages"), max_answer_tokens=500)
    assert (await _ask(fast_client, slug, maxTokens=100_000)).json()["cut"]["items"] < 20


async def test_what_cannot_be_cut_is_refused_with_what_weighs_most(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    refused = (await _ask(fast_client, make_upstream(bad.url("pages")), maxTokens=50)).json()["error"]

    assert refused["code"] == "UPSTREAM_TOO_LARGE"
    assert next(iter(refused["details"]["heaviest"])) == "teams.edges.node.name"
