"""Exports of round trips, profit by day and rankings: CSV with exact numbers, Parquet with doubles."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from backtests.contracts.answers import IncompleteRun
from backtests.moments import EPOCH, moment_of
from backtests.pages.run_lookup import SCOPE, find_run, list_export_kinds
from backtests.pages.sweeps import read_ranking
from backtests.pages.trades import read_trades_question
from backtests.performance.contracts import Trade
from backtests.performance.curves import read_curve
from backtests.performance.days import find_returns
from backtests.performance.measures import fall, to_date
from backtests.performance.tables import list_round_trips
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

Rows = Sequence[Mapping[str, Any]]
MAX_ROWS, PAGE_ROWS = 100_000, 1_000
MIME_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
RANKING = ("rank", "runId", "name", "value", "sharpe", "totalReturn", "maxDrawdown", "closedTrades", "deflatedSharpe")


@require_scope(scope=SCOPE)
def export_trades(request: HttpRequest, *, run_id: UUID, kind: str) -> HttpResponse:
    """Export a run's round trips, filtered and sorted as on their page; refuse more than 100,000."""
    find_run(run_id)
    names = [field.alias or name for name, field in Trade.model_fields.items()]
    rows: list[Mapping[str, Any]] = []
    has_more = True
    while has_more:
        query = read_trades_question(request, run_id=run_id, page_size=PAGE_ROWS)
        query = query.model_copy(update={"page_index": len(rows) // PAGE_ROWS})
        try:
            found = event_loop.run(list_round_trips(query, reader=reader))
        except ToolError as error:
            return _refuse(error.message)
        if found.metadata.total_count > MAX_ROWS:
            return _refuse(f"{found.metadata.total_count:,} round trips are too many for one file: filter them.")
        rows += [one.model_dump(by_alias=True) for one in found.trades]
        has_more = found.metadata.has_more
    return _export(rows, names=names, kind=kind, file_name=_name_file("trades", run_id, found.metadata.incomplete))


@require_scope(scope=SCOPE)
def export_days(request: HttpRequest, *, run_id: UUID, kind: str) -> HttpResponse:
    """Export a run's profit by day, with equity, return and drawdown where these are defined."""
    currency = request.GET.get("currency", "").replace("\x00", "")[:20] or None
    find_run(run_id)
    try:
        curve = event_loop.run(read_curve(run_id, currency=currency, capital=None, reader=reader))
    except ToolError as error:
        return _refuse(error.message)
    equity = curve.equity()
    returns = None if curve.capital is None else find_returns(curve.profits, capital=float(curve.capital))
    fallen = None if returns is None else fall(returns)
    rows = [
        {
            "day": to_date(day), "profit": float(curve.profits[place]), "held": float(curve.held[place]),
            "equity": None if equity is None else float(equity[place]),
            "return": None if returns is None else float(returns[place]),
            "drawdown": None if fallen is None else float(fallen[place]),
        }
        for place, day in enumerate(curve.days)
    ]  # fmt: skip
    names = ["day", "profit", "held", "equity", "return", "drawdown"]
    return _export(rows, names=names, kind=kind, file_name=_name_file("days", run_id, curve.asked.incomplete))


@require_scope(scope=SCOPE)
def export_ranking(request: HttpRequest, *, kind: str) -> HttpResponse:
    """Export the ranked runs of a sweep with their parameters."""
    try:
        _, ranked = read_ranking(request)
    except ToolError as error:
        return _refuse(error.message)
    parameters = sorted({name for one in ranked.runs for name in one.parameters})
    rows = [
        one.model_dump(by_alias=True) | {f"parameter {name}": one.parameters.get(name) for name in parameters}
        for one in ranked.runs
    ]
    names = [*RANKING, *(f"parameter {name}" for name in parameters)]
    return _export(rows, names=names, kind=kind, file_name="ranking")


def _name_file(what: str, run_id: UUID, incomplete: IncompleteRun | None) -> str:
    """Name a run's file; the name says if the run is not stored whole."""
    return f"{what}_{run_id}{'_incomplete' if incomplete else ''}"


def _refuse(message: str) -> HttpResponse:
    return HttpResponse(message + "\n", status=400, content_type="text/plain; charset=utf-8")


def _export(rows: Rows, *, names: Sequence[str], kind: str, file_name: str) -> HttpResponse:
    """Build the response with a file of rows."""
    if kind not in list_export_kinds():
        raise Http404(f"Files of the kind {kind[:20]} are not written here.")
    content = _write_csv(rows, names=names) if kind == "csv" else _write_parquet(rows, names=names)
    response = HttpResponse(content, content_type=MIME_TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{file_name}.{kind}"'
    return response


def _write_csv(rows: Rows, *, names: Sequence[str]) -> bytes:
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(map(_cell, names))
    writer.writerows([_cell(row[name]) for name in names] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """Format a cell; escape text that a spreadsheet would run as a formula."""
    if isinstance(value, date):
        return value.isoformat()
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value


def _write_parquet(rows: Rows, *, names: Sequence[str]) -> bytes:
    from arro3.core import Array, DataType, Table  # noqa: PLC0415 - optional
    from arro3.io import write_parquet  # noqa: PLC0415 - optional

    found: dict[str, Any] = {}
    for name in names:
        values = [row[name] for row in rows]
        kind = _kind_of(values)
        stored = getattr(
            DataType, {datetime: "int64", date: "int32", int: "int64", float: "float64"}.get(kind, "utf8")
        )()
        column = Array([None if one is None else _CONVERSIONS[kind](one) for one in values], type=stored)
        if kind is datetime:
            column = column.cast(DataType.timestamp("us", tz="UTC"))
        found[name] = column.cast(DataType.date32()) if kind is date else column
    target = BytesIO()
    write_parquet(Table.from_pydict(found), target)
    return target.getvalue()


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    datetime: moment_of, date: lambda day: (day - EPOCH.date()).days, int: int, float: float,
    str: lambda text: str(text).encode("utf-8", "replace").decode(),
}  # fmt: skip


def _kind_of(values: Iterable[Any]) -> type:
    """Return the narrowest type that holds all values of a column."""
    known = [one for one in values if one is not None]
    kinds: tuple[tuple[type, Any], ...] = (
        (datetime, datetime), (date, date), (int, int), (float, int | float | Decimal),
    )  # fmt: skip
    for kind, accepted in kinds:
        if known and all(isinstance(one, accepted) and not isinstance(one, bool) for one in known):
            return kind
    return str
