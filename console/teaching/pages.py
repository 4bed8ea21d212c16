"""The page that teaches a question: choose a lesson, fill it in, try it and publish it."""

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.queries.questions import find_uncovered_of
from console.teaching.answerable_questions import MAX_QUESTION, MAX_READ_AGAIN, find_answerable
from console.teaching.lessons import AskedQuestion, Form, Lesson, list_lessons
from console.teaching.trials import Trial
from sprints.schema.reading import load_schema
from toolbox.access.people import require_person
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.http.form_submissions import mark_submission
from toolbox.http.pages import page

MAX_CHECKS = 8
"""How often the page asks whether what it published is in effect: it is after some seconds."""
ADVANCED = ("slug", "topic", "slots", "assumptions", "next_calls", "phrasings")
"""Fields that most lessons do not change; they are folded on the page."""
HIDDEN = ("is_enabled",)


@require_GET
@never_cache
@page(domain="console")
def show_teach_page(request: HttpRequest) -> HttpResponse:
    """Show the lessons for a question, with the form of the chosen one filled in."""
    lesson = _choose_lesson(request, request.GET)
    form = lesson.make_form(initial=lesson.begin(_describe_question(request, request.GET)))
    return _render(request, lesson=lesson, form=form, sent=request.GET)


@require_POST
@page(domain="console", writes=True)
def teach(request: HttpRequest) -> HttpResponse:
    """Try the form, or publish it; an invalid form is shown with the admin's errors."""
    lesson = _choose_lesson(request, request.POST)
    form = lesson.make_form(request.POST)
    if not form.is_valid():
        return _render(request, lesson=lesson, form=form, sent=request.POST)
    if "publish" not in request.POST:
        trial = lesson.try_out(form, _describe_question(request, request.POST))
        return _render(request, lesson=lesson, form=form, sent=request.POST, trial=trial)
    published = lesson.publish(request, form=form)
    response = _render(request, lesson=lesson, form=form, sent=request.POST, published=str(published))
    return mark_submission(response, is_done=True)


@require_GET
@never_cache
@page(domain="console")
def show_published(request: HttpRequest) -> HttpResponse:
    """Render whether the question can be answered by now; polls until it can, at most MAX_CHECKS times."""
    question, count = _read_question(request.GET), request.GET.get("count", "0")
    is_answered = bool(_find_answerable([question], caller=require_person(request)))
    checks = int(count) + 1 if count.isdecimal() and len(count) < len(str(MAX_CHECKS)) + 1 else MAX_CHECKS
    shown = _describe_check(question, checks=checks) | {"is_answered": is_answered}
    return render(request, "console/teach_published.html", shown)


@require_GET
@never_cache
@page(domain="console", scope="agents:read")
def show_answerable(request: HttpRequest) -> HttpResponse:
    """Render the first page's notice of this person's questions that can be answered by now."""
    caller = require_person(request)
    rows = event_loop.run(find_uncovered_of(caller.owner_id or 0))
    latest = list({row["question"]: row for row in reversed(rows)}.values())[-MAX_READ_AGAIN:]
    answerable = _find_answerable([row["question"] for row in latest], caller=caller)
    told = [row for row in latest if row["question"] in answerable]
    return render(request, "console/teach_told.html", {"told": told})


def _find_answerable(questions: list[str], *, caller: Caller) -> set[str]:
    event_loop.run(dynamic_tools.wait_until_loaded())
    return event_loop.run(find_answerable(questions, tools=registry.visible_to(caller)))


def _render(
    request: HttpRequest, *, lesson: Lesson, form: Form, sent: Any, trial: Trial | None = None, published: str = ""
) -> HttpResponse:
    question, domain = _read_question(sent), _read_domain(sent)
    lessons = list_lessons(request, domain=domain)
    fields = [field for field in form if field.name not in HIDDEN]
    shown = {
        "lesson": lesson,
        "lessons": [
            (one, urlencode({"question": question, "domain": domain, "kind": one.kind})) for one in lessons
        ],
        "question": question,
        "domain": domain,
        "form": form,
        "fields": [field for field in fields if field.name not in ADVANCED],
        "advanced": [field for field in fields if field.name in ADVANCED],
        "is_advanced_open": any(field.errors for field in fields if field.name in ADVANCED),
        "trial": trial,
        "published": published,
        "tools": [tool.name for tool in registry.visible_to(require_person(request)) if not tool.writes],
        "views": event_loop.run(load_schema()).tables if lesson.kind == "query" else [],
    } | _describe_check(question, checks=0)  # fmt: skip
    template = "console/teach_lesson.html" if request.headers.get("HX-Request") else "console/teach.html"
    return render(request, template, shown)


def _describe_check(question: str, *, checks: int) -> dict[str, Any]:
    query = urlencode({"question": question, "count": checks})
    return {"question": question, "check_query": query, "is_last_check": checks >= MAX_CHECKS}


def _choose_lesson(request: HttpRequest, sent: Any) -> Lesson:
    lessons = list_lessons(request, domain=_read_domain(sent))
    if not lessons:
        raise PermissionDenied(
            "Your account may not teach questions. Ask an administrator to add you to the group Curator or Analyst."
        )
    return next((lesson for lesson in lessons if lesson.kind == sent.get("kind")), lessons[0])


def _describe_question(request: HttpRequest, sent: Any) -> AskedQuestion:
    return AskedQuestion(
        text=_read_question(sent), domain=_read_domain(sent), caller=require_person(request), now=timezone.now()
    )


def _read_domain(sent: Any) -> str:
    return str(sent.get("domain_hint", sent.get("domain", "")))


def _read_question(sent: Any) -> str:
    return " ".join(sent.get("asked", sent.get("question", "")).split())[:MAX_QUESTION].replace("\x00", "")
