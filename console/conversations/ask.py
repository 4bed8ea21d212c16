"""The first page: the box to ask in, and the person's conversations."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.contracts import MAX_MESSAGE
from agents.queries import history
from agents.runs.run_caller import find_readable_toolkits
from toolbox.access.people import require_person
from toolbox.catalogue.registry import domain_title, registry
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.examples.cache import KnownExample, find_examples_for_tools, load_sample_texts
from toolbox.examples.templates import fill_question
from toolbox.http.pages import page
from toolbox.text.moments import read_moment

QUESTIONS_OF_A_DOMAIN = 2
MAX_SEARCH = 100


@require_GET
@page(domain="console", scope="agents:read")
def show_ask_page(request: HttpRequest) -> HttpResponse:
    """Show the box, and the person's conversations that contain the searched words."""
    caller = require_person(request)
    words = request.GET.get("q", "").replace("\x00", "").strip()[:MAX_SEARCH]
    before = read_moment(request.GET.get("before", "").replace(" ", "+"))
    rows = event_loop.run(history.search(owner_id=caller.owner_id or 0, words=words, before=before))
    page = rows[: history.PAGE]
    context = {
        "words": words,
        "longest": MAX_MESSAGE,
        "domains": [{"name": name, "title": domain_title(name)} for name in find_readable_toolkits(caller)],
        "tool_count": len(registry.visible_to(caller)),
        "conversations": page,
        "next": page[-1]["updated_at"].isoformat() if len(rows) > history.PAGE else "",
    }
    if request.headers.get("HX-Request"):
        return render(request, "console/conversations.html", context)
    return render(request, "console/ask.html", context | {"first": event_loop.run(suggest_questions(caller))})


async def suggest_questions(caller: Caller) -> list[str]:
    """Return examples of questions with real names in them, up to two of each domain that the person may use."""
    visible = [tool.name for tool in registry.visible_to(caller)]
    chosen: dict[str, list[KnownExample]] = {}
    for example in await find_examples_for_tools(visible):
        of_domain = chosen.setdefault(example.domain, [])
        if len(of_domain) < QUESTIONS_OF_A_DOMAIN:
            of_domain.append(example)
    flat = [example for examples in chosen.values() for example in examples]
    filled = [fill_question(example.question, samples=await load_sample_texts(example)) for example in flat]
    return [text for text in filled if "{" not in text]
