"""Table of the facts of runs, side by side. Pure."""

from collections.abc import Sequence
from typing import Any

from backtests.charts import RunFigures
from backtests.queries import Row
from toolbox.admin_pages.panels import Figures

MAX_SYMBOLS, HASH_LETTERS = 8, 12
_NAMES = (
    "Profit", "Deepest drawdown", "From (UTC)", "To (UTC)", "Engine", "Configuration", "Events",
    "With validation errors", "Lines quarantined", "Symbols", "Stored (UTC)",
)  # fmt: skip


def facts(runs: Sequence[Row], *, measured: Sequence[RunFigures]) -> Figures:
    """Build a row per fact with a column per run; a configuration is shown by the start of its hash."""
    columns = [_column(run, came_to=one) for run, one in zip(runs, measured, strict=True)]
    rows = [[name, *(column[place] for column in columns)] for place, name in enumerate(_NAMES)]
    return Figures(title="Facts", head=["", *(one.name for one in measured)], rows=rows)


def day(moment: Any) -> str:
    """Format a moment to the minute."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def _column(run: Row, *, came_to: RunFigures) -> list[str]:
    symbols, more = run["symbols"][:MAX_SYMBOLS], len(run["symbols"]) - MAX_SYMBOLS
    return [
        came_to.profit, came_to.drawdown, day(run["started_at"]), day(run["ended_at"]), run["engine"],
        run["config_hash"][:HASH_LETTERS], f"{run['event_count']:,}", f"{run['malformed_count']:,}",
        f"{run['quarantined_count']:,}", ", ".join(symbols) + (f" and {more} more" if more > 0 else ""),
        day(run["stored_at"]),
    ]  # fmt: skip
