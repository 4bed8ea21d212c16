"""Console pages of root causes: search with reasons, and one entry."""

import asyncio
from dataclasses import replace
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_safe

from devassist.contracts.vector_search_db import PastErrorsQuestion
from devassist.past_errors import queries
from devassist.past_errors.explain import explain
from devassist.root_causes import queries as search_queries
from devassist.root_causes.queries import Row
from devassist.root_causes.ranking import floor_among
from devassist.root_causes.refusals import nothing_found
from devassist.root_causes.search import SearchResult, search_uncounted
from toolbox.contract.errors import StatementTimeout, ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

SCOPE = "devassist:read"
LONGEST = 100_000
USUAL_CONFIDENCE = 0.7
SHOWN, NEAR_SHOWN = 10, 3


class SearchForm(forms.Form):
    """The error, in words or as printed, and the filters of the search."""

    q = forms.CharField(max_length=LONGEST, error_messages={"required": "Say what went wrong, or paste what you saw."})
    language = forms.CharField(max_length=200, required=False)
    error_type = forms.CharField(max_length=200, required=False)
    min_confidence = forms.FloatField(min_value=0, max_value=1, required=False)

    def question(self) -> PastErrorsQuestion:
        """Convert to a tool's input with the maximum number of results."""
        given = self.cleaned_data
        confidence = given["min_confidence"]
        return PastErrorsQuestion(
            query=given["q"],
            language=given["language"] or None,
            error_type=given["error_type"] or None,
            min_confidence=USUAL_CONFIDENCE if confidence is None else confidence,
            include_unvalidated=True,
            limit=SHOWN,
        )


@require_scope(scope=SCOPE)
@require_http_methods(["GET", "HEAD", "POST"])
def root_causes(request: HttpRequest) -> HttpResponse:
    """Show the search form and the results. Before a search, show what is known."""
    sent = request.POST if request.method == "POST" else request.GET
    form = SearchForm(sent if "q" in sent else None, initial={"min_confidence": USUAL_CONFIDENCE})
    shown: dict[str, Any] = {"form": form, "usual": USUAL_CONFIDENCE}
    shown["filtered"] = any(form[name].value() for name in ("language", "error_type"))
    shown |= event_loop.run(_answer(form.question()) if form.is_valid() else _count_known())
    return render(request, "devassist/root_causes.html", shown)


@require_scope(scope=SCOPE)
@require_safe
def root_cause(request: HttpRequest, *, name: str) -> HttpResponse:
    """Show one entry of any status."""
    found = event_loop.run(queries.one(name)) if "\x00" not in name else None
    if found is None:
        raise Http404(f"There is no root cause {name}.")
    return render(request, "devassist/root_cause.html", {"entry": found, "usual": USUAL_CONFIDENCE})


async def _count_known() -> dict[str, Any]:
    entries, most_used, newest, languages = await asyncio.gather(
        queries.count(), queries.most_used(), queries.newest(), search_queries.languages(reader=reader)
    )
    return {
        "entries": entries, "is_counted": entries <= queries.MAX_COUNTED, "most_counted": queries.MAX_COUNTED,
        "most_used": most_used, "newest": newest, "languages": languages, "floor": floor_among(entries),
    }  # fmt: skip


async def _answer(ask: PastErrorsQuestion) -> dict[str, Any]:
    """Return the results with reasons. Without results, return the reason and the nearest entries."""
    try:
        found, languages = await asyncio.gather(search_uncounted(ask), search_queries.languages(reader=reader))
        near = [] if found.rows else await _nearest(found)
        refused = None if found.rows else await nothing_found(ask, sought=found.sought, reader=reader)
    except ToolError as no:
        return {"refused": no}
    except StatementTimeout:
        return {"is_slow": True}
    words = found.paste.words
    return {
        "languages": languages, "refused": refused, "found": await explain(found, rows=found.rows),
        "near": await explain(found, rows=near), "searched_for": words if found.paste.is_trace else "",
        "total": found.rows[0]["total_found"] if found.rows else 0, "confidence": ask.min_confidence,
        "floor": found.sought.floor,
    }  # fmt: skip


async def _nearest(found: SearchResult) -> list[Row]:
    return await search_queries.search(replace(found.sought, floor=-1.0, limit=NEAR_SHOWN), reader=reader)


app_name = "devassist"
urlpatterns = [
    path("", root_causes, name="root_causes"),
    path("<str:name>/", root_cause, name="root_cause"),
]
