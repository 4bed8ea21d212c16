"""Our own tool `evaluate_sql_questions` on the shipped set of questions."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.resources import files

from sprints.asking.drafts import Draft, generate
from sprints.evaluation.contracts import MAX_MISSES, CategoryScore, Evaluation, EvaluationQuestion, Miss
from sprints.evaluation.counting import CountingModel
from sprints.evaluation.running import JudgedAnswer, Pair, Score, judge, read_pairs, scores
from sprints.linking.name_cache import data_as_of
from sprints.sql_sandbox.execution import try_execute
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import FORBIDDEN, UNAVAILABLE, Refusal
from toolbox.database.pools import Pool
from toolbox.model import configured_model

AT_ONCE = 20
SCOPE = "sprints:write"


async def evaluate(ask: EvaluationQuestion, *, client: ClientChannel, now: datetime, reader: Pool) -> Evaluation:
    """Ask each question, run its SQL and compare. A larger set runs as a task if the client supports tasks."""
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
