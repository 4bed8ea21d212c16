"""Tables of the strategy's state at a moment. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from backtests.runs.rendering import text_of
from backtests.runs.state import Moment
from toolbox.admin_pages.panels import Figures

MAX_ROWS = 200
_POSITION = {
    "Quantity": "Quantity", "AveragePrice": "Average price", "UnrealizedPnL": "Unrealized", "RealizedPnL": "Realized",
}  # fmt: skip
_ORDER = {"SecuritySymbol": "Symbol", "Direction": "Direction", "Quantity": "Quantity", "Price": "Price"}
_INDICATOR = {"Value": "Value", "Parameters": "Parameters"}


def build_state_tables(moment: Moment) -> list[Figures]:
    """Build tables of positions, open orders and indicators, at most 200 rows each."""
    positions = [[symbol, *_read_members(said, names=_POSITION)] for symbol, said in sorted(moment.positions.items())]
    orders = [[order_id, *_read_members(said, names=_ORDER)] for order_id, said in moment.orders.items()]
    named = sorted(moment.indicators.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    indicators = [[name, symbol or "", *_read_members(said, names=_INDICATOR)] for (name, symbol), said in named]
    return [
        _make_figures("Positions", head=["Symbol", *_POSITION.values()], rows=positions),
        _make_figures("Open orders", head=["Order", *_ORDER.values()], rows=orders),
        _make_figures("Indicators", head=["Indicator", "Symbol", *_INDICATOR.values()], rows=indicators),
    ]


def profit(moment: Moment) -> list[tuple[str, str]]:
    """Format profit and loss."""
    return [(name.capitalize(), f"{value:,.2f}") for name, value in moment.amounts().items()]


def _read_members(said: Mapping[str, bytes], *, names: Iterable[str]) -> list[str]:
    return [text_of(said.get(name)) or "" for name in names]


def _make_figures(title: str, *, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Figures:
    name = f"{title} ({len(rows):,})" if len(rows) <= MAX_ROWS else f"{title} (the first {MAX_ROWS} of {len(rows):,})"
    return Figures(title=name, head=head, rows=rows[:MAX_ROWS])
