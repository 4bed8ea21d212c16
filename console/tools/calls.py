"""Call a tool from its page, through the one entry as the logged-in person, and prepare what the page shows."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import orjson

from console.tools.result_picture import Picture, draw_answer
from console.tools.result_table import find_texts, format_json, parse_json
from toolbox.contract.caller import Caller
from toolbox.contract.merge_patch import apply_merge_patch
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.dispatch import entry
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.dispatch.entry import Reply
from toolbox.http.headers import read_request_id
from toolbox.http.pages import TRANSPORT
from toolbox.text.redaction import MaskedText

DEEPEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The answer or refusal of a call, and what a page shows of it."""

    arguments: bytes
    status: int
    code: str
    milliseconds: float
    answer: str
    picture: Picture = field(default_factory=Picture)
    texts: list[tuple[str, str]] = field(default_factory=list)
    wrong: str = ""
    why: str = ""
    suggestion: str = ""
    fix: str = ""
    errors: int = 0


def call_tool(tool: Tool, *, arguments: dict[str, Any], caller: Caller) -> Outcome:
    """Call the tool; returns an outcome for refusals and failures too."""
    started = entry.clock()
    reply = send_call(tool.name, arguments=orjson.dumps(arguments), caller=caller)
    milliseconds = (entry.clock() - started) * 1000
    body = parse_json(reply.body.decode("utf-8", "replace"))
    return describe_outcome(
        tool, arguments=arguments, body=body, status=reply.status, code=reply.code, milliseconds=milliseconds,
        errors=reply.errors,
    )  # fmt: skip


def describe_outcome(
    tool: Tool, *, arguments: dict[str, Any], body: Any, status: int, code: str, milliseconds: float, errors: int = 0
) -> Outcome:
    """Return what a page shows of an answer, or of a refusal if `code` is set; `errors` are those of an upstream."""
    rows = body.get("data", body) if errors and isinstance(body, dict) else body
    error = _error(body) if code else {}
    details = _details(error)
    return Outcome(
        arguments=orjson.dumps(arguments),
        status=status,
        code=code,
        milliseconds=milliseconds,
        answer=MaskedText(format_json(body)) if code else format_json(body),
        picture=Picture() if code else draw_answer(rows, tool=tool, arguments=arguments),
        texts=[] if code else find_texts(body),
        wrong=_field(error, tool=tool),
        why=str(error.get("message") or error.get("error") or ""),
        suggestion=str(error.get("suggestion") or details.get("suggestion") or ""),
        fix=_render_fix(arguments, patch=error.get("retryWith") or details.get("retryWith")),
        errors=errors,
    )


def send_call(name: str, *, arguments: bytes, caller: Caller) -> Reply:
    """Dispatch a call as this person."""
    call = Call(tool=name, arguments=arguments, credential=caller, transport=TRANSPORT, request_id=read_request_id(""))
    return event_loop.run(dispatch(call))


def _error(body: Any, *, deep: int = 0) -> dict[str, Any]:
    """Return the error of a refusal, in any domain's envelope: the first object that has a message."""
    if not isinstance(body, dict) or deep > DEEPEST:
        return {}
    if isinstance(body.get("message"), str):
        return body
    inside = [found for part in body.values() if (found := _error(part, deep=deep + 1))]
    return inside[0] if inside else body


def _details(error: dict[str, Any]) -> dict[str, Any]:
    details = error.get("details")
    return details if isinstance(details, dict) else {}


def _field(error: dict[str, Any], *, tool: Tool) -> str:
    """Return the parameter that is wrong: the refusal's field, or the first parameter that its message names."""
    known = tool.input_schema.get("properties", {})
    said = error.get("field") or _details(error).get("field")
    if said in known:
        return str(said)
    message = f" {error.get('message', '')} "
    return next((name for name in known if any(f"{a}{name}{b}" in message for a, b in _QUOTES)), "")


_QUOTES = [(" ", " "), (" ", ":"), ("'", "'"), ("`", "`"), (" ", ","), (" ", ".")]


def _render_fix(arguments: dict[str, Any], *, patch: Any) -> str:
    """Return this page's query with the arguments that the refusal's patch fixes; "" without a patch."""
    if not isinstance(patch, dict):
        return ""
    return urlencode({"arguments": orjson.dumps(apply_merge_patch(arguments, patch=patch)).decode()})
