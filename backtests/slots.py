"""Slots of questions about backtests: runs, securities, months, days. Rows are cached for a minute."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from backtests.runs import queries
from toolbox.contract.slots import Candidate, Slot
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader
from toolbox.text.calendar_words import days, months
from toolbox.text.names import NamedEntity, mentions

MEMORY_SECONDS = 60.0
MAX_RUNS, MAX_MONTHS = 200, 1_200
_runs: TtlCache[list[dict[str, Any]]] = TtlCache(seconds=MEMORY_SECONDS)
_LATEST = ("latest run", "last run", "newest run", "most recent run", "latest backtest", "last backtest")


async def _known_runs() -> list[dict[str, Any]]:
    """Return the newest runs as named entities, newest first."""
    return await _runs.get("all", _fetch_runs)


async def _fetch_runs() -> list[dict[str, Any]]:
    page = await queries.runs(symbol=None, window=queries.Window(skip=0, take=MAX_RUNS, budget=0), reader=reader)
    return [row for row in page if row["run_id"]]


async def _find_runs(text: str) -> Sequence[Candidate]:
    known = await _known_runs()
    return mentions(text, names=[_name_run(row, is_latest=not at) for at, row in enumerate(known)])


def _name_run(row: dict[str, Any], *, is_latest: bool) -> NamedEntity:
    """Collect a run's names: its id, its name, and the part of the name before a comma or a preposition."""
    run_id, name = str(row["run_id"]), row["name"]
    short = name.partition(",")[0].partition(" on ")[0]
    spellings = (run_id, run_id[:8], name, short, *(_LATEST if is_latest else ()))
    return NamedEntity(value=run_id, label=name or f"run {run_id[:8]}", spellings=tuple(filter(None, spellings)))


async def _latest_run() -> Candidate | None:
    known = await _known_runs()
    if not known:
        return None
    named = _name_run(known[0], is_latest=True)
    return Candidate(value=named.value, label=named.label)


async def _find_securities(text: str) -> Sequence[Candidate]:
    symbols = dict.fromkeys(symbol for row in await _known_runs() for symbol in row["symbols"])
    names = [NamedEntity(value=one, label=one, spellings=(one, one.partition(".")[0])) for one in symbols]
    return mentions(text, names=names)


async def _known_months() -> list[date]:
    """Return the first day of every month that a run covers."""
    covered: set[date] = set()
    for row in await _known_runs():
        first, last = row["started_at"], row["ended_at"]
        if first and last:
            begins, ends = (moment.year * 12 + moment.month - 1 for moment in (first, last))
            numbers = range(begins, min(ends, begins + MAX_MONTHS) + 1)
            covered.update(date(number // 12, number % 12 + 1, 1) for number in numbers)
    return sorted(covered, reverse=True)


async def _find_months(text: str) -> Sequence[Candidate]:
    return months(text, known=await _known_months())


async def _find_days(text: str) -> Sequence[Candidate]:
    return days(text, known=await _known_months())


async def _run_samples() -> list[str]:
    return [_name_run(row, is_latest=False).spellings[-1] for row in await _known_runs() if row["name"]][:1]


async def _security_samples() -> list[str]:
    known = await _known_runs()
    return [symbol.partition(".")[0] for symbol in known[0]["symbols"]] if known else []


async def _month_samples() -> list[str]:
    known = sorted(await _known_months())
    return [f"{month:%B %Y}" for month in known[len(known) // 2 :]]


async def _day_samples() -> list[str]:
    known = sorted(await _known_months())
    return [f"{month:%B} 15 {month:%Y}" for month in known[len(known) // 2 :]]


SLOTS = (
    Slot(name="run", noun="run", resolve=_find_runs, samples=_run_samples, default=_latest_run),
    Slot(name="security", noun="security", resolve=_find_securities, samples=_security_samples),
    Slot(name="month", noun="month", resolve=_find_months, samples=_month_samples),
    Slot(name="date", noun="day", resolve=_find_days, samples=_day_samples),
)
