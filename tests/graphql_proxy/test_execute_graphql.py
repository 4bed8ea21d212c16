"""`execute_graphql` against a server that plays each misbehaviour: a clear answer, in time, that leaks nothing."""

from typing import Any

import httpx
import pytest

from graphql_proxy.fixes.contract_text import UNKNOWN_QUERY_HINT
from graphql_proxy.models import UpstreamRefusal
from tests.bad_upstream import BadUpstream
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.graphql_proxy.upstream_data import SMALL_SDL
from toolbox.database.caches import clear_all_caches

TOOL = "/api/tools/graphql_proxy/execute_graphql"
SECRET = "Bearer hush-hush-very-secret"


async def _ask(client: httpx.AsyncClient, upstream: str, query: str = "{ answer }", **more: Any) -> httpx.Response:
    return await client.post(TOOL, json={"query": query, "upstream": upstream, **more})


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("html", (502, "UPSTREAM_ERROR", "HTTP 200 and a web page instead of JSON")),
        ("html-502", (502, "UPSTREAM_ERROR", "HTTP 502 and a web page instead of JSON")),
        ("empty", (502, "UPSTREAM_ERROR", "an empty body")),
        ("half-json", (502, "UPSTREAM_ERROR", "JSON that is cut or damaged")),
        ("half-answer", (502, "UPSTREAM_ERROR", "the connection broke")),
        ("list", (502, "UPSTREAM_ERROR", "JSON that is no GraphQL answer")),
        ("other-json", (502, "UPSTREAM_ERROR", "JSON that is no GraphQL answer")),
        ("deep-json", (413, "UPSTREAM_TOO_LARGE", "larger than 100,000 bytes")),
        ("no-http", (502, "UPSTREAM_ERROR", "the connection broke")),
        ("nothing", (502, "UPSTREAM_ERROR", "the connection broke")),
        ("gzip-bomb", (413, "UPSTREAM_TOO_LARGE", "larger than 100,000 bytes")),
        ("large", (413, "UPSTREAM_TOO_LARGE", "larger than 100,000 bytes")),
        ("endless", (413, "UPSTREAM_TOO_LARGE", "larger than 100,000 bytes")),
        ("endless-headers", (502, "UPSTREAM_ERROR", "the connection broke")),
        ("brotli", (502, "UPSTREAM_ERROR", "packed in a way nobody asked for")),
        ("torn-gzip", (502, "UPSTREAM_ERROR", "ends in the middle")),
        ("redirect-303", (502, "UPSTREAM_ERROR", "redirects")),
        ("redirect-loop", (502, "UPSTREAM_ERROR", "redirects")),
        ("401", (502, "UPSTREAM_ERROR", "does not admit this server")),
        ("429", (429, "UPSTREAM_LIMIT", "takes no more requests now")),
        ("429-date", (429, "UPSTREAM_LIMIT", "takes no more requests now")),
    ],
)
async def test_each_misbehaviour_is_a_clear_refusal(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream,
    path: str, refusal: tuple[int, str, str],
) -> None:  # fmt: skip
    status, code, said = refusal
    upstream = make_upstream(bad.url(path), headers={"Authorization": SECRET}, most_answer_bytes=100_000)

    answer = await _ask(fast_client, upstream)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert said in error["message"]
    assert error["suggestion"]
    assert "127.0.0.1" not in answer.text
    assert "hush" not in answer.text


@pytest.mark.parametrize("path", ["silence", "drip"])
async def test_what_does_not_end_is_ended_in_time(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, path: str
) -> None:
    upstream = make_upstream(bad.url(path), timeout_seconds=0.3)

    answer = await _ask(fast_client, upstream)

    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "UPSTREAM_TIMEOUT")


async def test_a_retry_after_is_handed_on(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("429")))

    assert answer.headers["retry-after"] == "17"
    assert "in 17 s" in answer.json()["error"]["suggestion"]


async def test_a_good_answer_comes_as_it_is(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("good")))

    assert answer.status_code == 200
    assert answer.json() == {"data": {"answer": 42}, "errors": [], "hints": []}


