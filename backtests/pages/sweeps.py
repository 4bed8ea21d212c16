"""Views of sweeps: the list, the ranking, and the heat map over two parameters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from backtests.pages import queries
from backtests.pages.heat_map import Cell, draw_heat_map
from backtests.pages.number_text import MISSING, percent, plain
from backtests.pages.run_lookup import SCOPE, list_export_kinds
from backtests.pages.view import page_index
from backtests.performance.contracts import Metric, RankedRun, RankQuestion, RunRanking
from backtests.performance.ranking import rank
from toolbox.admin_pages.panels import Figures, Panel
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

MAX_SWEEP, MAX_RUNS, RUNS_A_PAGE, MAX_SIDE, MAX_PAGE_INDEX = 200, 1_000, 50, 40, 10_000
METRIC_NAMES = {
    "sharpe": "Sharpe", "sortino": "Sortino", "calmar": "Calmar", "totalReturn": "Return", "cagr": "CAGR",
    "maxDrawdown": "Deepest drawdown", "winRate": "Win rate", "profitFactor": "Profit factor",
    "expectancy": "Expectancy",
}  # fmt: skip
SHARES = ("totalReturn", "cagr", "maxDrawdown", "winRate")


@require_scope(scope=SCOPE)
def sweeps(request: HttpRequest) -> HttpResponse:
    """List the sweeps, or show the runs of one."""
    if not request.GET.get("sweep"):
        return render(request, "backtests/sweeps.html", {"sweeps": event_loop.run(queries.sweeps())})
    try:
        asked, found = read_ranking(request)
    except ToolError as error:
        refused = {"sweeps": event_loop.run(queries.sweeps()), "refusal": f"{error.message} {error.suggestion}"}
        return render(request, "backtests/sweeps.html", refused)
    index = min(page_index(request.GET.get("page", "")), MAX_PAGE_INDEX)
    first = index * RUNS_A_PAGE
    write = _query_writer(request)
    names = sorted({name for one in found.runs for name in one.parameters})
    context: dict[str, Any] = {
        "sweep": asked.sweep, "found": found, "metric": METRIC_NAMES[asked.metric], "asked": asked,
        "metrics": [(key, METRIC_NAMES[key]) for key in get_args(Metric)], "names": names,
        "trust": _describe_trust(found), "left_out": found.metadata.total_count - len(found.runs),
        "rows": [_make_row(one, names=names, metric=asked.metric) for one in found.runs[first : first + RUNS_A_PAGE]],
        "earlier": write(page=index - 1) if index else "",
        "later": write(page=index + 1) if first + RUNS_A_PAGE < len(found.runs) else "",
        "kinds": list_export_kinds(), "query": write(page=None),
    } | _build_map_context(request, found=found, names=names, metric=asked.metric)  # fmt: skip
    return render(request, "backtests/sweep.html", context)


def read_ranking(request: HttpRequest) -> tuple[RankQuestion, RunRanking]:
    """Rank the runs of the sweep that the URL names. Raises ToolError."""
    metric = request.GET.get("metric", "")
    asked = RankQuestion.model_validate({
        "sweep": request.GET.get("sweep", "").replace("\x00", "")[:MAX_SWEEP] or " ",
        "metric": metric if metric in get_args(Metric) else "sharpe", "page_size": MAX_RUNS,
    })  # fmt: skip
    return asked, event_loop.run(rank(asked, reader=reader))


def _query_writer(request: HttpRequest) -> Callable[..., str]:
    given = {name: request.GET[name] for name in ("sweep", "metric", "x", "y") if request.GET.get(name)}

    def write(**changes: Any) -> str:
        return urlencode({name: value for name, value in (given | changes).items() if value not in (None, "", 0)})

    return write


def _describe_trust(found: RunRanking) -> list[tuple[str, str]]:
    """List the measures of how far the best run can be trusted."""
    metadata, overfitting = found.metadata, found.overfitting
    best = found.runs[0] if found.runs else None
    told = [
        ("Runs", f"{metadata.total_count:,}"), ("Trials", f"{metadata.trials:,}"),
        ("Deflated Sharpe of the best", percent(best.deflated_sharpe) if best else MISSING),
        ("Sharpe that luck would reach", plain(metadata.expected_best_sharpe)),
    ]  # fmt: skip
    if overfitting is not None:
        told.append(("Probability of overfitting", percent(overfitting.probability)))
        told.append(("Median rank out of sample", percent(overfitting.median_rank)))
    return told


def _make_row(one: RankedRun, *, names: Sequence[str], metric: str) -> dict[str, Any]:
    near = one.neighbours
    return {
        "address": reverse("backtests:run", args=[one.run_id]), "rank": one.rank, "name": one.name or str(one.run_id),
        "cells": [
            *((_format_parameter(one.parameters.get(name)), False) for name in names),
            (_format_value(one.value, metric=metric), True), (percent(one.total_return), True),
            (percent(one.max_drawdown), True), (f"{one.closed_trades:,}", True), (percent(one.deflated_sharpe), True),
            (f"{near.count}", True), *((_format_value(one, metric=metric), True) for one in (near.mean, near.worst)),
            (plain(near.stability), True),
        ],
    }  # fmt: skip


def _format_value(value: float | None, *, metric: str) -> str:
    return percent(value) if metric in SHARES else plain(value)


def _format_parameter(value: Any) -> str:
    return "" if value is None else str(value)[:MAX_SWEEP]


def _build_map_context(request: HttpRequest, *, found: RunRanking, names: Sequence[str], metric: str) -> dict[str, Any]:
    """Draw the heat map over the URL's two parameters, else over the two that take the most values."""
    values = {name: _sort_values({_read_parameter(one.parameters, name) for one in found.runs}) for name in names}
    varied = sorted((name for name in names if len(values[name]) > 1), key=lambda name: (-len(values[name]), name))
    across = request.GET.get("x", "")
    x = across if across in varied else next(iter(varied), "")
    others = [name for name in varied if name != x]
    down = request.GET.get("y", "")
    y = down if down in others else next(iter(others), "")
    if not x:
        return {"varied": varied}
    columns, rows = values[x][:MAX_SIDE], (values[y] if y else [""])[:MAX_SIDE]
    cells = _make_cells(found.runs, x=x, y=y, columns=columns, rows=rows, metric=metric)
    cut = max(len(values[x]), len(values[y]) if y else 1) > MAX_SIDE
    fixed = [name for name in varied if name not in (x, y)]
    note = f"Each cell is the mean over {', '.join(fixed)}. " if fixed else ""
    note += f"The first {MAX_SIDE} values of each parameter are drawn. " if cut else ""
    title = f"{METRIC_NAMES[metric]} by {x} and {y}" if y else f"{METRIC_NAMES[metric]} by {x}"
    table = [[row, *(cells[row, column].text if (row, column) in cells else "" for column in columns)] for row in rows]
    return {
        "varied": varied, "x": x, "y": y,
        "panel": Panel(
            title=title,
            drawing=draw_heat_map(cells, columns=columns, rows=rows, x=x, y=y, title=title),
            note=f"{note}The best run stands in a solid frame, its neighbours in dashed ones; a good run among bad "
                 "neighbours is luck rather than skill.",
            tables=[Figures(title=title, head=[f"{y} \\ {x}" if y else x, *columns], rows=table)],
        ),
    }  # fmt: skip


