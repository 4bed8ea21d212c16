"""Which calls a person may see, and how a call is repeated with other arguments."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from agents.step_access import missing_scope
from console.activity.queries import list_keys
from console.tools.calls import Outcome, call_tool, describe_outcome
from console.tools.result_table import parse_json
from toolbox.admin_pages.tool_calls import indent_json
from toolbox.audit.call_log import Row, find_call
from toolbox.contract.caller import Caller
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.text.redaction import MaskedText

MAX_DIFF_LINES = 2_000


def sees_everything(request: HttpRequest) -> bool:
    """Return whether the person may see the calls of others."""
    return request.user.has_perm("toolbox.view_toolcall")


def find_visible_call(request: HttpRequest, *, call_id: int, caller: Caller) -> Row | None:
    """Return a call if the person may see it; without arguments if they lack the scope of its tool."""
    call = event_loop.run(find_call(call_id))
    if call is None:
        return None
    if sees_everything(request):
        return call | {"lacks": ""}
    if call["key_id"] not in list_keys(owner_id=request.user.pk or 0):
        return None
    lacks = missing_scope(caller, tool=call["tool"], code=call["code"])
    return call | {"lacks": lacks} | ({"arguments": ""} if lacks else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two answers of a tool: `before`, described by `title`, `after`, and the `difference` by lines."""

    title: str
    before: Outcome | None
    after: Outcome
    difference: list[tuple[str, str]]


def compare_calls(
    tool: Tool, *, call: Row, stored: Outcome | None, typed: dict[str, Any], caller: Caller
) -> Comparison:
    """
    Call the tool with the typed arguments, and compare with the answer of the recorded call.

    The audit log has no answers. If no run has `stored` the answer, the recorded call is repeated, but only if its
    arguments are complete and differ from the typed ones, and the tool only reads.
    """
    recorded = parse_json(call["arguments"])
    again = stored is None and not tool.writes and isinstance(recorded, dict) and recorded != typed
    before = call_tool(tool, arguments=recorded, caller=caller) if again else stored
    after = call_tool(tool, arguments=typed, caller=caller)
    difference = _diff(before.answer, after.answer) if before else []
    title = "As it was answered" if stored else "The recorded call, made again"
    return Comparison(title=title, before=before, after=after, difference=difference)


def find_stored_answer(step: Row | None, *, tool: Tool, call: Row, caller: Caller) -> Outcome | None:
    """Return the answer that a run's step stored; None if there is none, or the caller may not see it."""
    if step is None or not step["answer"] or missing_scope(caller, tool=step["tool"], code=step["code"]):
        return None
    arguments, body = parse_json(step["arguments"]), parse_json(MaskedText(step["answer"]))
    if body is None:
        return None
    return describe_outcome(
        tool, arguments=arguments if isinstance(arguments, dict) else {}, body=body, status=call["status"],
        code=call["code"], milliseconds=call["milliseconds"],
    )  # fmt: skip


def format_arguments(call: Row) -> str:
    """Return the recorded arguments with indentation."""
    return indent_json(call["arguments"])


def _diff(before: str, after: str) -> list[tuple[str, str]]:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    lines: Iterable[str] = difflib.unified_diff(
        before.splitlines()[:MAX_DIFF_LINES], after.splitlines()[:MAX_DIFF_LINES], n=2, lineterm=""
    )
    return [(kinds.get(line[:1], ""), line) for line in lines if not line.startswith(("---", "+++"))]
