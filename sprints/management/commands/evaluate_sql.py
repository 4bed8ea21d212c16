"""Evaluate answers to questions: `manage.py evaluate_sql [FILE.csv] --provider verified|model`."""

import json
import os
import re
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import psycopg
from django.core.management.base import CommandError
from django.db import connections
from rich.console import Console
from rich.table import Table

from sprints.asking.drafts import Draft, generate
from sprints.evaluation.counting import CountingModel
from sprints.evaluation.external import load_dump
from sprints.evaluation.running import JudgedAnswer, Pair, Score, as_rows, judge, read_pairs, scores
from sprints.evaluation.semantic_questions import SemanticQuestions
from sprints.linking.name_cache import data_as_of
from sprints.sql_sandbox.execution import try_execute
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.database.pools import reader
from toolbox.model import Model, configured_model


class Command(DatabaseCommand):
    """Ask every question of a set, run the SQL, and compare its rows with the gold statement's."""

    help = "Measure execution accuracy on pairs of question and gold SQL; without a file, on the set that ships."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the set, the provider, and the report file."""
        parser.add_argument("file", nargs="?", type=Path, help="CSV with question, gold_sql and perhaps category.")
        parser.add_argument(
            "--provider",
            choices=["verified", "model"],
            default="verified",
            help="verified: the verified queries alone; model: the one that AGENT_MODEL names.",
        )
        parser.add_argument("--model", default="", help="Another model of the same server.")
        parser.add_argument("--dump", type=Path, help="Another database to ask, as plain SQL (pg_dump --inserts).")
        parser.add_argument(
            "--semantics", type=Path, help="The other database's semantic model: questions become queries of it."
        )
        parser.add_argument("--ordered", action="store_true", help="The order of rows counts too.")
        parser.add_argument("--json", type=Path, help="Write every judgement there.")
        parser.add_argument("--most", type=int, help="Only so many questions.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Evaluate and print the table. Exits with 1 if a gold statement fails."""
        pairs = _pairs(options["file"])[: options["most"]]
        model = _model(options["provider"], name=options["model"])
        if options["semantics"] and not options["dump"]:
            raise CommandError("--semantics describes another database: give --dump with it")
        semantics = _semantics(options["semantics"], model=model)
        if options["dump"]:
            judged = _judge_dump(
                pairs,
                dump=options["dump"],
                model=model,
                semantics=semantics,
                ordered=options["ordered"],
            )
        else:
            judged = event_loop.run(_judge_all(pairs, model=model, ordered=options["ordered"]))
        counted = scores(judged)
        console = Console(highlight=False)
        console.print(_table(counted))
        _say(console, judged)
        if options["json"]:
            report = {"scores": [asdict(one) for one in counted], "questions": as_rows(judged)}
            options["json"].write_text(json.dumps(report, indent=1, ensure_ascii=False, default=str), encoding="utf-8")
        if any(one.verdict == "broken gold" for one in judged):
            raise CommandError("some gold statements do not run here")


def _pairs(path: Path | None) -> list[Pair]:
    source = path or files("sprints.evaluation") / "questions.csv"
    try:
        return read_pairs(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: {error}") from error


def _model(provider: str, *, name: str) -> CountingModel | None:
    if provider == "verified":
        return None
    model = configured_model(name)
    if model is None:
        raise CommandError("no model is configured: set AGENT_MODEL with OPENAI_BASE_URL or OPENAI_API_KEY")
    return CountingModel(model)


async def _judge_all(pairs: Sequence[Pair], *, model: CountingModel | None, ordered: bool) -> list[JudgedAnswer]:
    now = await data_as_of(reader=reader) or datetime.now(UTC)
    asked: Model | None = model

    async def ask(question: str) -> Draft:
        return await generate(question, now=now, reader=reader, model=asked)

    tokens = model.tokens if model else lambda: 0
    return [
        await judge(pair, ask=ask, run=try_execute, tokens=tokens, ordered=ordered, clock=reader.clock)
        for pair in pairs
    ]


def _semantics(path: Path | None, *, model: CountingModel | None) -> SemanticQuestions | None:
    if path is None:
        return None
    try:
        return SemanticQuestions.from_file(path, today=datetime.now(UTC).date(), language_model=model)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: {error}") from error


def _judge_dump(
    pairs: Sequence[Pair],
    *,
    dump: Path,
    model: CountingModel | None,
    semantics: SemanticQuestions | None,
    ordered: bool,
) -> list[JudgedAnswer]:
    """Evaluate on another database, loaded into a scratch one."""
    if model is None and semantics is None:
        raise CommandError("another database has no verified queries: ask with --semantics, or --provider model")
    today = datetime.now(UTC).date()
    try:
        text = dump.read_text(encoding="utf-8")
        with load_dump(
            text, admin=_address("default"), analyst=_address("analyst"), name=f"toolroom_evaluation_{os.getpid()}"
        ) as external:

            async def every() -> list[JudgedAnswer]:
                if semantics and (failures := await external.find_failures(semantics.list_statements())):
                    raise CommandError(" ".join(failures))
                ask = semantics.ask if semantics else partial(external.ask, model=cast("Model", model), today=today)
                run, clock = external.run, reader.clock
                tokens = model.tokens if model else lambda: 0
                return [
                    await judge(pair, ask=ask, run=run, tokens=tokens, ordered=ordered, clock=clock) for pair in pairs
                ]

            return event_loop.run(every())
    except (OSError, psycopg.Error) as error:
        raise CommandError(f"{dump}: {error}") from error


def _address(alias: str) -> str:
    """Return the address of the server's own database for the role of an alias."""
    if alias not in connections.databases:
        raise CommandError("no analyst role is configured: set DATABASE_ANALYST_URL")
    entry = connections[alias].settings_dict
    return psycopg.conninfo.make_conninfo(
        dbname="postgres",
        user=entry["USER"],
        password=entry["PASSWORD"] or None,
        host=entry["HOST"] or None,
        port=entry["PORT"] or None,
    )


def _table(counted: Sequence[Score]) -> Table:
    heads = ("category", "questions", "right", "wrong", "failed", "asked back", "refused", "tokens", "median ms")
    table = Table(*heads, box=None)
    for one in counted:
        table.add_row(*(f"{value:.1f}" if isinstance(value, float) else str(value) for value in asdict(one).values()))
    return table


def _say(console: Console, judged: Sequence[JudgedAnswer]) -> None:
    answerable = [one for one in judged if one.is_answerable]
    others = [one for one in judged if not one.is_answerable]
    right = sum(one.is_good for one in answerable)
    wrongly = sum(one.verdict in ("wrong", "failed") for one in others)
    console.print(
        f"{right} of {len(answerable)} answerable questions answered rightly; "
        f"{wrongly} of {len(others)} others answered instead of asked back."
    )
    for one in judged:
        if not one.is_good:
            said = re.sub(r"\s+", " ", one.said)[:160]
            console.print(f"  {one.verdict}: {one.question} -> {said}", markup=False)
