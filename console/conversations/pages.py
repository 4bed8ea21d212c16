"""A conversation's page, and its parts that are loaded again while a run is live."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.contracts import ANSWERED_WITH_ERRORS, MAX_MESSAGE
from agents.models import FINAL, LIVE, Step
from agents.queries import history
from agents.queries.rows import digest_call
from agents.runs.tool_step import shown_arguments
from agents.step_access import hide_contents, hide_requested_calls, missing_scope
from console.conversations.parts import list_parts
from console.markdown import render_markdown
from console.teaching.answerable_questions import MAX_QUESTION, find_taught
from console.teaching.lessons import list_lessons
from console.tools.result_picture import draw_answer
from console.tools.result_table import format_json, parse_json
from toolbox.access.people import require_person
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import domain_title, registry
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.http.pages import page
from toolbox.text.redaction import MaskedText

OVER = (Step.State.ANSWERED, Step.State.REFUSED, Step.State.REJECTED)
WORDS = {
    "queued": "Waiting for a worker", "running": "Working", "awaiting_approval": "Waiting for you",
    "succeeded": "Answered", "failed": "Failed", "cancelled": "Stopped", "timed_out": "Out of time",
}  # fmt: skip
STEP_COLOURS = {"answered": "good", "refused": "bad", "rejected": "warn"}
MAX_WAITING_CHARACTERS = 1_000_000
"""Limit after indentation; a model's call has at most 400,000 bytes, and who approves it sees all of it."""
OUTCOMES = {
    "answered": ("Answered", "good"), "asked_back": ("Asked back", "warn"), "not_covered": ("Not covered", "warn"),
    "refused": ("Refused", "bad"), "failed": ("Failed", "bad"),
}  # fmt: skip
"""The outcome of a question whose run succeeded without a language model."""
COLOURS = {"succeeded": "good", "failed": "bad", "timed_out": "bad", "cancelled": "warn", "awaiting_approval": "warn"}


