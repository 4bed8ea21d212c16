"""Measure the tools of backtests: the time of each question, and what its answer saves an agent from reading."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from benchmarks.backtests_log import Log
from benchmarks.backtests_peers import PAGE, Work
from benchmarks.latency import Latency
from toolbox.database import event_loop
from toolbox.database.pools import FetchedRows, Parameters, Pool, reader
from toolbox.dispatch.dispatch import Call, dispatch

WARM_UP = 2
ROUNDS = 8
MAX_CALLS = 200
DOMAIN = "backtests"
Asked = tuple[str, str, dict[str, Any]]
Name = tuple[int, str]
ALL = ["count", "sum", "avg", "min", "max", "stddev"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call of a tool."""

    name: str
    tool: str
    arguments: Mapping[str, Any]

    @property
    def body(self) -> bytes:
        """Return the arguments as JSON."""
        return json.dumps(self.arguments).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The durations of a question: in the database, as its answer says, and altogether."""

    database: Latency
    said: float
    whole: Latency
    answer_bytes: int


def questions(log: Log) -> dict[str, Question]:
    """Return the questions that every size of run is asked, by name."""
    given = [*_about_events(log), *_about_state(log)]
    return {name: Question(name=name, tool=tool, arguments=arguments) for name, tool, arguments in given}


def _about_events(log: Log) -> list[Asked]:
    run = str(log.run_id)
    trades = {"runId": run, "eventType": "TradeExecution"}
    quantity = trades | {"propertyPath": "$.Quantity", "aggregations": ALL}
    last = max(0, (log.events // 10 - 1) // PAGE)  # a little over a tenth are trades
    return [
        ("trades, first page", "get_events_by_type", trades | {"pageSize": PAGE}),
        ("trades, middle page", "get_events_by_type", trades | {"pageSize": PAGE, "pageIndex": last // 2}),
        ("trades, last page", "get_events_by_type", trades | {"pageSize": PAGE, "pageIndex": last}),
        ("trades in a range", "get_events_by_type", trades | _range(log, 0.31, 0.62) | {"pageSize": PAGE}),
        ("an order's events", "get_events_by_entity",
         {"runId": run, "entityType": "OrderId", "entityValue": log.order_id}),
        ("a symbol's events", "get_events_by_entity",
         {"runId": run, "entityType": "SecuritySymbol", "entityValue": "MSFT", "pageSize": PAGE}),
        ("a symbol's trades", "get_events_by_entity",
         {"runId": run, "entityType": "SecuritySymbol", "entityValue": "MSFT", "eventTypes": ["TradeExecution"]}),
        ("aggregate, whole run", "aggregate_metrics", quantity),
        ("aggregate, a range", "aggregate_metrics", quantity | _range(log, 0.137, 0.861)),
        ("aggregate, an hour", "aggregate_metrics", quantity | _range(log, 0.5, 0.5005)),
    ]  # fmt: skip


def _about_state(log: Log) -> list[Asked]:
    run = str(log.run_id)
    pattern = {"runId": run, "sequencePattern": ["StateChange", "TradeExecution", "PositionUpdate"], "pageSize": 20}
    return [
        ("state at the middle", "get_state_snapshot", {"runId": run, "timestamp": _iso(log.at(0.5))}),
        ("state of one symbol", "get_state_snapshot",
         {"runId": run, "timestamp": _iso(log.at(0.9)), "securitySymbol": "MSFT"}),
        ("one sequence", "query_event_sequence", {"runId": run, "rootEventId": log.root_event_id}),
        ("sequences by pattern", "query_event_sequence", pattern),
        ("incomplete sequences", "query_event_sequence", pattern | {"findIncomplete": True}),
        ("validation errors", "get_validation_errors", {"runId": run, "pageSize": PAGE}),
        ("runs", "list_backtest_runs", {}),
        ("state delta", "get_state_delta",
         {"runId": run, "fromTimestamp": _iso(log.at(0.25)), "toTimestamp": _iso(log.at(0.75))}),
    ]  # fmt: skip


def measure(logs: Mapping[int, Log], *, key: str, seconds: float) -> dict[int, dict[str, Taken]]:
    """
    Measure every question on every run, by size and name: one caller, in this process, limited seconds each.

    The questions alternate in rounds, so that other load on the machine affects all alike.
    """
    asked = {(size, name): question for size, log in logs.items() for name, question in questions(log).items()}
    taken = event_loop.run(_measured(asked, key=key, seconds=seconds))
    return {size: {name: one for (of, name), one in taken.items() if of == size} for size in logs}


def timed(work: Work, *, seconds: float = 2.0) -> float:
    """Return the median milliseconds of a peer's work, within so many seconds but at least three times."""
    work()
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while len(taken) < 3 or (time.perf_counter() < until and len(taken) < MAX_CALLS):  # noqa: PLR2004
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return median(taken)


