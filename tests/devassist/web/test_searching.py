"""web_search_wiki against a server that speaks as the public sources do, or does not."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.test import override_settings

from devassist.web import source_search
from devassist.web.sources import ADDRESSES, Source
from tests.bad_upstream import STREAMS, bad_upstream
from tests.devassist.web.conftest import KEY, PATHS, SAID, Public, change, whole
from toolbox.contract.errors import ToolError
from toolbox.database.pools import owner_pool

EVERYWHERE = ["stackoverflow", "github", "mdn"]


async def test_all_sources_are_asked_and_measured_alike(public: Public) -> None:
    found = await public.search(sources=EVERYWHERE)

    assert [(one.source, one.title, one.relevance_score) for one in found.results] == [
        ("stackoverflow", 'Why does "frobnicate" crash?', 1.0),
        ("mdn", "frobnicate", 0.94),  # 0.6 · (1 + 0.8) / 2 + 0.4
        ("github", "Slow start", 0.4),
    ]
    assert found.results[0].snippet == "it crashes in frobnicate & friends"
    assert found.total_found == 3
    assert {report.status for report in found.sources} == {"answered"}
    asked = {urlsplit(one.path).path.strip("/"): one for one in public.upstream.asked}
    assert asked.keys() == set(PATHS.values())
    assert parse_qs(urlsplit(asked[PATHS["stackoverflow"]].path).query)["key"] == [KEY]
    assert asked[PATHS["github"]].headers["authorization"] == f"Bearer {KEY}"
    assert all("Toolroom" in one.headers["user-agent"] for one in asked.values())


async def test_secrets_of_a_query_reach_no_source_and_no_table(public: Public) -> None:
    key = "gh" + "p_A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"
    cloud = "AKI" + "A" + "Z7" * 8

    query = f"frobnicate crash {key} --password s3cr3t-9 {cloud} postgres://bob:s3cr3t-9@db"
    await public.search(query, sources=EVERYWHERE)

    left = " ".join(f"{one.path} {one.headers}" for one in public.upstream.asked)
    kept = (await owner_pool.fetch("SELECT words, digest FROM devassist_web_answers LIMIT 10")).rows
    assert len(public.upstream.asked) == len(kept) == len(EVERYWHERE)
    for secret in (key[:10], "s3cr3t", cloud):
        assert secret not in left + str(kept)
    assert "frobnicate" in left


async def test_an_answer_is_kept_for_the_same_words(public: Public) -> None:
    fresh = await public.search(sources=["mdn"])
    kept = await public.search("  Frobnicate: CRASH!", sources=["mdn"], max_results=1)

    assert public.count_requests("mdn") == 1
    assert kept.results == fresh.results
    assert [report.status for report in kept.sources] == ["kept"]


async def test_an_old_answer_is_asked_anew_and_stands_in_while_the_source_is_down(public: Public) -> None:
    await public.search(sources=["github"])
    change("UPDATE devassist_web_answers SET fetched_at = now() - interval '2 days'")
    public.behave("github", like="html-502")

    stale = await public.search(sources=["github"])

    assert public.count_requests("github") == 2
    assert [one.title for one in stale.results] == ["Slow start"]
    report = stale.sources[0]
    assert report.status == "stale"
    assert 172_800 <= (report.age_seconds or 0) <= 172_860
    assert report.note == "github: it failed with status 502."
    change("UPDATE devassist_web_answers SET fetched_at = now() - interval '31 days'")
    with pytest.raises(ToolError, match="502"):  # too old to be served at all
        await public.search(sources=["github"])


@pytest.mark.parametrize(
    "like",
    ["half-json", "html", "empty", "list", "deep-json", "large", "gzip-bomb", "not-gzip", "endless", "nothing",
     "no-http", "half-answer", "redirect-away", "redirect-loop"],
)  # fmt: skip
async def test_a_misbehaving_source_is_an_api_error_and_keeps_nobody_else(public: Public, like: str) -> None:
    with bad_upstream() as other:
        public.upstream.elsewhere = other.url("good")
        public.behave("github", like=like)

        with pytest.raises(ToolError) as refused:
            await public.search(sources=["github"])
        beside = await public.search(sources=["github", "mdn"])

        assert other.asked == []
    assert refused.value.code.code == "API_ERROR"
    assert "docs" in refused.value.suggestion
    assert [one.source for one in beside.results] == ["mdn"]
    assert [report.status for report in beside.sources] == ["failed", "answered"]


async def test_what_is_late_is_said_and_there_for_the_next_call(
    public: Public, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    async def hold_answer() -> AsyncIterator[bytes]:
        await asyncio.to_thread(release.wait)
        yield whole(SAID["github"])

    monkeypatch.setitem(STREAMS, PATHS["github"], hold_answer)
    monkeypatch.setattr(source_search, "WAIT_SECONDS", 0.1)

    first = await public.search(sources=["github", "mdn"])
    with pytest.raises(ToolError) as alone:
        await public.search(sources=["github"])
    release.set()
    monkeypatch.setattr(source_search, "WAIT_SECONDS", 30.0)
    second = await public.search(sources=["github"])

    assert [report.status for report in first.sources] == ["late", "answered"]
    assert alone.value.code.code == "API_ERROR"
    assert "github did not answer within 0.1 s." in alone.value.message
    assert [one.title for one in second.results] == ["Slow start"]
    assert public.count_requests("github") == 1  # the second call waited for the request of the first


async def test_a_limit_is_obeyed_until_it_ends(public: Public) -> None:
    public.say("github", whole({"message": "API rate limit exceeded"}, "Retry-After: 40", status="403 Forbidden"))

    for query in ("frobnicate crash", "another thing"):
        with pytest.raises(ToolError) as limited:
            await public.search(query, sources=["github"])
        assert limited.value.code.code == "RATE_LIMIT_EXCEEDED"
        assert 38 <= (limited.value.retry_after_seconds or 0) <= 40
    assert public.count_requests("github") == 1
    public.say("github", whole(SAID["github"]))
    change("UPDATE devassist_web_sources SET paused_until = now() - interval '1 second'")
    assert (await public.search(sources=["github"])).results
    assert public.count_requests("github") == 2


async def test_a_back_off_in_a_good_answer_is_obeyed(public: Public) -> None:
    public.say("stackoverflow", whole(SAID["stackoverflow"] | {"backoff": 30}))

    assert (await public.search(sources=["stackoverflow"])).results
    with pytest.raises(ToolError) as limited:
        await public.search("something else", sources=["stackoverflow"])

    assert limited.value.code.code == "RATE_LIMIT_EXCEEDED"
    assert public.count_requests("stackoverflow") == 1


async def test_a_source_that_is_down_is_left_alone_for_a_moment(public: Public) -> None:
    public.behave("mdn", like="nothing")

    for query in ("frobnicate crash", "another thing"):
        with pytest.raises(ToolError, match="mdn: the connection broke"):
            await public.search(query, sources=["mdn"])

    assert public.count_requests("mdn") <= 2  # a dead connection is tried once more; the second search asks nothing


async def test_nothing_found_is_said_only_where_every_source_said_so(public: Public) -> None:
    public.say("mdn", whole({"documents": []}))
    public.say("github", whole({"items": []}))

    with pytest.raises(ToolError) as nothing:
        await public.search(sources=["mdn", "github"])
    public.behave("github", like="html-502")
    with pytest.raises(ToolError) as unknown:
        await public.search("other words", sources=["mdn", "github"])

    assert nothing.value.code.code == "NO_RESULTS"
    assert unknown.value.code.code == "API_ERROR"


async def test_where_the_web_is_turned_off_nothing_goes_out(public: Public) -> None:
    off = replace(public.rules, sources={})

    with pytest.raises(ToolError) as refused:
        await public.search(sources=EVERYWHERE, rules=off)
    beside = await public.search("NullPointerException binding", sources=["mdn", "docs"], rules=off)

    assert (refused.value.code.code, refused.value.retry_with) == ("INVALID_PARAMETERS", {"sources": ["docs"]})
    assert public.upstream.asked == []
    assert [report.status for report in beside.sources] == ["off", "answered"]


async def test_a_key_is_never_said_again(public: Public, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    public.behave("stackoverflow", like="half-json")

    with pytest.raises(ToolError) as refused:
        await public.search(sources=["stackoverflow"])

    assert KEY not in repr(public.rules) + caplog.text + refused.value.message + repr(refused.value.details)


def test_only_an_address_of_one_s_own_may_be_private() -> None:
    assert not any(Source(name=name, address=address).may_be_private for name, address in ADDRESSES.items())
    assert Source(name="github", address="http://10.0.0.5/api/v3").may_be_private


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"query": "ab"}, "query"),
        ({"query": "x" * 201}, "query"),
        ({"query": "🙂🙂🙂"}, "query"),
        ({"query": "crash", "sources": ["bing"]}, "sources"),
        ({"query": "crash", "maxResults": 11}, "maxResults"),
        ({"query": "cra\u0000sh"}, "query"),
    ],
)
async def test_bad_input_is_refused_over_rest(
    fast_client: httpx.AsyncClient, sent: dict[str, object], field: str
) -> None:
    answer = await fast_client.post("/api/tools/devassist/web_search_wiki", json=sent)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "INVALID_PARAMETERS")
    assert error["details"]["field"].startswith(field)


async def test_over_rest_with_no_way_out_the_answer_comes_in_time(
    public: Public, fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_search, "WAIT_SECONDS", 0.3)
    public.behave("github", like="silence")
    public.behave("stackoverflow", like="silence")
    address = public.upstream.url("").rstrip("/")

    local = {"DEVASSIST_STACKEXCHANGE_URL": address, "DEVASSIST_GITHUB_URL": address}
    with override_settings(DEVASSIST_WEB_SEARCH=True, **local):
        answer = await fast_client.post(
            "/api/tools/devassist/web_search_wiki",
            json={
                "query": "lateinit property has not been initialized",
                "sources": ["stackoverflow", "github", "docs"],
            },
        )

    assert answer.status_code == 200, answer.text  # after 2 s it would be TOOL_TIMEOUT
    data = answer.json()["data"]
    assert data["results"][0]["url"].startswith("docs:toolroom/kotlin-null-safety.md#lateinit")
    assert [one["status"] for one in data["sources"]] == ["late", "late", "answered"]
