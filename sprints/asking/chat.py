"""The chat: question, SQL, rows, one repair of a failed statement, words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from sprints.asking.charts import make_chart
from sprints.asking.drafts import Draft, draft_query, draft_without_model, generate
from sprints.asking.explanations import explain
from sprints.asking.reading import read_question
from sprints.contracts import PlainAnswer, QueryResult
from sprints.semantics.checks import (
    find_contradictions,
    find_cut,
    find_empty_follow_up,
    find_missing_change,
    find_ties,
    find_total,
    is_cut,
)
from sprints.semantics.describe import remove_chip
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery, SentQuery
from sprints.semantics.questions.coverage import BY_MODEL
from sprints.sql_sandbox.execution import execute, try_execute
from toolbox.answering.name_aliases import expand_aliases
from toolbox.contract.models import ToolOutput
from toolbox.database.pools import Pool
from toolbox.model import Model


class Filter(ToolOutput):
    """A removable part of the query."""

    model_config = ConfigDict(alias_generator=to_camel)

    position: int = Field(description="Send it in without, beside the query as context, to take the piece away.")
    kind: str = Field(description="filter, group, rank or having.")
    text: str = Field(description="The piece in words.")


class ChatAnswer(PlainAnswer):
    """An answer with its query, which the next question may change."""

    filters: list[Filter] | None = Field(None, description="Its pieces; each can be taken away.")
    query: SentQuery | None = Field(
        None, description="The question in the terms of the layer; send it as context with the next question."
    )


class Context(NamedTuple):
    """
    What the questions before mean.

    `lost` is given if the last one has no query: the question, if it was asked back and is one without those before,
    else an empty text.
    """

    query: MetricQuery | None = None
    lost: str | None = None


async def chat(
    question: str, *, now: datetime, reader: Pool, model: Model | None, context: MetricQuery | None = None,
    lost: str | None = None, without: Sequence[int] = (),
) -> ChatAnswer:  # fmt: skip
    """
    Answer a question. A failed statement is repaired and run once more.

    `context` is the query of the question before. With `without`, pieces of it are taken away and it is asked again.
    With `lost` (see Context) the question before has no query: this one may answer what it was asked back, and is asked
    back if it leans on it.
    """
    question = await expand_aliases(question, domain="sprints")
    if context is not None and without:
        reading = await read_question(question, now=now, reader=reader)
        changed = remove_filters(context, positions=without)
        draft = draft_query(changed, reading=reading) or Draft(clarification="Without that nothing is asked.")
    else:
        draft = await generate(
            question, now=now, reader=reader, model=model, context=context, lost=lost
        )  # fmt: skip
    if draft.sql is None:
        return ChatAnswer(
            question=question, answer=draft.clarification or "", is_ambiguous=True, sql=None, rows=[], count=0,
            runtime_ms=0.0, assumptions=[], suggestions=list(draft.suggestions),
        )  # fmt: skip
    sql, assumptions = draft.sql, list(draft.statements)
    result = await try_execute(sql)
    if result.error:
        from sprints.asking.sql_repair import repair  # noqa: PLC0415 - PostgreSQL's parser, for what fails

        repaired = await repair(sql, error=result.error, reader=reader, model=model)
        if repaired.repaired_sql != sql:
            sql, result = repaired.repaired_sql, await try_execute(repaired.repaired_sql)
            assumptions += repaired.assumptions
    source = draft if sql == draft.sql else Draft(sql=sql)
    if source.query and not source.query.limit and is_cut(result.rows, query=source.query):
        result = result.model_copy(update={"truncated": True})
    said = await explain(
        result, question=question, sql=sql, model=model, suggestions=draft.suggestions, assumptions=assumptions,
        total_of=find_total(source.query, model=shipped_model()) if source.query else "",
    )  # fmt: skip
    doubts, notes = await _check_rows(result, draft=source, context=None if without else context)
    assumptions += [f"Doubtful: {doubt}" for doubt in doubts if doubt not in draft.warnings]
    if not result.error:
        doubts = list(dict.fromkeys([*draft.warnings, *doubts]))
    text = " ".join([_describe_nothing(result, draft=source) or said.text, *notes])
    return ChatAnswer(
        question=question, answer=f"Not certain: {' '.join(doubts)} {text}" if doubts else text,
        is_ambiguous=False, sql=sql, rows=result.rows, count=result.count,
        runtime_ms=result.runtime_ms, assumptions=assumptions, suggestions=list(said.suggestions),
        chart=None if result.error else make_chart(result.rows, title=question),
        verified_query=source.verified.slug if source.verified else None,
        error=result.error, notes=[*(result.notes or ()), *notes] or None, **_describe_source(source),
    )  # fmt: skip


async def _check_rows(
    result: QueryResult, *, draft: Draft, context: MetricQuery | None
) -> tuple[Sequence[str], Sequence[str]]:  # fmt: skip
    """
    Return doubts if another derivation or a filter contradicts the rows, and which rows tie.

    A statement of a model's own is always doubtful.
    """
    if result.error or draft.sql is None:
        return (), ()
    if draft.query is None:
        is_new_doubt = not draft.verified and BY_MODEL not in draft.warnings
        return (BY_MODEL,) if is_new_doubt else (), find_cut(result.rows, sql=draft.sql)
    model = shipped_model()
    doubts = [
        *await find_contradictions(draft.query, rows=result.rows, model=model, run=execute),
        *find_empty_follow_up(result.rows, query=draft.query, context=context, model=model),
    ]
    notes = (*find_ties(result.rows, query=draft.query), *find_missing_change(result.rows, query=draft.query))
    return doubts, notes


def _describe_nothing(result: QueryResult, *, draft: Draft) -> str:
    """Say that there are no rows to take a number of: the progress of an epic without issues. Empty if there are."""
    is_empty = len(result.rows) == 1 and all(value is None for value in result.rows[0].values())
    if not (is_empty and draft.query and draft.query.measures and draft.meaning) or draft.query.group_by:
        return ""
    model = shipped_model()
    rows = model.entities[model.measures[draft.query.measures[0]].entity].plural
    return f"No {rows} match the question ({draft.meaning.text}), or none of them has such a number."


async def read_context(questions: Sequence[str], *, now: datetime, reader: Pool) -> Context:
    """
    Return the query of the last of these questions. Each may change the query before it.

    A question that is asked back, or that a verified query answers, leaves none: the next one is not about an older
    question. It is lost if the next one may lean on it.
    """
    context = Context()
    for question in questions:
        reading = await read_question(
            question, now=now, reader=reader, context=context.query, lost=context.lost
        )  # fmt: skip
        draft = draft_without_model(reading)
        asked = reading.find_lost() if draft.sql is None else ""
        context = Context(query=draft.query, lost=asked if draft.query is None else None)
    return context


def remove_filters(query: MetricQuery, *, positions: Sequence[int]) -> MetricQuery:
    """Remove parts of a query, the last first, so that the positions stay valid."""
    for position in sorted(set(positions), reverse=True):
        query = remove_chip(query, position)
    return query


def _describe_source(draft: Draft) -> dict[str, Any]:
    """Describe the source of the rows and the query."""
    if draft.meaning is None or draft.query is None:
        return {"source": "verified" if draft.verified else "model"}
    filters = [Filter(position=one.position, kind=one.kind, text=one.text) for one in draft.meaning.chips]
    return {"source": "layer", "interpretation": draft.meaning.text, "filters": filters, "query": draft.query}