def savings(log: Log, *, key: str) -> list[tuple[str, int, int]]:
    """
    Ask ten typical questions; returns each with the bytes of its answer and of the JSONL that an agent would have read.

    Without a tool an agent reads, at best, the lines of the event types that the question is about, found by grep.
    """
    lines = _bytes_by_type(log)
    asked = questions(log)
    return event_loop.run(_saved(asked, lines, key=key))


_READ = {
    "aggregate, whole run": ("TradeExecution",),
    "aggregate, a range": ("TradeExecution",),
    "state at the middle": ("PositionUpdate", "IndicatorCalculation", "StateChange"),
    "state of one symbol": ("PositionUpdate", "IndicatorCalculation", "StateChange"),
    "an order's events": ("StateChange", "TradeExecution", "OrderRejection"),
    "one sequence": ("StateChange", "TradeExecution", "PositionUpdate"),
    "incomplete sequences": ("StateChange", "TradeExecution", "PositionUpdate"),
    "trades in a range": ("TradeExecution",),
    "validation errors": ("TradeExecution",),
    "state delta": ("PositionUpdate", "IndicatorCalculation", "StateChange"),
}
"""Ten questions, and the types of event that an agent without tools would read for each."""


async def _saved(asked: Mapping[str, Question], lines: Mapping[str, int], *, key: str) -> list[tuple[str, int, int]]:
    found = []
    for name, types in _READ.items():
        reply = await _ask(asked[name], key=key)
        found.append((name, len(reply), sum(lines[kind] for kind in types)))
    return found


def measured(asked: Sequence[Question], *, key: str, seconds: float) -> dict[str, Taken]:
    """Measure each question, limited seconds each; by name."""
    taken = event_loop.run(_measured({(0, question.name): question for question in asked}, key=key, seconds=seconds))
    return {name: one for (_, name), one in taken.items()}


async def _measured(asked: Mapping[Name, Question], *, key: str, seconds: float) -> dict[Name, Taken]:
    series = {name: _Series() for name in asked}
    watch = _Watch()
    with watch:
        for _ in range(ROUNDS):
            for name, question in asked.items():
                await _one(question, series[name], key=key, seconds=seconds / ROUNDS, watch=watch)
    return {name: one.taken() for name, one in series.items()}


async def _one(question: Question, series: "_Series", *, key: str, seconds: float, watch: "_Watch") -> None:
    for _ in range(WARM_UP):
        await _ask(question, key=key)
    until = time.perf_counter() + seconds
    for _ in range(MAX_CALLS // ROUNDS):
        if time.perf_counter() > until:
            break
        watch.seconds = 0.0
        started = time.perf_counter()
        body = await _ask(question, key=key)
        series.add(body, whole=time.perf_counter() - started, database=watch.seconds)


async def _ask(question: Question, *, key: str) -> bytes:
    call = Call(
        tool=question.tool, domain=DOMAIN, arguments=question.body, credential=key, transport="benchmark",
        request_id="b",
    )  # fmt: skip
    reply = await dispatch(call)
    if reply.is_refusal:
        raise RuntimeError(f"{question.name}: {reply.body[:300]!r}")
    return reply.body


class _Series:
    """Durations of one question."""

    def __init__(self) -> None:
        self._whole: list[float] = []
        self._database: list[float] = []
        self._said: list[int] = []
        self._bytes = 0

    def add(self, body: bytes, *, whole: float, database: float) -> None:
        """Record one answer."""
        self._whole.append(whole)
        self._database.append(database)
        self._said.append(json.loads(body)["metadata"]["queryTimeMs"])
        self._bytes = len(body)

    def taken(self) -> Taken:
        """Summarise."""
        database, whole = Latency.of(self._database), Latency.of(self._whole)
        return Taken(database=database, said=median(self._said), whole=whole, answer_bytes=self._bytes)


class _Watch:
    """Adds up the reader's query times while a question is answered."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        plain = Pool.fetch

        async def watched(pool: Pool, statement: str, parameters: Parameters = ()) -> FetchedRows:
            found = await plain(pool, statement, parameters)
            if pool is reader:
                self.seconds += found.milliseconds / 1000
            return found

        self._plain, Pool.fetch = plain, watched  # type: ignore[method-assign,assignment]

    def __exit__(self, *_: object) -> None:
        Pool.fetch = self._plain  # type: ignore[method-assign]


def _bytes_by_type(log: Log) -> dict[str, int]:
    found: dict[str, int] = {}
    with log.path.open("rb") as lines:
        for line in lines:
            kind = line.split(b'"EventType":"', 1)[1].split(b'"', 1)[0].decode()
            found[kind] = found.get(kind, 0) + len(line)
    return found


def _range(log: Log, first: float, last: float) -> dict[str, str]:
    return {"startTime": _iso(log.at(first)), "endTime": _iso(log.at(last))}


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
