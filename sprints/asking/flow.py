"""The contract's flow in one go: question, SQL, rows, one repair where it fails, words."""

from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from sprints.asking.charting import chart
from sprints.asking.explaining import explain
from sprints.asking.generating import generate
from sprints.asking.repairing import repair
from sprints.contracts import QueryResult
from sprints.executing import tried
from toolbox.contract.models import ToolOutput
from toolbox.database.pools import Pool
from toolbox.model import Model


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
    error: str | None = Field(None, description="Why the statement could not be run.")
    notes: list[str] | None = Field(None, description="What should be known of the rows.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)


async def chat(question: str, *, now: datetime, reader: Pool, model: Model | None) -> ChatAnswer:
    """Answer a question; a statement that fails is mended and run once more."""
    drafted, _ = await generate(question, now=now, reader=reader, model=model)
    if drafted.sql is None:
        return _asked_back(question, asked=drafted.clarification or "", suggestions=drafted.suggestions)
    sql, assumptions = drafted.sql, list(drafted.assumptions)
    result = await tried(sql)
    if result.error:
        mended = await repair(sql, error=result.error, reader=reader, model=model)
        if mended.repaired_sql != sql:
            sql, result = mended.repaired_sql, await tried(mended.repaired_sql)
            assumptions += mended.assumptions
    said = await explain(
        result, question=question, sql=sql, model=model, suggestions=drafted.suggestions, assumptions=assumptions
    )
    return ChatAnswer(
        question=question, answer=said.text, is_ambiguous=False, sql=sql, rows=result.rows, count=result.count,
        runtime_ms=result.runtime_ms, assumptions=assumptions, suggestions=list(said.suggestions),
        chart=None if result.error else chart(result.rows, title=question),
        verified_query=drafted.query.slug if drafted.query and sql == drafted.sql else None,
        error=result.error, notes=result.notes,
    )  # fmt: skip


def _asked_back(question: str, *, asked: str, suggestions: tuple[str, ...]) -> ChatAnswer:
    return ChatAnswer(
        question=question, answer=asked, is_ambiguous=True, sql=None, rows=[], count=0, runtime_ms=0.0,
        assumptions=[], suggestions=list(suggestions),
    )  # fmt: skip


__all__ = ["ChatAnswer", "QueryResult", "chat"]
