"""Measure runs of unusual form: ten-step chains of different shapes, late events, many small runs."""

import os
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from uuid import uuid5

from benchmarks.backtests_asking import Question, measured
from benchmarks.backtests_loading import in_own_process
from benchmarks.backtests_log import NAMESPACE, write_log

ORDER = '"OrderId":"99999999-8888-7777-6666-555555555555","SecuritySymbol":"X"'
PROPERTIES = {
    "TradeExecution": f'{ORDER},"Direction":"Buy","Quantity":1,"Price":1.5,"Commission":1,"Slippage":0',
    "OrderRejection": f'{ORDER},"RejectionReason":"margin","RequestedQuantity":1,"RequestedPrice":1.5',
    "IndicatorCalculation": '"IndicatorName":"SMA","SecuritySymbol":"X","Value":1.5,"Parameters":{"Period":10}',
    "PositionUpdate": '"SecuritySymbol":"X","Quantity":1,"AveragePrice":1.5,"UnrealizedPnL":0.5,"RealizedPnL":1',
    "StateChange": '"StateType":"PnL","StateBefore":null,"StateAfter":{"Total":1,"Realized":1,"Unrealized":0},'
    '"ChangeReason":"filled"',
    "MarketDataEvent": '"SecuritySymbol":"X","DataType":"Candle","Data":{"Close":1.5}',
}
STEPS, PAGE = 10, 20
LATE_SHARE = 0.02
MAX_PAGE_MS, MAX_LATE_RATIO = 20.0, 1.5
RUNS, RUN_EVENTS, MAX_RUNS_SECONDS = 1_000, 1_000, 60.0
Goal = Callable[..., None]


def measure_forms(folder: Path, *, events: int, key: str, seconds: float, goal: Goal) -> None:
    """Measure each form at `events` events, and print Markdown."""
    print(f"\nUnusual forms, {events:,} events. Load average {os.getloadavg()[0]:.1f}.\n")
    _measure_shapes(folder, events=events, key=key, seconds=seconds, goal=goal)
    _measure_late(folder, events=events, goal=goal)
    _measure_small_runs(folder, share=min(1.0, events / 1_000_000), goal=goal)


def _measure_shapes(folder: Path, *, events: int, key: str, seconds: float, goal: Goal) -> None:
    run_id, path = uuid5(NAMESPACE, f"shapes {events}"), folder / "shapes.jsonl"
    with path.open("w", encoding="ascii") as file:
        file.writelines(_chains(str(run_id), count=events // STEPS))
    said = in_own_process(path, run_id=run_id)
    print(f"{events // STEPS:,} shapes loaded in {said['seconds']:.1f} s, {_cpu(said):.1f} s of CPU.\n")
    last = events // STEPS // PAGE - 1
    pattern = {"sequencePattern": ["MarketDataEvent", "OrderRejection", "MarketDataEvent"]}
    questions = [
        Question(name=f"{name}, {which} page", tool="query_event_sequence",
                 arguments={"runId": str(run_id), "pageSize": PAGE, "pageIndex": page} | given)
        for name, given, most in (("no pattern", {}, last), ("pattern", pattern, last // 2),
                                  ("incomplete", pattern | {"findIncomplete": True}, last // 10))
        for which, page in (("first", 0), ("last", most))
    ]  # fmt: skip
    print("| question | SQL ms | queryTimeMs | answer() p50 / p95 ms |\n|---|--:|--:|--:|")
    for name, taken in measured(questions, key=key, seconds=seconds).items():
        whole = f"{taken.whole.median:.1f} / {taken.whole.p95:.1f}"
        print(f"| {name} | {taken.database.median:.1f} | {taken.said:g} | {whole} |")
        goal(f"{name}: under {MAX_PAGE_MS:g} ms", f"{taken.said:g} ms", met=taken.said < MAX_PAGE_MS)


def _measure_late(folder: Path, *, events: int, goal: Goal) -> None:
    log = write_log(folder, events=events)
    lines = log.path.read_text().splitlines(keepends=True)
    source = random.Random(7)
    late = set(source.sample(range(len(lines)), int(len(lines) * LATE_SHARE)))
    path = folder / "late.jsonl"
    other = uuid5(NAMESPACE, f"late {events}")
    text = [line for place, line in enumerate(lines) if place not in late]
    for place in sorted(late, reverse=True):
        text.insert(source.randrange(min(place, len(text)), len(text) + 1), lines[place])
    path.write_text("".join(text).replace(str(log.run_id), str(other)))
    in_order, disordered = (in_own_process(file, run_id=run) for file, run in ((log.path, log.run_id), (path, other)))
    ratio = disordered["seconds"] / in_order["seconds"]
    cpu = f"CPU {_cpu(disordered):.1f} s to {_cpu(in_order):.1f} s"
    goal(
        f"{events:,} events, 2 % late: at most {MAX_LATE_RATIO}x as long as in order",
        f"{disordered['seconds']:.1f} s to {in_order['seconds']:.1f} s, {ratio:.2f}x; {cpu}",
        met=ratio <= MAX_LATE_RATIO,
    )


def _measure_small_runs(folder: Path, *, share: float, goal: Goal) -> None:
    log = write_log(folder, events=RUN_EVENTS)
    text, runs = log.path.read_text(), max(20, int(RUNS * share))
    path = folder / "many_runs.jsonl"
    with path.open("w", encoding="ascii") as file:
        for number in range(runs):
            file.write(text.replace(str(log.run_id), str(uuid5(NAMESPACE, f"small {number} of {runs}"))))
    started = time.perf_counter()
    said = in_own_process(path, run_id=None)
    seconds = (time.perf_counter() - started) * RUNS / runs
    goal(
        f"{RUNS:,} runs of {RUN_EVENTS:,} events in under {MAX_RUNS_SECONDS:g} s",
        f"{seconds:.1f} s ({runs:,} were loaded; {_cpu(said):.1f} s of CPU)",
        met=seconds < MAX_RUNS_SECONDS,
    )


def _cpu(said: dict[str, float]) -> float:
    """Return the CPU seconds of a load, its own and PostgreSQL's."""
    return said["cpu"] + said["database_cpu"]


def _chains(run_id: str, *, count: int) -> Iterator[str]:
    """Yield the lines of so many chains of ten steps, each with its own order of types."""
    source = random.Random(count)
    for place, types in enumerate(islice(product(PROPERTIES, repeat=STEPS), count)):
        mixed, parent = [*types[-7:], *types[:-7]], "null"
        for kind in mixed:
            bits = f"{source.getrandbits(128):032x}"
            event_id = f"{bits[:8]}-{bits[8:12]}-{bits[12:16]}-{bits[16:20]}-{bits[20:]}"
            yield (
                f'{{"EventId":"{event_id}","RunId":"{run_id}","Timestamp":"2025-01-02T{place // 3_600_000:02d}:'
                f'{place // 60_000 % 60:02d}:{place // 1000 % 60:02d}.{place % 1000:03d}Z","EventType":"{kind}",'
                f'"Severity":"Info","Category":"Execution","Properties":{{{PROPERTIES[kind]}}},'
                f'"ParentEventId":{parent}}}\n'
            )
            parent = f'"{event_id}"'
