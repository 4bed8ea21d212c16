"""
Stack Overflow by the Stack Exchange API 2.3, `/search/excerpts`; pure.

It says `backoff` in an answer that is otherwise good, `quota_remaining` counts to midnight UTC, and a throttle is
status 400 with error_id 502 and the seconds in its message (https://api.stackexchange.com/docs/throttle).
"""

import re
from collections.abc import Sequence
from datetime import UTC, timedelta
from typing import Any

from devassist.web.plain import cut, from_html
from devassist.web.source_answers import (
    MAX_RESULTS,
    MAX_TITLE,
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
    text_of,
)
from toolbox.outbound.web import WebAnswer

_THROTTLED = 502
_BAD_REQUEST = 400
_PLACE = "https://stackoverflow.com"


def request(words: Sequence[str], *, key: str) -> Request:
    """Return the request for the most relevant posts."""
    query = {"q": " ".join(words), "site": "stackoverflow", "order": "desc", "sort": "relevance",
             "pagesize": str(MAX_RESULTS)}  # fmt: skip
    return Request(path="/search/excerpts", query=query | ({"key": key} if key else {}), headers={})


def read(answer: WebAnswer) -> SourceAnswer:
    """Parse posts, one for each question. Raises SourceFailed."""
    if answer.status == _BAD_REQUEST:
        _refuse_throttled(answer)
    refuse_failed(answer)
    body = json_object(answer)
    first: dict[str, dict[str, Any]] = {}
    for item in objects(body.get("items")):
        first.setdefault(str(item.get("question_id")), item)
    hits = [hit for item in first.values() if (hit := _hit(item))]
    quota = read_integer(body.get("quota_remaining"))
    backoff = read_integer(body.get("backoff")) or 0
    pause_seconds = _to_midnight(answer) if quota == 0 else pause(backoff) if backoff > 0 else 0
    return SourceAnswer(hits=hits, pause_seconds=pause_seconds, quota_remaining=quota)


def _hit(item: dict[str, Any]) -> Hit | None:
    question, answer = read_integer(item.get("question_id")), read_integer(item.get("answer_id"))
    is_answer = item.get("item_type") == "answer" and answer is not None
    title = from_html(text_of(item.get("title")))
    if not title or question is None:
        return None
    url = f"{_PLACE}/a/{answer}" if is_answer else f"{_PLACE}/questions/{question}"
    text = from_html(text_of(item.get("excerpt")) or text_of(item.get("body")))
    return Hit(title=cut(title, at=MAX_TITLE), url=url, text=text)


def _refuse_throttled(answer: WebAnswer) -> None:
    body = json_object(answer)
    if body.get("error_id") != _THROTTLED:
        return
    said = re.search(r"(\d{1,6}) second", text_of(body.get("error_message"))[:500])
    raise SourceLimited("its quota is used up", pause_seconds=pause(int(said[1])) if said else USUAL_PAUSE)


def _to_midnight(answer: WebAnswer) -> int:
    now = clock_of(answer)
    if now is None:
        return USUAL_PAUSE
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0) + timedelta(days=1)
    return pause((day - now).total_seconds())