@require_GET
@page(domain="console", scope="agents:read")
def show(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Show the questions and answers, the latest last."""
    conversation, caller = open_conversation(request, conversation_id=conversation_id)
    before = request.GET.get("before", "")
    number = int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None  # noqa: PLR2004 - an int4
    exchanges = _exchanges(conversation, caller=caller, request=request, before=number)
    earlier = exchanges[0]["number"] if len(exchanges) == history.QUESTIONS and exchanges[0]["number"] > 1 else None
    shown = {"talk": conversation, "exchanges": exchanges, "earlier": earlier, "longest": MAX_MESSAGE}
    shown["address"] = request.build_absolute_uri(request.path)
    return render(request, "console/conversation.html", shown | {"is_own": conversation["owner_id"] == caller.owner_id})


@require_GET
@page(domain="console", scope="agents:read")
def run(request: HttpRequest, *, conversation_id: UUID, run_id: UUID) -> HttpResponse:
    """Render a run as it is now."""
    conversation, caller = open_conversation(request, conversation_id=conversation_id)
    return render_run(request, conversation=conversation, caller=caller, run_id=run_id)


def render_run(
    request: HttpRequest, *, conversation: dict[str, Any], caller: Caller, run_id: UUID, problem: str = ""
) -> HttpResponse:
    """Render a run; `problem` says what could not be done."""
    found = _exchanges(conversation, caller=caller, request=request, run_id=run_id)
    if not found:
        raise Http404
    is_own = conversation["owner_id"] == caller.owner_id
    shown = {"talk": conversation, "one": found[0], "is_own": is_own, "refused": problem}
    return render(request, "console/run.html", shown)


@require_GET
@page(domain="console", scope="agents:read")
def step(request: HttpRequest, *, conversation_id: UUID, run_id: UUID, number: int) -> HttpResponse:
    """Render a step: its arguments, answer and rows."""
    _, caller = open_conversation(request, conversation_id=conversation_id)
    found = event_loop.run(history.find_step(conversation_id, run_id=run_id, number=min(number, 2**31 - 1)))
    if found is None:
        raise Http404
    event_loop.run(dynamic_tools.wait_until_loaded())
    tool = registry.find(found["tool"])
    if lacks := missing_scope(caller, tool=found["tool"], code=found["code"]):
        return render(request, "console/step.html", {"lacks": lacks})
    answer = parse_json(MaskedText(found["answer"]))
    if found["kind"] == Step.Kind.MODEL:
        answer = hide_requested_calls(answer, caller=caller)
    shown = _draw(found, answer=answer) | {
        "step": found,
        "tool": tool,
        "arguments": _json(found["edited_arguments"] or found["arguments"]),
        "answer": format_json(answer) if answer is not None else MaskedText(found["answer"][:50_000]),
        "shown": MaskedText(found["shown"]),
        "suggestions": _suggestions(answer),
        "name": f"{found['tool']}-{number}",
    }
    return render(request, "console/step.html", shown)


@require_GET
@page(domain="console", scope="agents:read")
def picture(request: HttpRequest, *, conversation_id: UUID, run_id: UUID, number: int) -> HttpResponse:
    """Render the chart and the rows of a call; empty if it has no rows or the person may not see them."""
    _, caller = open_conversation(request, conversation_id=conversation_id)
    found = event_loop.run(history.find_step(conversation_id, run_id=run_id, number=min(number, 2**31 - 1)))
    if found is None:
        raise Http404
    event_loop.run(dynamic_tools.wait_until_loaded())
    if found["state"] != Step.State.ANSWERED or missing_scope(caller, tool=found["tool"], code=found["code"]):
        return HttpResponse()
    drawn = _draw(found, answer=parse_json(MaskedText(found["answer"])))
    if drawn["table"] is None:
        return HttpResponse()
    return render(request, "console/picture.html", drawn | {"name": f"{found['tool']}-{number}"})


def _draw(step: dict[str, Any], *, answer: Any) -> dict[str, Any]:
    """Return the rows of a step's answer as a table, and as a chart."""
    arguments = parse_json(step["edited_arguments"] or step["arguments"])
    picture = draw_answer(answer, tool=registry.find(step["tool"]), arguments=arguments)
    return {"table": picture.table, "lines": picture.lines, "drawing": picture.drawing}


def open_conversation(request: HttpRequest, *, conversation_id: UUID) -> tuple[dict[str, Any], Caller]:
    """Return the conversation and its reader; raises Http404 unless it is the reader's own or shared."""
    caller = require_person(request)
    conversation = event_loop.run(history.find_readable(conversation_id, reader_id=caller.owner_id or 0))
    if conversation is None:
        raise Http404
    return conversation, caller


def _exchanges(
    conversation: dict[str, Any], *, caller: Caller, request: HttpRequest, before: int | None = None,
    run_id: UUID | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """
    Return questions with runs, steps and answers, as the caller may see them.

    Two queries, and those with which find_taught reads the latest questions that nothing covered. The last question of
    the person's own also has the parts that can be changed.
    """
    event_loop.run(dynamic_tools.wait_until_loaded())
    rows = event_loop.run(history.find_exchanges(conversation["id"], before=before, run_id=run_id))
    steps = event_loop.run(history.find_steps([row["run_id"] for row in rows if row["run_id"]]))
    exchanges = [
        _exchange(row, steps=[_step(step, caller=caller) for step in steps if step["run_id"] == row["run_id"]])
        for row in rows
    ]
    usable = [
        tool for tool in registry.visible_to(caller) if tool.domain in (conversation["toolkits"] or [tool.domain])
    ]
    taught = event_loop.run(find_taught([one["details"] for one in exchanges], tools=usable))
    is_own = conversation["owner_id"] == caller.owner_id
    return [
        one
        | {
            "parts": list_parts(one["details"], caller=caller) if is_own and one is exchanges[-1] else [],
            "is_taught": is_taught,
            "teaching": "" if is_taught else _write_teaching_query(request, details=one["details"]),
        }
        for one, is_taught in zip(exchanges, taught, strict=True)
    ]


def _write_teaching_query(request: HttpRequest, *, details: dict[str, Any]) -> str:
    """Return the query of the page that teaches the question; "" if it was covered, or the person may not teach."""
    question, domain = str(details.get("question", ""))[:MAX_QUESTION], details.get("domain", "")
    if details.get("outcome") != "not_covered" or not question or not list_lessons(request, domain=domain):
        return ""
    return urlencode({"question": question, "domain": domain})


def _exchange(row: dict[str, Any], *, steps: list[dict[str, Any]]) -> dict[str, Any]:
    took = (
        (row["finished_at"] - row["started_at"]).total_seconds() if row["finished_at"] and row["started_at"] else None
    )
    details: dict[str, Any] = next((step["details"] for step in reversed(steps) if step["details"]), {})
    words, colour = WORDS.get(row["state"] or "", ""), COLOURS.get(row["state"] or "", "live")
    if row["state"] == "succeeded":
        words, colour = OUTCOMES.get(details.get("outcome", ""), (words, colour))
    tools = [step for step in steps if step["is_tool"]]
    return row | {
        "answer": render_markdown(row["answer"]),
        "details": details,
        "domain_title": domain_title(details["domain"]) if details.get("domain") else "",
        "pictured": tools[0] if len(tools) == 1 and tools[0]["state"] == Step.State.ANSWERED else None,
        "steps": steps,
        "is_live": row["state"] in LIVE,
        "is_over": row["state"] in FINAL,
        "words": words,
        "colour": colour,
        "seconds": took,
        "waiting": next((step for step in steps if step["state"] == Step.State.AWAITING_APPROVAL), None),
        "cost": row["cost"] or None,
        "tokens": (row["prompt_tokens"] or 0) + (row["completion_tokens"] or 0),
    }


def _step(row: dict[str, Any], *, caller: Caller) -> dict[str, Any]:
    """Return a step as the caller may see it; a waiting call is complete, with the digest of what is shown."""
    if is_waiting := row["state"] == Step.State.AWAITING_APPROVAL:
        row = row | {"digest": digest_call(row["tool"], arguments=row["arguments"])}
    row = {"arguments": "", "digest": ""} | hide_contents(row, caller=caller)
    said = parse_json(row["said"]) if row["said"] else None
    arguments = MaskedText(row["arguments"]) if is_waiting else shown_arguments(row["arguments"])
    return row | {
        "is_tool": row["kind"] == Step.Kind.TOOL,
        "is_over": row["state"] in OVER,
        "text": said["text"].strip() if said and said.get("calls") else "",
        "details": said.get("details") or {} if isinstance(said, dict) else {},
        "arguments": _json(arguments, most=MAX_WAITING_CHARACTERS) if arguments else "",
        "label": row["state"].replace("_", " "),
        "colour": "bad" if row["code"] == ANSWERED_WITH_ERRORS else STEP_COLOURS.get(row["state"], "live"),
    }


def _json(text: str, *, most: int = 50_000) -> str:
    value = parse_json(text)
    return format_json(value, most=most) if value is not None else text


def _suggestions(answer: Any) -> list[str]:
    """Return up to six questions that the answer suggests to ask next."""
    inside = answer.get("data", answer) if isinstance(answer, dict) else {}
    given = inside.get("suggestions") if isinstance(inside, dict) else None
    if not isinstance(given, list):
        return []
    return [text for text in given[:6] if isinstance(text, str) and text and len(text) <= 300]  # noqa: PLR2004 - a button's width
