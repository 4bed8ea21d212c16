"""Charts of one run, for the admin and its page, or of up to four runs compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from backtests.overview import queries as overview
from backtests.overview.drawings import STYLES, Curve, Point, curves, sample
from backtests.overview.queries import CountSample
from toolbox.admin_pages.charts import GREEN, MAX_BARS, RED, Series, bars
from toolbox.admin_pages.panels import Figures, Panel

MAX_COUNTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The data of one run's charts; `name` distinguishes it from the other runs."""

    name: str
    points: list[Point]
    point_count: int
    trades: CountSample
    rejections: CountSample
    errors: CountSample

    @property
    def curve(self) -> Curve:
        """Return its profit over time."""
        return Curve(name=self.name, points=self.points)

    @property
    def profit(self) -> str:
        """Format the results."""
        return f"{self.points[-1].value:,.2f}" if self.points else ""

    @property
    def drawdown(self) -> str:
        """Format the deepest drawdown at the known points."""
        return f"{min(point.value for point in self.curve.drawdown().points):,.2f}" if self.points else ""


def measure_run(run_id: UUID, *, symbols: Iterable[str], name: str = "") -> RunFigures:
    """Fetch the data of a run's charts: a bounded number of rows and statements, whatever the run's size."""
    points, count = overview.profit(run_id)
    return RunFigures(
        name=name, points=points, point_count=count, trades=overview.trades_by_symbol(run_id, symbols=symbols),
        rejections=overview.rejections_by_reason(run_id), errors=overview.errors_by_field(run_id),
    )  # fmt: skip


def draw_panels(runs: Sequence[RunFigures], *, at: int | None = None, is_counted: bool = False) -> list[Panel]:
    """Draw the panels of the runs; `is_counted` aligns their starts."""
    return [
        draw_profit_panel(runs, at=at, is_counted=is_counted),
        _counts("Trades by symbol", [(run.name, run.trades) for run in runs], color=GREEN, what="Symbol"),
        _counts("Rejections by reason", [(run.name, run.rejections) for run in runs], color=RED, what="Reason"),
        _counts("Validation errors by field", [(run.name, run.errors) for run in runs], color=RED, what="Field"),
    ]


def draw_profit_panel(runs: Sequence[RunFigures], *, at: int | None = None, is_counted: bool = False) -> Panel:
    """Draw profit, and drawdown from its running maximum."""
    drawn = [run.curve.from_start() if is_counted else run.curve for run in runs]
    head = [f"{run.name} {word}".strip().capitalize() for run in runs for word in ("profit", "drawdown")]
    when = "Since the start" if is_counted else "When (UTC)"
    return Panel(
        title="Profit, and drawdown from its highest", drawing=curves(drawn, at=at, is_counted=is_counted),
        note=_join_notes({run.name: _describe_points(run) for run in runs}),
        tables=[Figures(title="Profit and drawdown", head=[when, *head], rows=sample(drawn, is_counted=is_counted))],
    )  # fmt: skip


def _counts(title: str, counted: Sequence[tuple[str, CountSample]], *, color: str, what: str) -> Panel:
    by_run = [dict(one.counts) for _, one in counted]
    labels = sorted({label for one in by_run for label in one}, key=lambda label: (-_sum(by_run, label=label), label))
    series = [
        Series(name=name, values=[one.get(label, 0) for label in labels], color=style if len(by_run) > 1 else color)
        for (name, _), one, (style, _) in zip(counted, by_run, STYLES, strict=False)
    ]
    more = f"; {MAX_BARS} of {len(labels):,} shown" if len(labels) > MAX_BARS else ""
    names = [name or "Count" for name, _ in counted]
    rows = [[label, *(one.get(label, 0) for one in by_run)] for label in labels[:MAX_COUNTED]]
    return Panel(
        title=title, drawing=bars(series, labels=labels, title=title),
        note=_join_notes({name: _note(one) for name, one in counted}) + more,
        tables=[Figures(title=title, head=[what, *names], rows=rows)],
    )  # fmt: skip


def _sum(by_run: Sequence[dict[str, int]], *, label: str) -> int:
    return sum(one.get(label, 0) for one in by_run)


def _note(counted: CountSample) -> str:
    if counted.looked_at < counted.total:
        return f"the latest {counted.looked_at:,} of {counted.total:,}"
    return f"{counted.total:,} in all"


def _describe_points(run: RunFigures) -> str:
    spread = f"{len(run.points):,} of {run.point_count:,} points, evenly spread"
    return spread if len(run.points) < run.point_count else f"{run.point_count:,} points"


def _join_notes(notes: dict[str, str]) -> str:
    return "; ".join(f"{name}: {note}" if name else note for name, note in notes.items())
