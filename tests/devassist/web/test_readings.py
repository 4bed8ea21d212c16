"""Answers of the three public APIs, in the shape that their documentation gives, read into results."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from devassist.web import github, mdn, stackoverflow
from devassist.web.source_answers import MAX_PAUSE, SourceAnswer, SourceFailed, SourceLimited
from toolbox.outbound.web import WebAnswer

DATE = {"date": "Sun, 22 Nov 2026 23:00:00 GMT"}  # 1795388400
Read = Callable[[WebAnswer], SourceAnswer]


def _answer(body: Any, *, status: int = 200, **headers: str) -> WebAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return WebAnswer(status=status, headers=DATE | named, body=json.dumps(body).encode())


POST = {
    "tags": ["javascript"], "question_score": 12, "is_accepted": True, "answer_id": 24806017, "is_answered": False,
    "question_id": 24806016, "item_type": "answer", "score": 7, "last_activity_date": 1469015361,
    "creation_date": 1405612345, "title": "Cannot read property &#39;map&#39; of undefined",
    "body": "a long body",
    "excerpt": "\r\n use <span class=\"highlight\">data</span>?.map(&hellip;) <b>x</b> &hellip; ",
}  # fmt: skip
ISSUE = {
    "html_url": "https://github.com/octocat/Spoon-Knife/issues/132", "number": 132, "state": "open", "score": 1.0,
    "title": "Line Number Indexes Beyond 20 Not Displayed", "body": "I noticed\r\n\r\n```\nthe code\n```",
    "text_matches": [
        {"object_type": "Issue", "property": "title", "fragment": "Line Number", "matches": []},
        {"object_type": "Issue", "property": "body", "fragment": "the **code** here", "matches": []},
    ],
}  # fmt: skip
DOCUMENT = {
    "mdn_url": "/en-US/docs/Web/HTML/Element/a", "score": 73.2, "title": "<a>: The Anchor element", "locale": "en-us",
    "slug": "web/html/element/a", "popularity": 0.1, "summary": "The <a> HTML element creates a hyperlink.",
    "highlight": {"body": ["an <mark>anchor</mark>"], "title": []},
}  # fmt: skip


def test_stack_exchange_answers_and_questions() -> None:
    question = POST | {"item_type": "question", "question_id": 5, "title": "Other", "excerpt": "text"}
    body = {"items": [POST, question, POST | {"item_type": "question"}], "has_more": True, "quota_max": 300,
            "quota_remaining": 287, "backoff": 10}  # fmt: skip

    reading = stackoverflow.read(_answer(body))

    assert [(hit.title, hit.url, hit.text) for hit in reading.hits] == [
        ("Cannot read property 'map' of undefined", "https://stackoverflow.com/a/24806017", "use data?.map(…) x …"),
        ("Other", "https://stackoverflow.com/questions/5", "text"),
    ]
    assert (reading.pause_seconds, reading.quota_remaining) == (10, 287)


def test_stack_exchange_limits() -> None:
    said = "too many requests from this IP, more requests available in 85822 seconds"
    throttle = {"error_id": 502, "error_name": "throttle_violation", "error_message": said}

    with pytest.raises(SourceLimited) as limited:
        stackoverflow.read(_answer(throttle, status=400))
    assert limited.value.pause_seconds == 85_822
    with pytest.raises(SourceFailed, match="status 400"):
        stackoverflow.read(_answer({"error_id": 400, "error_name": "bad_parameter"}, status=400))
    used_up = stackoverflow.read(_answer({"items": [], "quota_remaining": 0, "backoff": 3}))
    assert used_up.pause_seconds == 3_600  # from 23:00 to midnight UTC


def test_github_issues() -> None:
    reading = github.read(_answer({"total_count": 1, "items": [ISSUE]}, x_ratelimit_remaining="9"))

    assert [(hit.title, hit.url, hit.text) for hit in reading.hits] == [
        (ISSUE["title"], ISSUE["html_url"], "the code here")
    ]
    assert (reading.pause_seconds, reading.quota_remaining) == (0, 9)


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (403, {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1795388430"}, 30),
        (429, {"retry_after": "17"}, 17),
        (403, {"retry_after": "Sun, 22 Nov 2026 23:01:00 GMT"}, 60),
        (403, {}, 60),
        (403, {"retry_after": "99999999999999"}, MAX_PAUSE),
        (429, {"retry_after": "soon", "x_ratelimit_reset": "-1", "x_ratelimit_remaining": "x"}, 60),
    ],
)
def test_github_limits(status: int, headers: dict[str, str], seconds: int) -> None:
    body = {"message": "You have exceeded a secondary rate limit. Please wait."}

    with pytest.raises(SourceLimited) as limited:
        github.read(_answer(body, status=status, **headers))

    assert limited.value.pause_seconds == seconds


def test_github_s_last_request_of_the_minute_pauses_to_its_reset() -> None:
    answer = _answer({"items": []}, x_ratelimit_remaining="0", x_ratelimit_reset="1795388459")

    assert github.read(answer).pause_seconds == 59


def test_a_github_403_that_is_no_limit_is_a_failure() -> None:
    with pytest.raises(SourceFailed, match="403") as failed:
        github.read(_answer({"message": "Resource not accessible"}, status=403))

    assert not isinstance(failed.value, SourceLimited)


def test_mdn_documents() -> None:
    reading = mdn.read(_answer({"documents": [DOCUMENT], "metadata": {}, "suggestions": []}))

    assert [(hit.title, hit.url, hit.text) for hit in reading.hits] == [
        (
            "<a>: The Anchor element",
            "https://developer.mozilla.org/en-US/docs/Web/HTML/Element/a",
            "The <a> HTML element creates a hyperlink.",
        )
    ]


@pytest.mark.parametrize("read", [stackoverflow.read, github.read, mdn.read])
def test_what_is_no_answer_is_a_failure_and_odd_items_are_left_out(read: Read) -> None:
    odd: list[Any] = [
        None, 7, "x", [], {}, {"title": 5, "question_id": True}, {"title": "t", "html_url": "javascript:alert(1)"},
        {"title": "t", "mdn_url": "//evil.example/x"}, {"title": "t", "mdn_url": "https://evil.example"},
    ]  # fmt: skip

    assert read(_answer({"items": odd, "documents": odd})).hits == []
    assert read(_answer({"items": {"a": 1}, "documents": "x"})).hits == []
    for body in (b"", b"<html>", b"[1]", b'{"items": [', b"\xff\xfe", b"[" * 100_000):
        with pytest.raises(SourceFailed):
            read(WebAnswer(status=200, headers={}, body=body))
    for status in (401, 404, 422, 500, 503):
        with pytest.raises(SourceFailed):
            read(WebAnswer(status=status, headers={"retry-after": "x"}, body=b""))


def test_requests_carry_words_and_keys_only_where_they_belong() -> None:
    asked = github.request(["crash", "in", "map"], key="ghx")
    bare = github.request(["w" * 100, "x" * 100, "y" * 100], key="")

    assert asked.query["q"] == "crash in map is:issue is:public"
    assert asked.headers["Authorization"] == "Bearer ghx"
    assert "Authorization" not in bare.headers
    assert len(bare.query["q"]) <= 256
    assert stackoverflow.request(["a"], key="k").query["key"] == "k"
    assert "key" not in stackoverflow.request(["a"], key="").query
    assert mdn.request(["a", "b"], key="k").query == {"q": "a b", "locale": "en-US", "size": "10"}
