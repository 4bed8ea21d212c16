"""Run the whole sprints benchmark and print its tables as Markdown."""

import os
import platform
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median, quantiles
from time import perf_counter, process_time

import psycopg
from django.core.management import call_command

from benchmarks.many_issues import AS_OF, fill
from benchmarks.scratch import Scratch
from sprints.asking.chat import chat
from sprints.linking.link import link
from sprints.linking.name_cache import load_name_index
from sprints.linking.names import NameIndex
from sprints.linking.periods import find_periods
from sprints.schema.reading import load_view_catalog
from sprints.sql_sandbox.analyst_pool import analyst
from sprints.sql_sandbox.execution import try_execute
from sprints.sql_sandbox.guard import check
from sprints.verified.library import Library, load_library
from sprints.verified.load import load_verified_queries
from sprints.verified.slots import fill as fill_slots
from toolbox.database import event_loop
from toolbox.database.pools import Connection, reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
DASHBOARD = (
    "velocity-by-sprint", "burndown", "carry-over-by-sprint", "cycle-time", "throughput", "wip-by-person",
    "ageing-work", "workload-by-person", "cycle-time-by-points", "blocked-issues", "priority-mix",
    "scope-change-by-sprint",
)  # fmt: skip
QUESTIONS = (
    "How many points does TEAM3 usually get through per sprint?",
    "Show the burndown of TEAM5's current sprint",
    "Which tickets rolled over from TEAM7's previous sprint?",
    "How long does it take TEAM2 to finish a ticket once work on it has started?",
    "How many bugs did TEAM4 resolve last month?",
    "What is TEAM1 working on right now?",
    "Who has the most issues in progress in TEAM6?",
    "Which open issues of TEAM8 have nobody on them?",
    "What's blocked at TEAM9 at the moment?",
    "How do TEAM3's open issues split by priority?",
    "What got added to TEAM2's sprint after it had started?",
    "tickets closed per month by TEAM5",
    "How many p0 tickets are still open in TEAM1?",
    "How many points did TEAM6 commit to versus complete last sprint?",
)
OF_PAST_DAYS = (
    "How many bugs of TEAM4 were open on 1 October?",
    "How many issues were open a month ago?",
    "Which team had the most open bugs at the end of October?",
    "How many stories of TEAM2 were in progress on 2 November?",
)
MISSPELT = (
    "What did Averry Hernandes finish in the last sprint of TEAM3?",
    "zoe mueller and hannah kowalcyzk, open issues",
    "What is Sofia Hernandez working on?",
)
MAX_GUARD_MS, MAX_LINK_MS, MAX_ADDED_MS, MAX_CHAT_MS, MAX_DASHBOARD_MS = 1.0, 5.0, 3.0, 50.0, 300.0
ROUNDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Milliseconds of a repeated action: elapsed, and this process's CPU time each."""

    times: Sequence[float]
    cpu: float

    @property
    def middle(self) -> float:
        """Return the median."""
        return median(self.times)

    @property
    def p95(self) -> float:
        """Return the 95th percentile."""
        return quantiles(self.times, n=20)[-1] if len(self.times) > 1 else self.times[0]


def run(scratch: Scratch, *, issues: int) -> None:
    """Measure, and print Markdown."""
    call_command("migrate", verbosity=0)
    print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}. ", end="")
    print(f"Load average {os.getloadavg()[0]:.1f} at the start.")
    started = perf_counter()
    with psycopg.connect(scratch.owner_url, autocommit=True) as connection:
        copied = fill(connection, issues=issues)
    load_verified_queries()
    print(f"{issues:,} issues, {copied:,} rows in all, in {perf_counter() - started:.0f} s.\n")
    event_loop.run(_measure())


async def _measure() -> None:
    started = perf_counter()
    index = await load_name_index(reader=reader)
    print(f"Names read and indexed in {(perf_counter() - started) * 1000:.0f} ms: {len(index.everything):,}.\n")
    held = await load_library(reader=reader)
    statements = _statements(held, index=index, said="TEAM3, last 60 days")
    print("| what | median ms | p95 ms | CPU ms |\n|---|--:|--:|--:|")
    await _guard(list(statements.values()))
    await _linking(index)
    await _executing({slug: statements[slug] for slug in DASHBOARD})
    await _chat()
    print("\n| dashboard | one team, ms | all teams, ms | rows |\n|---|--:|--:|--:|")
    await _dashboard(statements, every=_statements(held, index=index, said="last 60 days"))


