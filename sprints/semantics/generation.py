"""Generation of queries by a language model: a query of the semantic model, not SQL."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from sprints.semantics.compile import compile_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery
from toolbox.model import Message, Model

_INSTRUCTIONS = """\
Answer the question with one query in the terms below, as JSON of the given schema. Use only these terms, each by its
name. If the question names something that no term says, or may mean several things, leave query out and ask the user
in clarification. Every word of the question that narrows it must be in the query. Today is {today}.

{terms}"""
_AGAIN = "That query does not hold: {message} {suggestion} Correct it."


class GeneratedQuery(BaseModel):
    """A query, or a question back."""

    model_config = ConfigDict(extra="forbid")

    query: MetricQuery | None = Field(None, description="The query; left out where the question cannot be answered.")
    clarification: str | None = Field(None, description="What to ask the user, where there is no query.")


async def generate_query(
    question: str, *, language_model: Model, model: SemanticModel, today: date, deadline_seconds: float
) -> GeneratedQuery:
    """
    Have a language model write the query for a question. A query that does not compile is returned to it once.

    Raises ModelFailure, and SemanticError where the second query does not compile either.
    """
    instructions = _INSTRUCTIONS.format(today=today, terms=list_terms(model))
    messages = [Message.system(instructions), Message.user(question)]
    generated = await language_model.complete_structured(
        messages, schema=GeneratedQuery, deadline_seconds=deadline_seconds
    )
    if generated.query is None:
        return generated
    try:
        compile_query(generated.query, model=model)
    except SemanticError as error:
        wrong = generated.model_dump_json(exclude_none=True, exclude_defaults=True)
        again = _AGAIN.format(message=error.message, suggestion=error.suggestion)
        messages += [Message.assistant(wrong), Message.user(again)]
        generated = await language_model.complete_structured(
            messages, schema=GeneratedQuery, deadline_seconds=deadline_seconds
        )
        if generated.query is not None:
            compile_query(generated.query, model=model)
    return generated


def list_terms(model: SemanticModel) -> str:
    """List the terms of a model for a writer of queries, one on each line."""
    lines = ["Entities (rows_of) with relations:"]
    lines += [
        f"- {e.id}: {e.description} Relations: {', '.join(e.relations) or 'none'}."
        for e in model.entities.values()
        if e.columns
    ]
    lines += ["Measures:"]
    lines += [
        f"- {m.id} (of {m.entity}, in {m.unit}): {m.description}" for m in model.measures.values() if not m.hidden
    ]
    lines += ["Dimensions:"]
    for dimension in model.dimensions.values():
        values = f" One of: {', '.join(map(str, dimension.values))}." if dimension.values else ""
        lines.append(f"- {dimension.id} (of {dimension.entity}, {dimension.type}): {dimension.description}{values}")
    lines += ["Predicates:"]
    lines += [f"- {p.id} (of {p.entity}): {p.description}" for p in model.predicates.values() if not p.hidden]
    lines += ["Time roles:"]
    lines += [f"- {r.id} (of {r.entity}): {r.description}" for r in model.time_roles.values()]
    return "\n".join(lines)
