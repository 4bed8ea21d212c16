"""
Issues of public repositories, by GitHub's search API; pure.

A limit is status 403 or 429: wait for `retry-after`, else to `x-ratelimit-reset` where `x-ratelimit-remaining` is 0,
else a minute (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). `is:public` is always
asked, so that a key which sees more shows no more.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from devassist.web.plain import cut, from_markdown, one_line
from devassist.web.source_answers import (
    MAX_RESULTS,
    MAX_TITLE,
    TOO_MANY,
    USUAL_PAUSE,
    Hit,
    Request,
    SourceAnswer,
    SourceLimited,
    clock_of,
    json_object,
    objects,
    pause,
    read_integer,
    refuse_failed,
    retry_after,
    text_of,
)
from toolbox.outbound.web import WebAnswer

_FORBIDDEN = 403
_MAX_QUERY = 256 - len(" is:issue is:public")


def request(words: Sequence[str], *, key: str) -> Request:
    """Return the request for the best matching issues, with the matching fragments."""
    headers = {"Accept": "application/vnd.github.text-match+json", "X-GitHub-Api-Version": "2022-11-28"}
    asked = cut(" ".join(words), at=_MAX_QUERY).rstrip("…")
    query = {"q": f"{asked} is:issue is:public", "per_page": str(MAX_RESULTS)}
    signed = {"Authorization": f"Bearer {key}"} if key else {}
    return Request(path="/search/issues", query=query, headers=headers | signed)


def read(answer: WebAnswer) -> SourceAnswer:
    """Parse issues. Raises SourceFailed."""
    left = read_integer(answer.headers.get("x-ratelimit-remaining"))
    if answer.status in (_FORBIDDEN, TOO_MANY) and _is_limit(answer, left=left):
        raise SourceLimited("its rate limit is used up", pause_seconds=_wait(answer, left=left))
    refuse_failed(answer)
    hits = [hit for item in objects(json_object(answer).get("items")) if (hit := _hit(item))]
    return SourceAnswer(hits=hits, pause_seconds=_wait(answer, left=left) if left == 0 else 0, quota_remaining=left)


def _hit(item: dict[str, Any]) -> Hit | None:
    title, url = one_line(text_of(item.get("title"))), text_of(item.get("html_url"))
    if not title or urlsplit(url).scheme not in ("http", "https"):
        return None
    fragments = [text_of(match.get("fragment")) for match in objects(item.get("text_matches"))
                 if match.get("property") == "body"]  # fmt: skip
    text = from_markdown(" … ".join(fragments) or text_of(item.get("body")))
    return Hit(title=cut(title, at=MAX_TITLE), url=url, text=text)


def _is_limit(answer: WebAnswer, *, left: int | None) -> bool:
    if answer.status == TOO_MANY or left == 0 or "retry-after" in answer.headers:
        return True
    return b"rate limit" in answer.body[:2_000].lower()


def _wait(answer: WebAnswer, *, left: int | None) -> int:
    if seconds := retry_after(answer):
        return seconds
    reset, now = read_integer(answer.headers.get("x-ratelimit-reset")), clock_of(answer)
    if left == 0 and reset is not None and now is not None:
        return pause(reset - now.timestamp())
    return USUAL_PAUSE