async def _guard(statements: Sequence[str]) -> None:
    catalog = await load_view_catalog()

    async def once(sql: str) -> None:
        check(sql, catalog=catalog)

    taken = await _taken(once, statements, rounds=10)
    _row(f"guard, {len(statements)} verified statements", taken, most=MAX_GUARD_MS)


async def _linking(index: NameIndex) -> None:
    async def once(question: str) -> None:
        find_periods.cache_clear()
        link(question, index=index, today=AS_OF.date())

    _row("linking, questions spelt right", await _taken(once, QUESTIONS), most=MAX_LINK_MS)
    _row("linking, questions with mistakes", await _taken(once, MISSPELT), most=MAX_LINK_MS)


async def _executing(statements: dict[str, str]) -> None:
    async def ours(sql: str) -> None:
        result = await try_execute(sql)
        assert not result.error, result.error

    async def bare(sql: str) -> None:
        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await (await connection.execute(sql.encode())).fetchall()

        await analyst.run(work)

    quick = [sql for slug, sql in statements.items() if slug in ("priority-mix", "wip-by-person", "blocked-issues")]
    plain, guarded = await _taken(bare, quick), await _taken(ours, quick)
    _row("the bare statement, three of the dashboard", plain)
    _row("execute_query, the same", guarded)
    _goal("execute_query adds", guarded.middle - plain.middle, most=MAX_ADDED_MS)


async def _chat() -> None:
    for kind, questions in (("", QUESTIONS), (" about past days", OF_PAST_DAYS)):
        for question in questions:
            answer = await chat(question, now=NOW, reader=reader, model=None)
            assert answer.sql, (question, answer.answer)
            assert not answer.error, (question, answer.error)

        async def once(question: str) -> None:
            find_periods.cache_clear()  # a question is rarely asked twice
            await chat(question, now=NOW, reader=reader, model=None)

        taken = await _taken(once, questions, rounds=10)
        _row(f"chat without a model, {len(questions)} questions{kind}", taken, most=MAX_CHAT_MS)


async def _dashboard(statements: dict[str, str], *, every: dict[str, str]) -> None:
    slowest = 0.0
    for slug in DASHBOARD:
        results = [[await try_execute(sql) for _ in range(5)] for sql in (statements[slug], every[slug])]
        assert not any(one.error for some in results for one in some), (slug, results[0][0].error, results[1][0].error)
        team, whole = (median(one.runtime_ms for one in some) for some in results)
        slowest = max(slowest, team, whole)
        print(f"| {slug} | {team:.1f} | {whole:.1f} | {results[0][0].count}, {results[1][0].count} |")
    print()
    _goal("the slowest of the twelve", slowest, most=MAX_DASHBOARD_MS)


def _statements(held: Library, *, index: NameIndex, said: str) -> dict[str, str]:
    """Fill the slots of all queries that need no other names than these."""
    linked = link(said, index=index, today=AS_OF.date())
    filled = {}
    for query in held.statements:
        if query.needed <= {"sprint", "period"} and not (query.needed & {"sprint"} and not linked.sprints):
            filled[query.slug] = fill_slots(query.sql, linked=linked, index=index, defaults=query.defaults).sql
    return filled


async def _taken(once: Callable[[str], Awaitable[None]], given: Sequence[str], *, rounds: int = ROUNDS) -> Taken:
    for one in given:
        await once(one)
    times, cpu = [], process_time()
    for _ in range(rounds):
        for one in given:
            started = perf_counter()
            await once(one)
            times.append((perf_counter() - started) * 1000)
    return Taken(times=times, cpu=(process_time() - cpu) * 1000 / len(times))


def _row(name: str, taken: Taken, *, most: float | None = None) -> None:
    verdict = "" if most is None else f" ({'met' if taken.middle < most else 'MISSED'}: under {most:g})"
    print(f"| {name}{verdict} | {taken.middle:.2f} | {taken.p95:.2f} | {taken.cpu:.2f} |")


def _goal(name: str, value: float, *, most: float) -> None:
    print(f"| {name} ({'met' if value < most else 'MISSED'}: under {most:g}) | {value:.2f} | | |")
