"""Views of a run's round trips, and of its profit grouped by their attributes."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from backtests.pages.number_text import plain, write_signed
from backtests.pages.results import build_refusal_context
from backtests.pages.run_lookup import SCOPE, find_run, list_export_kinds, list_run_tabs
from backtests.pages.view import page_index
from backtests.performance.contracts import (
    Attribution,
    AttributionQuestion,
    Outcome,
    ProfitAttribution,
    Side,
    Trade,
    TradeOrder,
    TradesQuestion,
)
from backtests.performance.tables import attribute, list_round_trips
from toolbox.admin_pages.charts import GREEN, Series, columns
from toolbox.admin_pages.panels import Figures, Panel
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

TRADES_A_PAGE, MAX_TEXT, MAX_COLUMNS, MAX_PAGE_INDEX = 50, 200, 24, 1_000_000
_NAMES = ("symbol", "side", "outcome", "sort", "order", "page")
_NUMBERS = ("Quantity", "Entry price", "Exit price", "Net profit", "MFE", "MAE", "Held")
BY_NAMES = {
    "symbol": "Symbol", "side": "Side", "entryHour": "Hour of entry", "entryWeekday": "Weekday of entry",
    "entryMonth": "Month of entry", "holdingTime": "Holding time", "exitReason": "Exit reason",
}  # fmt: skip
COLUMNS: tuple[tuple[str, TradeOrder | None], ...] = (
    ("Entry (UTC)", "entryTime"), ("Symbol", None), ("Side", None), ("Quantity", None), ("Entry price", None),
    ("Exit (UTC)", "exitTime"), ("Exit price", None), ("Net profit", "netProfit"), ("MFE", "maxFavorable"),
    ("MAE", "maxAdverse"), ("Held", "holdingSeconds"), ("Exit reason", None),
)  # fmt: skip
"""Columns of the table of round trips, with their sort keys."""


@require_scope(scope=SCOPE)
def trades(request: HttpRequest, *, run_id: UUID) -> HttpResponse:
    """List a run's round trips, sorted and filtered by the URL."""
    run = find_run(run_id)
    asked = read_trades_question(request, run_id=run_id)
    try:
        found = event_loop.run(list_round_trips(asked, reader=reader))
    except ToolError as error:
        refused = {"run": run, "tabs": list_run_tabs(run_id, current="trades"), "refusal": build_refusal_context(error)}
        return render(request, "backtests/trades.html", refused)
    address = _query_writer(request)
    metadata = found.metadata
    first = asked.page_index * asked.page_size
    last = first + metadata.returned_count
    context = {
        "run": run, "tabs": list_run_tabs(run_id, current="trades"), "asked": asked,
        "symbols": run["symbols"][:MAX_TEXT], "sides": get_args(Side), "outcomes": get_args(Outcome),
        "orders": get_args(TradeOrder), "columns": [_make_column(name, key, asked=asked, address=address)
                                                    for name, key in COLUMNS],
        "rows": [_make_trade_row(one, run_id=run_id) for one in found.trades],
        "shown": f"{first + 1:,} to {last:,} of {metadata.total_count:,}" if found.trades
                 else f"none of {metadata.total_count:,}",
        "earlier": address(page=asked.page_index - 1) if asked.page_index else "",
        "later": address(page=asked.page_index + 1) if metadata.has_more else "",
        "exported": address(page=None), "kinds": list_export_kinds(),
    }  # fmt: skip
    return render(request, "backtests/trades.html", context)


def read_trades_question(request: HttpRequest, *, run_id: UUID, page_size: int = TRADES_A_PAGE) -> TradesQuestion:
    """Parse filters and order from the URL; ignore invalid choices."""
    given = {name: request.GET.get(name, "").replace("\x00", "")[:MAX_TEXT] for name in _NAMES}
    sort = given["sort"] if given["sort"] in get_args(TradeOrder) else "entryTime"
    return TradesQuestion.model_validate({
        "run_id": run_id, "security_symbol": given["symbol"] or None,
        "side": given["side"] if given["side"] in get_args(Side) else None,
        "outcome": given["outcome"] if given["outcome"] in get_args(Outcome) else None, "sort_by": sort,
        "descending": given["order"] == "desc", "page_size": page_size,
        "page_index": min(page_index(given["page"]), MAX_PAGE_INDEX),
    })  # fmt: skip


