"""Input and output models of the five tools of the SprintScope contract, and of `ask_sprints`."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

DEFAULT_ROWS = 50
MAX_ROWS = 1000

MAX_QUESTION = 2_000
MAX_PREVIOUS = 20
MAX_SQL = 100_000
"""The maximum length that is read. The guard has a lower limit with the contract's message."""


class CamelAnswer(ToolOutput):
    """An answer, or a part of one that comes back as a parameter: camelCase in JSON."""

    model_config = ConfigDict(alias_generator=to_camel)


class SchemaColumn(CamelAnswer):
    """A column of a view."""

    name: str = Field(description="The column's name.")
    type: str = Field(description="Its PostgreSQL type.")
    nullable: bool = Field(description="True if it may hold null.")
    description: str | None = Field(None, description="What it means, with its unit.")


class SchemaTable(CamelAnswer):
    """A view."""

    name: str = Field(description="The view's name.")
    columns: list[SchemaColumn] = Field(description="Its columns, in order.")
    description: str | None = Field(None, description="What one row is.")


class ForeignKey(CamelAnswer):
    """How two views join."""

    from_table: str = Field(description="The view that points.")
    from_column: str = Field(description="The column that points.")
    to_table: str = Field(description="The view pointed at.")
    to_column: str = Field(description="The column pointed at.")


class SchemaInfo(CamelAnswer):
    """The analyst's world: views, columns, and how they join."""

    tables: list[SchemaTable] = Field(description="The views that SQL may read.")
    foreign_keys: list[ForeignKey] = Field(description="How the views join.")


class QueryResult(CamelAnswer):
    """What a statement gave, or why it gave nothing."""

    rows: list[dict[str, Any]] = Field(description="The rows, by column name.")
    count: WholeNumber = Field(alias="rowCount", description="How many rows are here.")
    runtime_ms: float = Field(description="How long the statement took, in milliseconds.")
    error: str | None = Field(None, description="Why there are no rows.")
    suggestion: str | None = Field(None, description="What to write instead, after an error.")
    notes: list[str] | None = Field(None, description="A LIMIT that was set, rows that were left out.")
    truncated: bool | None = Field(None, description="True if rows were left out.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)


class GenerateSqlResult(CamelAnswer):
    """SQL for a question, or a question back."""

    sql: str | None = Field(description="The statement; null where the question is ambiguous.")
    clarification: str | None = Field(description="What to ask the user; null where the question is clear.")
    is_ambiguous: bool = Field(description="True if the user must be asked first.")
    assumptions: list[str] = Field(description="What was assumed, a sentence each.")


class RepairSqlResult(CamelAnswer):
    """A failed statement, repaired as far as is known."""

    repaired_sql: str = Field(description="The repaired statement; the failed one where no repair is known.")
    assumptions: list[str] = Field(description="What was changed and why, a sentence each.")


class PlainAnswer(CamelAnswer):
    """What a person gets for a question: an answer with all it rests on, or a question back."""

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
    error: str | None = Field(None, description="Why the statement could not be run.")
    notes: list[str] | None = Field(None, description="What should be known of the rows.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)


class SchemaQuestion(ToolInput):
    """Nothing: the schema is one."""


_CONTEXT = Field(None, description="What get_schema gave; else the server's own schema.")


class GenerateSqlQuestion(ToolInput):
    """A question in plain language."""

    natural_language_query: str = Field(
        description="The user's question, as 'Show all issues in QA status for Team ACCEL'.",
        min_length=1,
        max_length=MAX_QUESTION,
    )
    schema_context: SchemaInfo | None = _CONTEXT


class AskSprintsQuestion(ToolInput):
    """A question in plain language, with those that it may lean on."""

    question: str = Field(
        description="The question, as to a colleague: 'How many issues are blocked?'.",
        min_length=1,
        max_length=MAX_QUESTION,
    )
    previous: list[Annotated[str, Field(max_length=MAX_QUESTION)]] = Field(
        default=[],
        max_length=MAX_PREVIOUS,
        description="Questions asked before, oldest first, for one like 'and for HARBOR?' or 'only bugs'.",
    )


class ExecuteQueryQuestion(ToolInput):
    """A statement."""

    sql: str = Field(
        description="One SELECT over the views of get_schema, in PostgreSQL's SQL; without a LIMIT it gets LIMIT 50.",
        max_length=MAX_SQL,
    )


class RepairSqlQuestion(ToolInput):
    """A statement that failed, and what the database said."""

    failed_sql: str = Field(description="The statement that failed.", min_length=1, max_length=MAX_SQL)
    error_message: str = Field(description="The error that execute_query gave.", max_length=MAX_QUESTION * 2)
    schema_context: SchemaInfo | None = _CONTEXT


class ExplainResultsQuestion(ToolInput):
    """Rows, and the question that they answer."""

    query_results: QueryResult = Field(description="The result as execute_query gave it.")
    original_query: str = Field(description="The user's question.", min_length=1, max_length=MAX_QUESTION)
    sql: str = Field(description="The statement that was executed.", max_length=MAX_SQL)
    schema_context: SchemaInfo | None = _CONTEXT
