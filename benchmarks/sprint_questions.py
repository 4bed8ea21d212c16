"""
Measure how many of 200 plain-language questions about the sample organisation are answered right, without a model.

    python -m benchmarks.sprint_questions                    # a minute
    python -m benchmarks.sprint_questions --file more.jsonl  # another set of the same form
    python -m benchmarks.sprint_questions --show wrong       # each question of this verdict, with its SQL and rows

The questions, and the SQL for the right answers, were written by somebody who had not seen the grammar.

Each suggestion made for an answerable question that is asked back is itself asked, alone, and judged by the rows of
that question.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.scratch import scratch_database
from benchmarks.sprint_answers import QUESTIONS, Verdict, judge_answer, load_questions

VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "asked back")
ODD = re.compile(
    r"^[^\w\"“]|\s[?.,;:]|\s$|\s\s|\w- |\b(?:of|the|a|an|per|by|with|had|than|how many)[ ?.]*$", re.IGNORECASE
)
"""What no written question has: a dangling word, a space before a comma."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A suggested question. `verdict` says whether its rows are those that the question asked for."""

    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one question."""

    question: dict[str, Any]
    verdict: Verdict
    answer: str
    sql: str | None
    rows: list[dict[str, Any]]
    milliseconds: float
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def is_suggested(self) -> bool:
        """Return whether one of the suggestions is what was asked for."""
        return any(one.verdict == "right" for one in self.suggestions)

    @property
    def is_answerable(self) -> bool:
        """Return whether the question has an answer in the data."""
        return bool(self.question["kind"] != "ask_back")


def main() -> None:
    """Ask everything and print the table as Markdown."""
    parser = argparse.ArgumentParser(description="How many of 200 questions are answered right without a model.")
    parser.add_argument("--show", nargs="*", default=[], choices=VERDICTS, help="print the questions of these verdicts")
    parser.add_argument("--file", type=Path, default=QUESTIONS, help="questions, one JSON object a line")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        outcomes = ask_all(arguments.file)
        print_table(outcomes)
        for outcome in outcomes:
            if outcome.verdict in arguments.show:
                print_outcome(outcome)


def ask_all(path: Path) -> list[Outcome]:
    """Load the sample organisation into the scratch database and ask every question."""
    from django.core.management import call_command  # noqa: PLC0415 - after django.setup()

    from sprints.ingest.samples import load_samples  # noqa: PLC0415
    from toolbox.database import event_loop  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    load_samples()
    now = event_loop.run(_read_data_moment())
    return [event_loop.run(_ask(question, now=now)) for question in load_questions(path)]


async def _read_data_moment() -> datetime:
    """Return the end of the data, which the right answers count from, whatever today is."""
    from sprints.linking.name_cache import data_as_of  # noqa: PLC0415
    from toolbox.database.pools import reader  # noqa: PLC0415

    return await data_as_of(reader=reader) or datetime.now(UTC)


async def _ask(question: dict[str, Any], *, now: datetime) -> Outcome:
    from sprints.asking.chat import chat  # noqa: PLC0415
    from toolbox.database.pools import reader  # noqa: PLC0415

    context = None
    if question["previous"]:
        before = await chat(question["previous"], now=now, reader=reader, model=None)
        context = before.query
    started = perf_counter()
    answer = await chat(question["question"], now=now, reader=reader, model=None, context=context)
    took = 1000 * (perf_counter() - started)
    verdict = judge_answer(question, asks_back=answer.is_ambiguous, rows=answer.rows)
    suggested = []
    for text in answer.suggestions if verdict == "asked back" else ():
        again = await chat(text, now=now, reader=reader, model=None)
        judged = judge_answer(question, asks_back=again.is_ambiguous, rows=again.rows)
        suggested.append(Suggestion(text=text, verdict=judged))
    return Outcome(
        question=question, verdict=verdict, answer=answer.answer, sql=answer.sql, rows=answer.rows, milliseconds=took,
        suggestions=tuple(suggested),
    )  # fmt: skip


def print_table(outcomes: list[Outcome]) -> None:
    """Print verdicts by style, answerable and not."""
    asked = "asked back | of these, right among three"
    print(f"| style | answerable | right | wrong | {asked} | to ask back | asked back | answered |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for style in dict.fromkeys(one.question["style"] for one in outcomes):
        print(f"| {style} |{_cells(one for one in outcomes if one.question['style'] == style)}")
    print(f"| **all** |{_cells(outcomes)}")
    suggested = [one for outcome in outcomes for one in outcome.suggestions]
    asked_back = sum(one.verdict == "asked back" for one in suggested)
    odd = [one.text for one in suggested if ODD.search(one.text)]
    print(f"\nSuggestions: {len(suggested)}, themselves asked back: {asked_back}, no English: {odd or 0}.")
    print(f"Median {median(one.milliseconds for one in outcomes):.0f} ms a question, load {os.getloadavg()[0]:.1f}.")


def _cells(outcomes: Iterable[Outcome]) -> str:
    outcomes = list(outcomes)
    counts = Counter((one.is_answerable, one.verdict) for one in outcomes)
    answerable = [counts[True, verdict] for verdict in VERDICTS]
    suggested = sum(one.is_suggested for one in outcomes)
    other = [counts[False, "right"], counts[False, "wrong"]]
    return "".join(f" {number} |" for number in (sum(answerable), *answerable, suggested, sum(other), *other))


def print_outcome(outcome: Outcome) -> None:
    """Print one question with its result."""
    question = outcome.question
    print(f"\n{question['id']} {outcome.verdict}: {question['question']}")
    if question["previous"]:
        print(f"    after     {question['previous']}")
    for one in outcome.suggestions:
        print(f"    suggested {one.verdict}: {one.text}")
    print(f"    answer    {outcome.answer[:300]}\n    sql       {outcome.sql}\n    rows      {outcome.rows[:3]}")
    print(f"    truth     {[reading['rows'][:3] for reading in question['readings']]}")


if __name__ == "__main__":
    main()
