"""Runs of an evaluation: ask a set of questions and compare each answer with the gold rows."""

import csv
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from typing import Literal

from sprints.asking.drafts import Draft
from sprints.contracts import QueryResult
from sprints.evaluation.comparing import same

Verdict = Literal["right", "wrong", "failed", "asked", "refused", "broken gold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question with its gold statement. Without one, a clarification is the right answer."""

    category: str
    question: str
    gold_sql: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """The result of a question. `tokens` are those of the model, if known."""

    category: str
    question: str
    verdict: Verdict
    is_answerable: bool
    said: str
    milliseconds: float
    tokens: int = 0

    @property
    def is_good(self) -> bool:
        """Return whether the result is right: rows if there is a gold statement, else a clarification."""
        return self.verdict == ("right" if self.is_answerable else "asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The counts of a category."""

    category: str
    questions: int
    right: int
    wrong: int
    failed: int
    asked: int
    refused: int
    tokens: int
    median_milliseconds: float


Asked = Callable[[str], Awaitable[Draft]]
Ran = Callable[[str], Awaitable[QueryResult]]


def read_pairs(text: str) -> list[Pair]:
    """
    Read pairs from CSV with a header. Raises ValueError with the name of a missing column.

    `question` is needed; `gold_sql` may be called sql or query, `category` may be missing.
    """
    rows = list(csv.DictReader(StringIO(text)))
    if not rows or "question" not in rows[0]:
        raise ValueError("the file needs a heading with the column question, and a row")
    gold = next((name for name in ("gold_sql", "sql", "query") if name in rows[0]), None)
    if gold is None:
        raise ValueError("the file needs a column gold_sql (or sql, or query)")
    named = next((name for name in ("category", "query_category", "db_name") if name in rows[0]), None)
    return [
        Pair(
            category=(row[named] if named else "") or "all",
            question=row["question"],
            gold_sql=(row[gold] or "").strip(),
        )
        for row in rows
    ]


async def judge(
    pair: Pair, *, ask: Asked, run: Ran, tokens: Callable[[], int] = lambda: 0, ordered: bool = False,
    clock: Callable[[], float],
) -> JudgedAnswer:  # fmt: skip
    """Ask one question, run the SQL, and compare the rows with the gold."""
    before, started = tokens(), clock()
    drafted = await ask(pair.question)
    took = (clock() - started) * 1000
    verdict, said = await _verdict(pair, drafted=drafted, run=run, ordered=ordered)
    return JudgedAnswer(
        category=pair.category, question=pair.question, verdict=verdict, is_answerable=bool(pair.gold_sql), said=said,
        milliseconds=round(took, 3), tokens=tokens() - before,
    )  # fmt: skip


def scores(judged: Iterable[JudgedAnswer]) -> list[Score]:
    """Count by category, with the total last."""
    every = list(judged)
    categories = dict.fromkeys(one.category for one in every)
    counted = [_score(name, [one for one in every if one.category == name]) for name in categories]
    return [*counted, _score("all", every)] if every else []


def as_rows(judged: Iterable[JudgedAnswer]) -> list[dict[str, object]]:
    """Return the results in JSON form."""
    return [asdict(one) | {"is_good": one.is_good} for one in judged]


async def _verdict(pair: Pair, *, drafted: Draft, run: Ran, ordered: bool) -> tuple[Verdict, str]:
    if drafted.sql is None:
        return "asked", drafted.clarification or ""
    given = await run(drafted.sql)
    if given.error:
        is_refusal = given.error.startswith("Forbidden") or "not allowed" in given.error
        return ("refused" if is_refusal else "failed"), given.error
    if not pair.gold_sql:
        return "wrong", drafted.sql
    gold = await run(pair.gold_sql)
    if gold.error:
        return "broken gold", gold.error
    return ("right" if same(given.rows, gold=gold.rows, ordered=ordered) else "wrong"), drafted.sql


def _score(category: str, judged: Sequence[JudgedAnswer]) -> Score:
    count = {
        verdict: sum(one.verdict == verdict for one in judged) for verdict in ("right", "failed", "asked", "refused")
    }
    times = sorted(one.milliseconds for one in judged)
    wrong = sum(one.verdict in ("wrong", "broken gold") for one in judged)
    return Score(
        category=category, questions=len(judged), right=count["right"], wrong=wrong, failed=count["failed"],
        asked=count["asked"], refused=count["refused"], tokens=sum(one.tokens for one in judged),
        median_milliseconds=times[len(times) // 2],
    )  # fmt: skip
