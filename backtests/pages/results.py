"""A run's results on its page: equity and drawdown, price with executions, measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from backtests.moments import DAY
from backtests.overview import queries as overview
from backtests.overview.drawings import Curve, Fill, Point, draw_equity, draw_price
from backtests.pages.number_text import percent, plain
from backtests.performance.contracts import Summary, SummaryQuestion
from backtests.performance.curves import RunCurve, read_curve
from backtests.performance.measures import fall, to_date
from backtests.performance.read_lists import decode_properties, read_close, read_number
from backtests.performance.summary import summarize_curve
from backtests.store.lists import entity_lists
from toolbox.admin_pages.panels import Figures, Panel
from toolbox.contract.errors import ToolError
from toolbox.database.pools import reader

Row = dict[str, Any]
MAX_FILLS, MAX_DAYS_SHOWN = 500, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The tools' answers about a run, or their `refusal`."""

    curve: RunCurve | None = None
    summary: Summary | None = None
    refusal: ToolError | None = None


async def read_results(run_id: UUID, *, currency: str | None) -> Results:
    """Read a run's profit by day and its measures."""
    try:
        curve = await read_curve(run_id, currency=currency, capital=None, reader=reader)
        query = SummaryQuestion(run_id=run_id, currency=currency)
        summary = await summarize_curve(curve, ask=query, reader=reader)
    except ToolError as error:
        return Results(refusal=error)
    return Results(curve=curve, summary=summary)


def build_results_context(results: Results, *, run: Row, symbol: str, at: int | None) -> dict[str, Any]:
    """Build the template's context: drawings first, then measures."""
    shown: dict[str, Any] = {"refusal": build_refusal_context(results.refusal)}
    if results.curve is not None and results.summary is not None:
        shown |= {"equity": draw_equity_panel(results.curve, at=at), "measures": list_measures(results.summary)}
        shown |= {"undefined": group_reasons(results.summary.undefined), "notes": results.summary.metadata.notes}
    chosen = symbol or next(iter(run["symbols"]), "")
    if chosen:
        shown["price"] = draw_price_panel(run["run_id"], symbol=chosen, at=at)
    return shown


def build_refusal_context(error: ToolError | None) -> dict[str, Any] | None:
    """Build the context of a refusal, with the currencies to choose from if the tool needs one."""
    if error is None:
        return None
    currencies = [(one, urlencode({"currency": one})) for one in error.details.get("currencies", ())]
    return {"message": error.message, "suggestion": error.suggestion, "currencies": currencies}


def draw_equity_panel(curve: RunCurve, *, at: int | None) -> Panel:
    """Draw equity at the end of each day with its drawdown, or profit if the capital is unknown."""
    equity, returns = curve.equity(), curve.returns()
    values = curve.profits if equity is None else equity
    name = "Profit" if equity is None else "Equity"
    moments = [(int(day) + 1) * DAY - 1 for day in curve.days]
    points = [Point(moment, float(value)) for moment, value in zip(moments, values, strict=True)]
    fallen = (
        None if returns is None else [Point(at, float(one)) for at, one in zip(moments, fall(returns), strict=True)]
    )
    money = f", {curve.currency}" if curve.currency else ""
    step = max(-(-len(points) // MAX_DAYS_SHOWN), 1)
    places = sorted({*range(0, len(points), step), len(points) - 1}) if points else []
    rows = [
        [str(to_date(curve.days[place])), plain(points[place].value), percent(fallen[place].value) if fallen else ""]
        for place in places
    ]
    title = f"{name}, and drawdown from its highest" if fallen else f"{name}, and drawdown in money"
    return Panel(
        title=title, drawing=draw_equity(Curve(name=f"{name}{money}", points=points), fallen=fallen, at=at),
        note=f"At the end of each of {len(points):,} days with events (UTC), as performance_summary measures it.",
        tables=[Figures(title=title, head=["Day", f"{name}{money}", "Drawdown"], rows=rows)],
        nothing="Nothing to draw: the run has events on fewer than two days.",
    )  # fmt: skip


def draw_price_panel(run_id: UUID, *, symbol: str, at: int | None) -> Panel:
    """Draw a security's price with its executions."""
    [market] = entity_lists("SecuritySymbol", value=symbol, event_types=["MarketDataEvent"])
    [traded] = entity_lists("SecuritySymbol", value=symbol, event_types=["TradeExecution"])
    logged, logged_count = overview.sample_properties(run_id, name=market, most=overview.MAX_POINTS)
    executed, executed_count = overview.sample_properties(run_id, name=traded, most=MAX_FILLS)
    points = [Point(moment, price) for moment, text in logged if (price := read_close(text)) is not None]
    fills = [fill for moment, text in executed if (fill := _read_fill(text, moment=moment)) is not None]
    prices = _format_count(len(points), total=logged_count)
    note = f"{prices} prices, {_format_count(len(fills), total=executed_count)} executions."
    rows = [[f"{fill.time_text}", fill.side, plain(fill.quantity), plain(fill.price)] for fill in fills]
    return Panel(
        title=f"Price of {symbol}, and executions", drawing=draw_price(points, fills=fills, at=at),
        note=f"{note} A triangle up is a buy, one down is a sell.",
        tables=[Figures(title=f"Executions of {symbol}", head=["When (UTC)", "Side", "Quantity", "Price"], rows=rows)],
        nothing=f"Nothing to draw: the run has no price and no execution of {symbol}.",
    )  # fmt: skip


def _read_fill(text: str, *, moment: int) -> Fill | None:
    values = decode_properties(text)
    price, quantity = read_number(values.get("Price")), read_number(values.get("Quantity"))
    if price is None or values.get("Direction") not in ("Buy", "Sell"):
        return None
    return Fill(moment=moment, price=float(price), quantity=float(quantity or 0), side=values["Direction"])


def _format_count(count: int, *, total: int) -> str:
    return f"{count:,}" if count == total else f"{count:,} of {total:,}"


def list_measures(summary: Summary) -> list[tuple[str, str]]:
    """List the most important measures, with a dash for an undefined one."""
    returns, trades, exposure = summary.returns, summary.trades, summary.exposure
    return [
        ("Net profit", plain(summary.metadata.total_profit)), ("Return", percent(returns.total_return)),
        ("CAGR", percent(returns.cagr)), ("Volatility a year", percent(returns.volatility)),
        ("Sharpe", plain(returns.sharpe)), ("Sortino", plain(returns.sortino)), ("Calmar", plain(returns.calmar)),
        ("Deepest drawdown", percent(returns.max_drawdown)), ("Round trips", f"{trades.closed:,}"),
        ("Not closed", f"{trades.open:,}"), ("Win rate", percent(trades.win_rate)),
        ("Profit factor", plain(trades.profit_factor)), ("Expectancy", plain(trades.expectancy)),
        ("Time in market", percent(exposure.time_in_market)), ("Turnover a year", plain(exposure.turnover)),
    ]  # fmt: skip


def group_reasons(undefined: Mapping[str, str]) -> list[tuple[str, str]]:
    """Group undefined measures by the reason."""
    names: dict[str, list[str]] = {}
    for name, reason in undefined.items():
        names.setdefault(reason, []).append(name)
    return [(reason, ", ".join(found)) for reason, found in names.items()]
