"""The first page: where to ask, and what was asked before."""

from datetime import datetime
from typing import Any

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agents.contracts import MAX_MESSAGE, NewConversation
from agents.queries import history
from agents.rest import conversation_endpoints, openapi
from agents.runs.run_caller import usable_toolkits
from console.conversations.perform_as_user import spoken, why
from toolbox.access.people import require_person
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Refusal
from toolbox.database import event_loop as loop
from toolbox.examples.cache import KnownExample, examples_of
from toolbox.examples.provider import samples
from toolbox.examples.templates import question

QUESTIONS_OF_A_DOMAIN = 2
MAX_WORDS = 100


@require_GET
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show where to ask, and the person's conversations, those with the searched words in them."""
    caller = require_person(request)
    words = request.GET.get("q", "").strip()[:MAX_WORDS]
    shown = {"words": words, "longest": MAX_MESSAGE, "domains": _domains(caller)}
    shown["tool_count"] = len(registry.visible_to(caller))
    shown |= listed(caller, words=words, before=_moment(request.GET.get("before", "")))
    if request.headers.get("HX-Request"):
        return render(request, "console/conversations.html", shown)
    return render(request, "console/ask.html", shown | {"first": loop.run(first_questions(caller))})


@require_POST
@login_required
def begin(request: HttpRequest) -> HttpResponse:
    """Begin a conversation with a first question."""
    text = request.POST.get("text", "").strip()
    toolkits = [domain for domain in request.POST.getlist("toolkits") if domain in _domains(require_person(request))]
    if not text or len(text) > MAX_MESSAGE:
        messages.error(request, f"Ask something, in {MAX_MESSAGE:,} characters at most.")
        return redirect("console:ask")
    wanted = NewConversation(toolkits=toolkits)
    made = spoken(
        request, name=openapi.CREATE.name, work=lambda caller: conversation_endpoints.create(wanted, caller=caller)
    )
    if made.is_refusal:
        messages.error(request, why(made))
        return redirect("console:ask")
    conversation_id = orjson.loads(made.body)["id"]
    posted = spoken(
        request,
        name=openapi.POST.name,
        work=lambda caller: conversation_endpoints.post(conversation_id, text=text, caller=caller),
    )
    if posted.is_refusal:
        messages.error(request, why(posted))
    return redirect("console:conversation", conversation_id=conversation_id)


def listed(caller: Caller, *, words: str = "", before: datetime | None = None) -> dict[str, Any]:
    """Give a page of the person's conversations for a template; one statement."""
    if caller.owner_id is None:
        raise TypeError("a person has an id")
    rows = loop.run(history.searched(owner_id=caller.owner_id, words=words, before=before))
    page, more = rows[: history.PAGE], len(rows) > history.PAGE
    return {"conversations": page, "next": page[-1]["updated_at"].isoformat() if more else ""}


async def first_questions(caller: Caller) -> list[str]:
    """Give questions to begin with, with real names in them, some of each domain that the person may ask."""
    offered = [tool.name for tool in registry.visible_to(caller)]
    chosen: dict[str, list[KnownExample]] = {}
    for example in await examples_of(offered):
        of_domain = chosen.setdefault(example.domain, [])
        if len(of_domain) < QUESTIONS_OF_A_DOMAIN:
            of_domain.append(example)
    flat = [example for examples in chosen.values() for example in examples]
    filled = [question(example.question, samples=await samples(example)) for example in flat]
    return [text for text in filled if "{" not in text]


def _domains(caller: Caller) -> list[str]:
    return [domain for domain in usable_toolkits() if caller.has(f"{domain}:read")]


def _moment(text: str) -> datetime | None:
    try:
        return conversation_endpoints.moment(text.replace(" ", "+"))
    except Refusal:
        return None
