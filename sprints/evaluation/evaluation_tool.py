"""The shipped set of questions, asked by a tool: `evaluate_sql_questions`."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.resources import files
from typing import Literal

from pydantic import Field

from sprints.asking.drafts import Draft, generate
from sprints.contracts import CamelAnswer
from sprints.evaluation.counting import CountingModel
from sprints.evaluation.running import JudgedAnswer, Pair, Score, judge, read_pairs, scores
from sprints.linking.name_cache import data_as_of
from sprints.sql_sandbox.execution import try_execute
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import FORBIDDEN, UNAVAILABLE, Refusal
from toolbox.contract.models import ToolInput, WholeNumber
from toolbox.database.pools import Pool
from toolbox.model import configured_model

AT_ONCE = 20
MAX_QUESTIONS = 500
MAX_MISSES = 20
SCOPE = "sprints:write"


class EvaluationQuestion(ToolInput):
    """How many questions, and who answers."""

    most: WholeNumber = Field(10, ge=1, le=MAX_QUESTIONS, description="How many of the set, from its beginning.")
    provider: Literal["verified", "model"] = Field(
        "verified", description="verified: the verified queries alone. model: the language model; needs sprints:write."
    )


class CategoryScore(CamelAnswer):
    """One category's count."""

    category: str = Field(description="The category; all is the sum.")
    questions: int = Field(description="How many were asked.")
    right: int = Field(description="Rows as the gold statement's.")
    wrong: int = Field(description="Other rows.")
    failed: int = Field(description="Statements that did not run.")
    asked: int = Field(description="Asked back.")
    refused: int = Field(description="Statements that the guard refused.")
    tokens: int = Field(description="Tokens of the model, as far as known.")
    median_ms: float = Field(description="Half of the drafts took no longer, in milliseconds.")


class Miss(CamelAnswer):
    """A question that was not answered as it should be."""

    question: str = Field(description="The question.")
    verdict: str = Field(description="wrong, failed, asked, refused or broken gold.")
    said: str = Field(description="The statement, the error or the question back, cut.")


class Evaluation(CamelAnswer):
    """How well the questions were answered."""

    scores: list[CategoryScore] = Field(description="By category, all of them last.")
    misses: list[Miss] = Field(description=f"The first {MAX_MISSES} that went wrong.")


async def evaluate(ask: EvaluationQuestion, *, client: ClientChannel, now: datetime, reader: Pool) -> Evaluation:
    """Ask each question, run its SQL and compare; more than a few as a task, where the client knows tasks."""
    model = _model(ask, client=client)
    if ask.most > AT_ONCE or model:
        await client.continue_as_task()
    moment = await data_as_of(reader=reader) or now
    pairs = read_pairs((files("sprints.evaluation") / "questions.csv").read_text(encoding="utf-8"))[: ask.most]
    return _evaluation(await _judge_all(pairs, client=client, model=model, now=moment, reader=reader))


async def _judge_all(
    pairs: Sequence[Pair], *, client: ClientChannel, model: CountingModel | None, now: datetime, reader: Pool
) -> list[JudgedAnswer]:
    async def draft(question: str) -> Draft:
        return await generate(question, now=now, reader=reader, model=model)

    judged = []
    for done, pair in enumerate(pairs):
        await client.progress(done, total=len(pairs), message=pair.question)
        tokens = model.tokens if model else lambda: 0
        judged.append(await judge(pair, ask=draft, run=try_execute, tokens=tokens, clock=reader.clock))
    return judged


def _model(ask: EvaluationQuestion, *, client: ClientChannel) -> CountingModel | None:
    if ask.provider == "verified":
        return None
    if not client.caller.has(SCOPE):
        suggestion = "Ask with provider verified, or use a key with that scope."
        raise Refusal(FORBIDDEN, f"Asking the model for a whole set needs the scope {SCOPE}.", suggestion=suggestion)
    configured = configured_model()
    if configured is None:
        raise Refusal(UNAVAILABLE, "No language model is configured.", suggestion="Ask with provider verified.")
    return CountingModel(configured)


def _evaluation(judged: Sequence[JudgedAnswer]) -> Evaluation:
    counted = [_score(one) for one in scores(judged)]
    missed = [one for one in judged if not one.is_good][:MAX_MISSES]
    misses = [Miss(question=one.question, verdict=one.verdict, said=" ".join(one.said.split())[:300]) for one in missed]
    return Evaluation(scores=counted, misses=misses)


def _score(counted: Score) -> CategoryScore:
    told = asdict(counted)
    return CategoryScore(median_ms=told.pop("median_milliseconds"), **told)
