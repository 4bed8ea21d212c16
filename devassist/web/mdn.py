"""MDN Web Docs by its site search, `/api/v1/search`. Pure."""

from collections.abc import Sequence
from typing import Any

from devassist.web.plain import cut, from_html, from_text
from devassist.web.source_answers import (
    MAX_RESULTS,
    MAX_TITLE,
    Hit,
    Request,
    SourceAnswer,
    json_object,
    objects,
    refuse_failed,
    text_of,
)
from toolbox.outbound.web import WebAnswer

_PLACE = "https://developer.mozilla.org"


def request(words: Sequence[str], *, key: str) -> Request:  # noqa: ARG001 - MDN has no keys
    """Return the request for the best matching English pages."""
    query = {"q": " ".join(words), "locale": "en-US", "size": str(MAX_RESULTS)}
    return Request(path="/api/v1/search", query=query, headers={})


def read(answer: WebAnswer) -> SourceAnswer:
    """Parse pages. Raises SourceFailed."""
    refuse_failed(answer)
    found = objects(json_object(answer).get("documents"))
    return SourceAnswer(hits=[hit for document in found if (hit := _hit(document))])


def _hit(document: dict[str, Any]) -> Hit | None:
    title, path = from_text(text_of(document.get("title"))), text_of(document.get("mdn_url"))
    if not title or not path.startswith("/") or path.startswith("//"):
        return None
    highlight = document.get("highlight")
    marked = highlight.get("body") if isinstance(highlight, dict) else None
    stretches = " … ".join(text_of(one) for one in marked) if isinstance(marked, list) else ""
    text = from_text(text_of(document.get("summary"))) or from_html(stretches)
    return Hit(title=cut(title, at=MAX_TITLE), url=_PLACE + path, text=text)
