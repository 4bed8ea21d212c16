"""Views: the list of runs, the comparison, a run at a moment, an event with its chain."""

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from backtests.moments import format_exactly, moment_of
from backtests.overview.charts import draw_panels, measure_run
from backtests.pages import queries
from backtests.pages.at_moment import MomentView, build_moment_context, fetch_moment_view
from backtests.pages.chain import draw_chain_panel, lay_out_chain
from backtests.pages.divergence import build_divergence_context, find_divergence
from backtests.pages.event_words import describe_event
from backtests.pages.facts import compare_facts
from backtests.pages.results import Results, build_results_context, read_results
from backtests.pages.run_lookup import SCOPE, find_run, list_export_kinds, list_run_tabs, make_sweep_address
from backtests.pages.view import View, page_index
from backtests.runs.queries import Row
from backtests.vocabulary import EVENT_TYPES, SEVERITIES
from toolbox.database import event_loop
from toolbox.http.pages import require_scope

MAX_COMPARED, RUNS_A_PAGE, DEEPEST_PAGE, MAX_SYMBOLS = 4, 25, 400, 200
MAX_SEARCH, MAX_IDS, MAX_CURRENCY = 200, 100, 20
LETTERS = "ABCD"


@require_scope(scope=SCOPE)
def runs(request: HttpRequest) -> HttpResponse:
    """List runs, newest first, to open one or to select up to four; a search keeps the selection."""
    words = request.GET.get("q", "").replace("\x00", "").strip()[:MAX_SEARCH]
    index = min(page_index(request.GET.get("page", "")), DEEPEST_PAGE)
    found, chosen = event_loop.run(_fetch_lists(words, index=index, chosen=_read_run_ids(request)[0]))
    run_ids = [run["run_id"] for run in chosen]
    carried = [("q", words), *(("run", str(run_id)) for run_id in run_ids)]
    context = {
        "words": words,
        "chosen": chosen,
        "runs": [run for run in found[:RUNS_A_PAGE] if run["run_id"] not in run_ids],
        "earlier": urlencode([*carried, ("page", index - 1)]) if index else "",
        "later": urlencode([*carried, ("page", index + 1)]) if len(found) > RUNS_A_PAGE else "",
    }
    return render(request, "backtests/runs.html", context)


@require_scope(scope=SCOPE)
def compare(request: HttpRequest) -> HttpResponse:
    """Show up to four runs side by side."""
    run_ids, faults = _read_run_ids(request)
    found = event_loop.run(queries.fetch_runs(run_ids))
    divergence = event_loop.run(find_divergence([run["run_id"] for run in found]))
    named = list(zip(LETTERS, found, strict=False))
    missing = [run_id for run_id in run_ids if run_id not in {run["run_id"] for run in found}]
    is_counted = request.GET.get("time") == "start"
    at = None if is_counted else divergence.moment
    measured = [measure_run(run["run_id"], symbols=run["symbols"], name=name) for name, run in named]
    context = {
        "runs": named,
        "faults": [*faults, *(f"There is no run {run_id}." for run_id in missing)],
        "is_counted": is_counted,
        "facts": compare_facts(found, measured=measured),
        "panels": draw_panels(measured, is_counted=is_counted, at=at) if measured else [],
        "chosen": urlencode([("run", str(run["run_id"])) for run in found]),
    }
    return render(request, "backtests/compare.html", context | build_divergence_context(divergence))


@require_scope(scope=SCOPE)
def run(request: HttpRequest, *, run_id: UUID) -> HttpResponse:
    """Show when a run's events happened, its state at a moment, and its results."""
    one = find_run(run_id)
    if not one["first_event_at"]:
        return render(request, "backtests/run.html", {"run": one})
    view = View.from_parameters(request.GET.dict(), run=one)
    currency = request.GET.get("currency", "").replace("\x00", "")[:MAX_CURRENCY] or None
    moment_view, results = event_loop.run(_fetch_view_and_results(one, view=view, currency=currency))
    at = view.at if "at" in request.GET else None
    results_context = build_results_context(results, run=one, symbol=view.symbol, at=at)
    drawn = draw_panels([measure_run(run_id, symbols=one["symbols"])], at=at)
    context = {
        "run": one, "symbols": one["symbols"][:MAX_SYMBOLS],
        "panels": drawn[1:] if "equity" in results_context else drawn,
        "tabs": list_run_tabs(run_id, current="run"), "kinds": list_export_kinds(),
        "sweep": make_sweep_address(one["sweep"]) if one["sweep"] else "",
    } | results_context | build_moment_context(moment_view, address=_make_address(run_id))  # fmt: skip
    return render(request, "backtests/run.html", context)


@require_scope(scope=SCOPE)
def event(request: HttpRequest, *, run_id: UUID, event_id: UUID) -> HttpResponse:
    """Show an event with its causes and effects."""
    one = find_run(run_id)
    rows = event_loop.run(queries.around(run_id, event_id=event_id))
    found = next((row for row in rows if row["event_id"] == event_id), None)
    if found is None:
        raise Http404(f"The run has no event {event_id}.")
    kind = EVENT_TYPES[found["event_type"]]
    context = {
        "run": one,
        "event": found,
        "type": kind,
        "words": describe_event(kind, properties=found["properties"]),
        "severity": SEVERITIES[found["severity"]],
        "properties": _indent_json(found["properties"]),
        "errors": _indent_json(found["validation_errors"]),
        "moment": urlencode({"at": format_exactly(moment_of(found["occurred_at"]))}),
        "chain": draw_chain_panel(lay_out_chain(rows, event_id=event_id), address=_make_address(run_id)),
    }
    return render(request, "backtests/event.html", context)


async def _fetch_view_and_results(run: Row, *, view: View, currency: str | None) -> tuple[MomentView, Results]:
    return await asyncio.gather(fetch_moment_view(run, view=view), read_results(run["run_id"], currency=currency))


async def _fetch_lists(words: str, *, index: int, chosen: Sequence[UUID]) -> tuple[list[Row], list[Row]]:
    return await asyncio.gather(
        queries.search_runs(words, skip=index * RUNS_A_PAGE, take=RUNS_A_PAGE + 1), queries.fetch_runs(chosen)
    )


def _read_run_ids(request: HttpRequest) -> tuple[list[UUID], list[str]]:
    """Parse up to four run ids; return messages about the ones left out."""
    found: dict[UUID, None] = {}
    faults = []
    for text in request.GET.getlist("run")[:MAX_IDS]:
        try:
            found[UUID(text)] = None
        except ValueError:
            faults.append(f"“{text[:60]}” is no id of a run.")
    if len(found) > MAX_COMPARED:
        faults.append(f"{len(found)} runs were chosen; the first {MAX_COMPARED} are compared.")
    return list(found)[:MAX_COMPARED], faults


def _make_address(run_id: UUID) -> Callable[[UUID], str]:
    return lambda event_id: reverse("backtests:event", args=[run_id, event_id])


def _indent_json(text: str | None) -> str:
    """Indent JSON, with numbers as logged; truncated JSON is returned unchanged."""
    try:
        return msgspec.json.format(text, indent=2) if text else ""
    except msgspec.DecodeError:
        return f"{text}…"