def _query_writer(request: HttpRequest) -> Callable[..., str]:
    """Return a function that builds the page's query string with some parameters replaced."""
    given = {name: request.GET[name] for name in _NAMES if request.GET.get(name) and name != "page"}

    def write(**changes: Any) -> str:
        return urlencode({name: value for name, value in (given | changes).items() if value not in (None, "", 0)})

    return write


def _make_column(name: str, key: str | None, *, asked: TradesQuestion, address: Callable[..., str]) -> dict[str, Any]:
    """Build a column heading; the link of the current sort column reverses the order."""
    is_sorted = key == asked.sort_by
    sort = "descending" if asked.descending else "ascending"
    turned = is_sorted and not asked.descending
    return {
        "name": name, "sort": sort if is_sorted else "", "is_number": name in _NUMBERS,
        "address": address(sort=key, order="desc" if turned else None) if key else "",
    }  # fmt: skip


def _make_trade_row(trade: Trade, *, run_id: UUID) -> dict[str, Any]:
    end = trade.exit_time
    cells = [
        (trade.security_symbol, False), (trade.side, False), (plain(trade.quantity), True),
        (plain(trade.entry_price), True), (f"{end:%Y-%m-%d %H:%M}" if end else "not closed", False),
        (plain(trade.exit_price), True), (write_signed(trade.net_profit), True), (plain(trade.max_favorable), True),
        (plain(trade.max_adverse), True), (_format_duration(trade.holding_seconds), True),
        (trade.exit_reason or "", False),
    ]  # fmt: skip
    return {
        "entry": f"{trade.entry_time:%Y-%m-%d %H:%M}", "cells": cells,
        "address": reverse("backtests:event", args=[run_id, trade.entry_event_id]),
    }  # fmt: skip


def _format_duration(seconds: Decimal) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} s"


@require_scope(scope=SCOPE)
def attribution(request: HttpRequest, *, run_id: UUID) -> HttpResponse:
    """Show a run's profit by group of round trips."""
    run = find_run(run_id)
    by = request.GET.get("by", "")
    chosen = by if by in get_args(Attribution) else "symbol"
    currency = request.GET.get("currency", "").replace("\x00", "")[:20] or None
    asked = AttributionQuestion.model_validate({"run_id": run_id, "by": chosen, "currency": currency})
    context: dict[str, Any] = {"run": run, "tabs": list_run_tabs(run_id, current="attribution")}
    try:
        found = event_loop.run(attribute(asked, reader=reader))
    except ToolError as error:
        return render(request, "backtests/attribution.html", context | {"refusal": build_refusal_context(error)})
    money = {"currency": currency} if currency else {}
    choices = [(name, urlencode({"by": key} | money), key == chosen) for key, name in BY_NAMES.items()]
    context |= {
        "choices": choices,
        "by": BY_NAMES[chosen],
        "panel": _draw_attribution_panel(found, name=BY_NAMES[chosen]),
    }
    metadata = found.metadata
    figures = _make_attribution_figures(found, name=BY_NAMES[chosen])
    context |= {"others": metadata.other_groups, "metadata": metadata, "figures": figures}
    return render(request, "backtests/attribution.html", context)


def _make_attribution_figures(found: ProfitAttribution, *, name: str) -> Figures:
    rows = [
        [one.group, f"{one.trades:,}", f"{one.won:,}", write_signed(one.net_profit), plain(one.commission),
         write_signed(one.average_net_profit)]
        for one in found.groups
    ]  # fmt: skip
    head = [name, "Round trips", "Won", "Net profit", "Commission", "Average net profit"]
    return Figures(title=f"Net profit by {name.lower()}", head=head, rows=rows)


def _draw_attribution_panel(found: ProfitAttribution, *, name: str) -> Panel:
    metadata = found.metadata
    drawn = found.groups[:MAX_COLUMNS]
    series = [Series(name="Net profit", values=[float(one.net_profit) for one in drawn], color=GREEN)]
    shown = (
        f" The first {len(drawn)} of {len(found.groups)} groups are drawn." if len(drawn) < len(found.groups) else ""
    )
    return Panel(
        title=f"Net profit by {name.lower()}",
        drawing=columns(series, labels=[one.group for one in drawn], title=f"Net profit by {name.lower()}"),
        note=f"{metadata.total_trades:,} round trips, net profit {write_signed(metadata.total_net_profit)} "
             f"{metadata.currency}".strip() + f".{shown}",
        nothing="Nothing to draw: the run has no round trip.",
    )  # fmt: skip