def _make_cells(
    runs: Sequence[RankedRun], *, x: str, y: str, columns: Sequence[str], rows: Sequence[str], metric: str
) -> dict[tuple[str, str], Cell]:
    """Build a cell for each pair of values that runs have; several runs of a pair are averaged."""
    by_place: dict[tuple[str, str], list[RankedRun]] = {}
    for one in runs:
        by_place.setdefault(
            (_read_parameter(one.parameters, y) if y else "", _read_parameter(one.parameters, x)), []
        ).append(one)
    best = next(iter(by_place), None) if runs and runs[0].value is not None else None
    cells = {}
    for (row, column), here in by_place.items():
        if row not in rows or column not in columns:
            continue
        known = [one.value for one in here if one.value is not None]
        mean = sum(known) / len(known) if known else None
        distance = _find_distance((row, column), best, columns=columns, rows=rows) if best else None
        cells[row, column] = Cell(
            value=mean, text=_format_value(mean, metric=metric), count=len(here), is_best=distance == 0,
            is_near=distance == 1, address=reverse("backtests:run", args=[here[0].run_id]),
        )  # fmt: skip
    return cells


def _find_distance(
    place: tuple[str, str], other: tuple[str, str], *, columns: Sequence[str], rows: Sequence[str]
) -> int | None:
    """Count the steps from one cell to another; return None if the other is not drawn."""
    if other[0] not in rows or other[1] not in columns:
        return None
    down = abs(rows.index(place[0]) - rows.index(other[0]))
    return down + abs(columns.index(place[1]) - columns.index(other[1]))


def _read_parameter(parameters: Mapping[str, Any], name: str) -> str:
    return _format_parameter(parameters.get(name))


def _sort_values(values: set[str]) -> list[str]:
    """Return a sort key that puts numbers by size before texts."""

    def place(text: str) -> tuple[int, float, str]:
        try:
            return (0, float(text), "")
        except ValueError:
            return (1, 0.0, text)

    return sorted(values, key=place)
