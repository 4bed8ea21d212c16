"""Table of the facts of runs, side by side. Pure."""

from collections.abc import Sequence
from typing import Any

from backtests.overview.charts import RunFigures
from backtests.runs.queries import Row
from toolbox.admin_pages.panels import Figures

MAX_SYMBOLS, HASH_LETTERS = 8, 12
_NAMES = (
    "Profit", "Deepest drawdown", "From (UTC)", "To (UTC)", "Engine", "Configuration", "Events",
    "With validation errors", "Lines quarantined", "Symbols", "Stored (UTC)",
)  # fmt: skip


def compare_facts(runs: Sequence[Row], *, measured: Sequence[RunFigures]) -> Figures:
    """Build a row per fact with a column per run; a configuration is shown by the start of its hash."""
    columns = [_make_column(run, figures=one) for run, one in zip(runs, measured, strict=True)]
    rows = [[name, *(column[place] for column in columns)] for place, name in enumerate(_NAMES)]
    return Figures(title="Facts", head=["", *(one.name for one in measured)], rows=rows)


def format_day(moment: Any) -> str:
    """Format a moment to the minute."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def _make_column(run: Row, *, figures: RunFigures) -> list[str]:
    symbols, more = run["symbols"][:MAX_SYMBOLS], len(run["symbols"]) - MAX_SYMBOLS
    return [
        figures.profit, figures.drawdown, format_day(run["started_at"]), format_day(run["ended_at"]), run["engine"],
        run["config_hash"][:HASH_LETTERS], f"{run['event_count']:,}", f"{run['malformed_count']:,}",
        f"{run['quarantined_count']:,}", ", ".join(symbols) + (f" and {more} more" if more > 0 else ""),
        format_day(run["stored_at"]),
    ]  # fmt: skip
