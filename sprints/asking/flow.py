"""The contract's flow in one go: question, SQL, rows, one repair where it fails, words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from sprints.asking.charting import chart
from sprints.asking.drafting import Draft, draft_query
from sprints.asking.explanation import explain
from sprints.asking.generating import generate
from sprints.asking.sql_repair import repair
from sprints.asking.understanding import understand
from sprints.contracts import QueryResult
from sprints.semantics.checks import find_contradictions, find_cut, find_ties
from sprints.semantics.describe import remove_chip
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.coverage import BY_MODEL
from sprints.sql_sandbox.execution import execute, try_execute
from toolbox.contract.models import ToolOutput
from toolbox.database.pools import Pool
from toolbox.model import Model


class Filter(ToolOutput):
    """A piece of what was understood."""

    model_config = ConfigDict(alias_generator=to_camel)

    position: int = Field(description="Send it in without, beside the query as context, to take the piece away.")
    kind: str = Field(description="filter, group, rank or having.")
    text: str = Field(description="The piece in words.")


class ChatAnswer(ToolOutput):
    """What a person gets for a question: an answer with all it rests on, or a question back."""

    model_config = ConfigDict(alias_generator=to_camel)

    question: str = Field(description="The question.")
    answer: str = Field(description="The answer in words; of an ambiguous question, what is asked back.")
    is_ambiguous: bool = Field(description="True if the user is asked back; sql and rows are then empty.")
    sql: str | None = Field(description="The statement that gave the rows.")
    rows: list[dict[str, Any]] = Field(description="The rows.")
    count: int = Field(alias="rowCount", description="How many.")
    runtime_ms: float = Field(description="Milliseconds that the statement took.")
    assumptions: list[str] = Field(description="What was assumed, a sentence each.")
    suggestions: list[str] = Field(description="What may be asked next.")
    chart: dict[str, Any] | None = Field(None, description="A Vega-Lite specification of the rows, as data.")
    verified_query: str | None = Field(None, description="The verified query that the statement is, if it is one.")
    source: Literal["layer", "verified", "model"] | None = Field(
        None,
        description="What the rows rest on: the semantic layer, a verified query, or SQL that a model wrote unchecked.",
    )
    interpretation: str | None = Field(None, description="What was understood, in words.")
    filters: list[Filter] | None = Field(None, description="Its pieces; each can be taken away.")
    query: MetricQuery | None = Field(
        None, description="The question in the terms of the layer; send it as context with the next question."
    )
    error: str | None = Field(None, description="Why the statement could not be run.")
    notes: list[str] | None = Field(None, description="What should be known of the rows.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)


async def chat(
    question: str, *, now: datetime, reader: Pool, model: Model | None, context: MetricQuery | None = None,
    without: Sequence[int] = (),
) -> ChatAnswer:  # fmt: skip
    """
    Answer a question; a statement that fails is repaired and run once more.

    `context` is the query of the question before. With `without`, pieces of it are taken away and it is asked again.
    """
    if context is not None and without:
        understood = await understand(question, now=now, reader=reader)
        changed = take_away(context, positions=without)
        drafted = draft_query(changed, understood=understood) or Draft(clarification="Without that nothing is asked.")
    else:
        drafted, _ = await generate(question, now=now, reader=reader, model=model, context=context)
    if drafted.sql is None:
        return _asked_back(question, asked=drafted.clarification or "", suggestions=drafted.suggestions)
    sql, assumptions = drafted.sql, list(drafted.statements)
    result = await try_execute(sql)
    if result.error:
        repaired = await repair(sql, error=result.error, reader=reader, model=model)
        if repaired.repaired_sql != sql:
            sql, result = repaired.repaired_sql, await try_execute(repaired.repaired_sql)
            assumptions += repaired.assumptions
    said = await explain(
        result, question=question, sql=sql, model=model, suggestions=drafted.suggestions, assumptions=assumptions
    )
    meant = drafted if sql == drafted.sql else Draft(sql=sql)
    doubts, notes = await _check(result, drafted=meant)
    assumptions += [f"Doubtful: {doubt}" for doubt in doubts]
    text = said.text if result.error else _hedged(" ".join([said.text, *notes]), doubts=[*drafted.warnings, *doubts])
    return ChatAnswer(
        question=question, answer=text, is_ambiguous=False, sql=sql, rows=result.rows, count=result.count,
        runtime_ms=result.runtime_ms, assumptions=assumptions, suggestions=list(said.suggestions),
        chart=None if result.error else chart(result.rows, title=question),
        verified_query=drafted.verified.slug if drafted.verified and sql == drafted.sql else None,
        error=result.error, notes=[*(result.notes or ()), *notes] or None, **_understood(meant),
    )  # fmt: skip


async def _check(result: QueryResult, *, drafted: Draft) -> tuple[Sequence[str], Sequence[str]]:
    """Doubt the rows where another derivation or a filter contradicts them; say which of them share a place."""
    if result.error or drafted.sql is None:
        return (), ()
    if drafted.query is None:
        return (), find_cut(result.rows, sql=drafted.sql)
    doubts = await find_contradictions(drafted.query, rows=result.rows, model=shipped_model(), run=execute)
    return doubts, find_ties(result.rows, query=drafted.query)


def _hedged(text: str, *, doubts: Sequence[str]) -> str:
    """Put doubts before the answer, so that nobody reads its rows as certain."""
    serious = [doubt for doubt in doubts if doubt != BY_MODEL]
    return f"Not certain: {' '.join(serious)} {text}" if serious else text


def take_away(query: MetricQuery, *, positions: Sequence[int]) -> MetricQuery:
    """Take pieces away from a query, the last first, so that the positions stay those that were shown."""
    for position in sorted(set(positions), reverse=True):
        query = remove_chip(query, position)
    return query


def _understood(drafted: Draft) -> dict[str, Any]:
    """Say what the rows rest on and what was understood."""
    if drafted.meaning is None or drafted.query is None:
        return {"source": "verified" if drafted.verified else "model"}
    filters = [Filter(position=one.position, kind=one.kind, text=one.text) for one in drafted.meaning.chips]
    return {"source": "layer", "interpretation": drafted.meaning.text, "filters": filters, "query": drafted.query}


def _asked_back(question: str, *, asked: str, suggestions: tuple[str, ...]) -> ChatAnswer:
    return ChatAnswer(
        question=question, answer=asked, is_ambiguous=True, sql=None, rows=[], count=0, runtime_ms=0.0,
        assumptions=[], suggestions=list(suggestions),
    )  # fmt: skip


__all__ = ["ChatAnswer", "QueryResult", "chat"]
