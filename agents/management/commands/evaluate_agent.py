"""Do tasks with known answers: `manage.py evaluate_agent [--model NAME] [--compare-raw-data]`."""

import asyncio
import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from rich.console import Console
from rich.table import Table

from agents.evaluation import with_raw_data, with_toolroom
from agents.evaluation.tasks import Outcome, Task, Verdict, is_marked, judge, load_tasks
from toolbox.access.keys import identify
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.errors import Refusal
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.model import configured_model

TOOLROOM, RAW_DATA = "Toolroom", "raw data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A completed task and its verdict."""

    means: str
    task: Task
    outcome: Outcome
    verdict: Verdict


class Command(DatabaseCommand):
    """Ask each task's question in a conversation of its own, and judge the answer by its numbers and facts."""

    help = "Do tasks with known answers and report right, wrong and asked back, calls, tokens, cost and time."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the tasks, the model and what to compare with."""
        parser.add_argument("domains", nargs="*", help="Only tasks of these domains; all if none is named.")
        parser.add_argument("--tasks", type=Path, help="A TOML file of your own tasks.")
        parser.add_argument("--model", default="", help="A model of the configured server; else AGENT_MODEL.")
        parser.add_argument(
            "--no-model", action="store_true", help="Answer by curated examples and the domains' own grammars."
        )
        parser.add_argument(
            "--compare-raw-data", action="store_true", help="Do the tasks with the sample files alone too, same model."
        )
        parser.add_argument("--json", type=Path, help="Write every answer and its verdict to this file.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a table of the results; exits with 1 if nothing could be asked."""
        if options["no_model"]:
            settings.AGENT_MODEL = ""
        elif not settings.AGENT_MODEL:
            raise CommandError("no model is configured: set AGENT_MODEL, with OPENAI_BASE_URL, or give --no-model")
        if options["compare_raw_data"] and options["no_model"]:
            raise CommandError("raw data need a model to read them")
        try:
            tasks = load_tasks(options["tasks"], domains=options["domains"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        connection.close()
        try:
            results = asyncio.run(_do_all(tasks, options=options))
        except Refusal as failed:
            raise CommandError(str(failed)) from failed
        console = Console(highlight=False, width=160)
        console.print(_table(results, title=settings.AGENT_MODEL and (options["model"] or settings.AGENT_MODEL)))
        for result in results:
            if result.verdict != ("right" if result.task.is_answerable else "asked back"):
                said = " ".join(result.outcome.text.split())[:200]
                console.print(f"{result.verdict}, {result.means}: {result.task.name}: {said}", markup=False)
        if options["json"]:
            report = [
                {
                    "means": one.means,
                    "task": one.task.name,
                    "verdict": one.verdict,
                    "marked": is_marked(one.outcome),
                    **one.outcome.model_dump(mode="json"),
                }
                for one in results
            ]
            options["json"].write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")


async def _do_all(tasks: Sequence[Task], *, options: dict[str, Any]) -> list[Result]:
    event_loop.adopt_running_loop()
    try:
        caller = await identify(settings.TOOLROOM_API_KEY or LOCAL_OPERATOR)
        await dynamic_tools.wait_until_loaded()
        model = configured_model(options["model"])
        data = with_raw_data.find_sample_files() if options["compare_raw_data"] else None
        results = []
        for task in tasks:
            outcome = await with_toolroom.do_task(task, caller=caller, model=options["model"])
            results.append(_judge(task, outcome=outcome, means=TOOLROOM))
            if data and model:
                outcome = await with_raw_data.do_task(task, data=data, model=model)
                results.append(_judge(task, outcome=outcome, means=RAW_DATA))
        return results
    finally:
        await event_loop.close()


def _judge(task: Task, *, outcome: Outcome, means: str) -> Result:
    return Result(means=means, task=task, outcome=outcome, verdict=judge(task, outcome=outcome))


def _table(results: Sequence[Result], *, title: str) -> Table:
    table = Table(title=f"Answers of {title or 'no model'}")
    table.add_column("domain")
    table.add_column("with")
    for heading in (
        "tasks",
        "right",
        "wrong",
        "wrong, not marked",
        "asked back",
        "calls",
        "tokens",
        "cost",
        "median ms",
    ):
        table.add_column(heading, justify="right")
    for means in dict.fromkeys(one.means for one in results):
        own = [one for one in results if one.means == means]
        domains = list(dict.fromkeys(one.task.domain for one in own))
        for domain in [*domains, ""]:
            _add_row(table, domain=domain, means=means, of=[one for one in own if domain in ("", one.task.domain)])
    return table


def _add_row(table: Table, *, domain: str, means: str, of: Sequence[Result]) -> None:
    """Add a row; a task that cannot be answered counts as right if it is asked back."""
    good = [one for one in of if one.verdict == ("right" if one.task.is_answerable else "asked back")]
    wrong = [one for one in of if one.verdict == "wrong"]
    table.add_row(
        domain or "all",
        means,
        str(len(of)),
        str(len(good)),
        str(len(wrong)),
        str(sum(not is_marked(one.outcome) for one in wrong)),
        str(len(of) - len(good) - len(wrong)),
        str(sum(one.outcome.calls for one in of)),
        f"{sum(one.outcome.tokens for one in of):,}",
        f"{sum((one.outcome.cost for one in of), Decimal()).normalize():f}",
        f"{median(one.outcome.milliseconds for one in of):,.0f}",
    )
