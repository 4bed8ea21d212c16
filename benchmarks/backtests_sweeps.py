"""
Measure how fast runs are ranked and compared: a sweep of 1,000 runs, and two runs that differ near their end.

The sweep's summaries cover 1,000 days each (a year of minute bars is a million events), written as the builder writes
them; the two runs are loaded.
"""

import json
import os
import time
from pathlib import Path
from statistics import median
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

import numpy as np
from django.core.management import call_command
from django.db import connection

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from backtests.performance.build import VERSION
from backtests.performance.days import find_returns
from backtests.performance.measures import find_moments, measure_returns
from benchmarks.backtests_log import write_log
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches
from toolbox.dispatch.dispatch import Call, dispatch

RUNS, DAYS, EVENTS, CALLS, MAX_MS, OK = 1_000, 1_000, 1_000_000, 30, 50.0, 200
SWEEP = "benchmark"
WHO = Caller(name="benchmark", scopes=frozenset({"*:read"}), key_id=None, calls_per_minute=None)
_WRITE = """
INSERT INTO backtests_performance (run_id, currency, is_main, version, event_count, source, capital, total_profit, days,
  profits, held, time_held, time_span, traded, executions_left_out, measures)
VALUES (%s, '', true, %s, %s, 'accounts', 100000, %s, %s, %s, %s, 0, 1, 0, 0, %s)
"""


def run_sweeps(*, pair_events: int, folder: Path) -> None:
    """Measure, and print Markdown."""
    call_command("migrate", verbosity=0)
    print(f"{os.cpu_count()} cores; load average {os.getloadavg()[0]:.1f} at the start.\n")
    _store_sweep()
    first, second = _load_pair(folder, events=pair_events)
    print(f"| question | median ms | p90 ms | CPU ms | target {MAX_MS:.0f} ms |\n|---|---|---|---|---|")
    what = f"rank_runs, {RUNS:,} runs of {DAYS:,} days"
    _measure(f"{what}, the first question", tool="rank_runs", arguments={"sweep": SWEEP}, is_first=True)
    _measure(what, tool="rank_runs", arguments={"sweep": SWEEP})
    _measure(
        "rank_runs, page 50", tool="rank_runs", arguments={"sweep": SWEEP, "metric": "calmar", "pageIndex": 49},
    )  # fmt: skip
    told = _measure(
        f"compare_runs, two of {pair_events:,} events that part near the end", tool="compare_runs",
        arguments={"firstRunId": str(first), "secondRunId": str(second)},
    )  # fmt: skip
    print(f"\nDecisions before the runs part: {told['metadata']['identicalDecisions']:,}.")
    event_loop.run(event_loop.close())  # write the audit log before the database is dropped


def _store_sweep() -> None:
    source = np.random.default_rng(18)
    days = np.arange(18_000, 18_000 + DAYS, dtype="<i4").tobytes()
    for place in range(RUNS):
        run_id = uuid5(NAMESPACE_URL, f"toolroom benchmark sweep {place}")
        parameters = {"InitialCapital": 100_000, "fast": place % 32, "slow": place // 32}
        Run.objects.create(run_id=run_id, name=f"run {place}", sweep=SWEEP, event_count=EVENTS, parameters=parameters)
        profits = np.cumsum(source.normal(10, 500, DAYS))
        returns = find_returns(profits, capital=100_000.0)
        measures: dict[str, Any] = {"tradeCount": 100.0}
        if returns is not None:
            measures |= measure_returns(returns).values
            measures |= dict(zip(("skewness", "kurtosis"), find_moments(returns) or (None, None), strict=True))
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, [
                run_id, VERSION, EVENTS, float(profits[-1]), days, profits.astype("<f8").tobytes(),
                np.zeros(DAYS).astype("<f8").tobytes(), json.dumps(measures),
            ])  # fmt: skip


def _load_pair(folder: Path, *, events: int) -> tuple[UUID, UUID]:
    """Load a run, and a copy with another price in one of its last executions."""
    log = write_log(folder, events=events)
    lines = log.path.read_bytes().splitlines(keepends=True)
    other = uuid4()
    copied = [line.replace(str(log.run_id).encode(), str(other).encode()) for line in lines]
    place = next(at for at in range(len(lines) * 19 // 20, len(lines)) if b'"TradeExecution"' in lines[at])
    copied[place] = copied[place].replace(b'"Price":', b'"Price":1')
    for each in (lines, copied):
        load_lines(each, run_id=None, report=LoadReport())
    return log.run_id, other


def _measure(what: str, *, tool: str, arguments: dict[str, Any], is_first: bool = False) -> Any:
    """Call the tool through the one entry and print a row; `is_first` empties the caches before each call."""
    call = Call(
        tool=tool, arguments=json.dumps(arguments).encode(), credential=WHO, transport="rest", request_id="b" * 12
    )
    body = event_loop.run(dispatch(call)).body
    taken, spent = [], []
    for _ in range(CALLS):
        if is_first:
            clear_all_caches()
        began, spent_before = time.perf_counter(), time.process_time()
        reply = event_loop.run(dispatch(call))
        taken.append((time.perf_counter() - began) * 1000)
        spent.append((time.process_time() - spent_before) * 1000)
        assert reply.status == OK, reply.body
    middle = median(taken)
    verdict = "met" if middle <= MAX_MS else "MISSED"
    print(
        f"| {what} | {middle:.1f} | {sorted(taken)[int(CALLS * 0.9)]:.1f} | {median(spent):.1f} | {verdict} |",
        flush=True,
    )
    return json.loads(body)