async def test_an_error_answer_with_status_400_is_an_answer(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("400")), "{ a }")

    assert answer.status_code == 200
    assert answer.json()["errors"] == [{"message": f'Cannot query field "a" on type "Query".\n\n{UNKNOWN_QUERY_HINT}'}]


async def test_errors_of_an_odd_form_are_still_shown(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("odd-errors")))

    assert [error["message"] for error in answer.json()["errors"]] == ["plain words", "7"]


async def test_errors_past_the_fiftieth_are_counted(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    told = (await _ask(fast_client, make_upstream(bad.url("many-errors")))).json()

    assert len(told["errors"]) == 50
    assert told["hints"] == ["10 more errors are left out."]


async def test_a_byte_order_mark_is_no_hindrance(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    assert (await _ask(fast_client, make_upstream(bad.url("bom")))).json()["data"] == {"answer": 42}


async def test_an_upstream_s_own_header_takes_the_place_of_ours(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    await _ask(fast_client, make_upstream(bad.url("good"), headers={"user-agent": "Somebody/1"}))

    assert bad.asked[-1].headers["user-agent"] == "Somebody/1"


async def test_the_configured_headers_are_sent_and_nothing_of_the_caller(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("good"), headers={"Authorization": SECRET})
    bad.asked.clear()

    await fast_client.post(
        TOOL, json={"query": "{ answer }", "upstream": upstream}, headers={"Cookie": "mine", "X-Forwarded-For": "me"}
    )

    sent = bad.asked[-1].headers
    assert sent["authorization"] == SECRET
    assert set(sent) == {
        "host", "accept-encoding", "content-type", "accept", "user-agent", "authorization", "content-length",
    }  # fmt: skip


async def test_a_secret_that_the_upstream_repeats_is_blanked(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream(bad.url("echo"), headers={"Authorization": SECRET}))

    assert "I was sent" in answer.json()["errors"][0]["message"]
    assert "hush" not in answer.text


async def test_a_secret_of_another_secret_key_is_refused_without_asking(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, settings: Any
) -> None:
    upstream = make_upstream(bad.url("good"), headers={"Authorization": SECRET})
    bad.asked.clear()
    settings.SECRET_KEY = "another"

    answer = await _ask(fast_client, upstream)

    assert answer.status_code == 502
    assert "a secret of it is not readable (Authorization)" in answer.json()["error"]["message"]
    assert bad.asked == []


async def test_a_header_may_come_from_a_named_variable(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, settings: Any
) -> None:
    from graphql_proxy.models import Upstream, UpstreamHeader

    upstream = make_upstream(bad.url("good"))
    row = await Upstream.objects.aget(slug=upstream)
    await UpstreamHeader.objects.acreate(upstream=row, name="X-Token", variable="GRAPHQL_SECRET_TEST")
    settings.GRAPHQL_SECRETS = {"GRAPHQL_SECRET_TEST": "from outside"}

    await _ask(fast_client, upstream)

    assert bad.asked[-1].headers["x-token"] == "from outside"


async def test_a_private_address_is_refused_unless_the_upstream_is_local(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("good"), is_local=False)
    bad.asked.clear()

    answer = await _ask(fast_client, upstream)

    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "UPSTREAM_UNREACHABLE")
    assert bad.asked == []


async def test_a_local_upstream_that_is_not_running_says_so(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream
) -> None:
    answer = await _ask(fast_client, make_upstream("http://127.0.0.1:9/graphql"))

    assert answer.status_code == 502
    assert "is its web process running?" in answer.json()["error"]["suggestion"]


async def test_an_unknown_upstream_is_refused_with_those_there_are(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream
) -> None:
    known = make_upstream("http://127.0.0.1:9/graphql")

    answer = await _ask(fast_client, "unknown")

    assert answer.status_code == 404
    assert known in answer.json()["error"]["details"]["upstreams"]


async def test_a_document_that_does_not_parse_gets_the_parsers_own_error_and_is_not_sent(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, shipped_hints: None
) -> None:
    upstream = make_upstream(bad.url("good"))
    bad.asked.clear()

    answer = await _ask(fast_client, upstream, "{ team(id: 1) { name ")

    assert answer.status_code == 200
    assert answer.json()["data"] is None
    assert answer.json()["errors"][0]["message"] == "Syntax Error: Expected Name, found <EOF>."
    assert answer.json()["errors"][0]["locations"] == [{"line": 1, "column": 22}]
    assert "close every brace" in answer.json()["hints"][0]
    assert bad.asked == []


@pytest.mark.parametrize(
    ("query", "status"),
    [("mutation { a }", 403), ("subscription { a }", 403), ("{ ...A } fragment A on Query { ...A }", 400)],
)
async def test_what_is_refused_for_safety_is_not_sent(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, query: str, status: int
) -> None:
    upstream = make_upstream(bad.url("good"))
    bad.asked.clear()

    answer = await _ask(fast_client, upstream, query)

    assert answer.status_code == status
    assert bad.asked == []


async def test_what_the_schema_does_not_know_is_sent_all_the_same(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    """The upstream is the judge: a stored schema may be old."""
    answer = await _ask(fast_client, make_upstream(bad.url("good"), sdl=SMALL_SDL), "{ answer }")

    assert answer.json()["data"] == {"answer": 42}


async def test_a_broken_hint_never_hides_the_error(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    from graphql_proxy.models import ErrorHint, Upstream

    upstream = make_upstream(bad.url("400"))
    row = await Upstream.objects.aget(slug=upstream)
    await ErrorHint.objects.acreate(name=f"broken {upstream}", pattern="(", hint="Never.", upstream=row)
    await ErrorHint.objects.acreate(
        name=f"good {upstream}", pattern="(?P<f>a)", hint="Saw {f}.", upstream=row, order=200
    )
    clear_all_caches()

    answer = (await _ask(fast_client, upstream, "{ a }")).json()

    assert answer["errors"][0]["message"].startswith('Cannot query field "a" on type "Query".')
    assert "Saw a." in answer["hints"]


@pytest.mark.parametrize(
    "sent",
    [
        b"123456789012345678901234",
        b"0.12345678901234567890123",
        b"1.10",
        b"1e400",
        b"1.0E5",
        b'[{"a": -0.10}]',
        b"9" * 400,
    ],
    ids=lambda sent: sent[:20].decode(),
)
async def test_every_digit_stays_as_it_came(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, sent: bytes
) -> None:
    """Both ways: what the caller sends, and what the upstream answers."""
    upstream = make_upstream(bad.url("numbers"))

    answer = await fast_client.post(
        TOOL,
        content=b'{"query": "query($n: N) { a(n: $n) }", "upstream": "%b", "variables": {"n": %b}}'
        % (upstream.encode(), sent),
        headers={"Content-Type": "application/json"},
    )

    assert (
        b'{"whole":123456789012345678901234,"price":1.10,"small":1e-9,"tiny":0.12345678901234567890}' in answer.content
    )
    assert sent.replace(b" ", b"") in bad.asked[-1].body


async def test_a_refusal_without_words_is_explained_by_the_stored_schema_and_recorded(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    upstream = make_upstream(bad.url("refused"), sdl=SMALL_SDL)

    answer = await fast_client.post(TOOL, json={"query": "{ team(id: 1) { nmae } }", "upstream": upstream})

    told = answer.json()
    assert told["retryWith"] == {"query": "{ team(id: 1) { name } }"}
    assert told["hints"] == ["`nmae` is called `name`."]
    extensions = told["errors"][0]["extensions"]
    assert extensions["code"] == "NO"
    assert "trace" not in extensions
    assert extensions["toolroom"] == {
        "rule": "FieldsOnCorrectType",
        "line": 1,
        "column": 17,
        "coordinate": "Team.nmae",
        "nearest": [{"name": "name", "type": "String"}],
        "hint": "`nmae` is called `name`.",
    }
    row = in_a_thread(lambda: UpstreamRefusal.objects.get(upstream__slug=upstream))
    assert (row.rule, row.coordinate, row.offered) == ("FieldsOnCorrectType", "Team.nmae", "{ team(id: 1) { name } }")
