"""Definitions of the semantic layer for analysts: words, unit, grain, SQL, and an example answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sprints.contracts import QueryResult
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_query
from sprints.semantics.enums import Grain
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import Dimension, Entity, Measure, Predicate, SemanticModel, Term, TimeRole
from sprints.semantics.query import DimensionGroup, MetricQuery, NamedCondition, TimeGroup, TimeRange
from sprints.sql_sandbox.execution import try_execute
from sprints.verified.synonyms import FORMS, TERMS_BY_KIND

EXAMPLE_ROWS = 5
LONG_AGO = date(2000, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedTerm:
    """A term of the model. `grain` describes one row, `sql` is its expression over the views."""

    kind: str
    id: str
    label: str
    description: str
    words: tuple[str, ...]
    synonyms: tuple[str, ...]
    unit: str
    grain: str
    sql: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleAnswer:
    """An example query of a term: its description, its SQL, and its rows."""

    text: str
    sql: str
    result: QueryResult


def list_definitions(model: SemanticModel, *, synonyms: Sequence[Mapping[str, Any]]) -> list[DefinedTerm]:
    """List every term by kind in file order. Synonyms are rows of kind, term and phrase."""
    return [
        _define(term, kind=kind, model=model, synonyms=[
            row["phrase"] for row in synonyms if (row["kind"], row["term"]) == (kind, term.id)
        ])
        for kind, group in TERMS_BY_KIND.items()
        for term in getattr(model, group).values()
    ]  # fmt: skip


async def answer_example(kind: str, *, term: str, model: SemanticModel) -> ExampleAnswer | None:
    """Answer an example query of a term through the guard. None if the term cannot be queried alone."""
    for query in _make_examples(getattr(model, TERMS_BY_KIND[kind])[term], model=model):
        try:
            compiled = compile_query(query, model=model)
        except SemanticError:
            continue
        text = describe_query(query, model=model).text
        return ExampleAnswer(text=text, sql=compiled.sql, result=await try_execute(compiled.sql))
    return None


def _define(term: Term, *, kind: str, model: SemanticModel, synonyms: Iterable[str]) -> DefinedTerm:
    entity = term if isinstance(term, Entity) else model.entities[term.entity]
    words = tuple(word for form in FORMS for word in getattr(term.words, f"{form}s"))
    return DefinedTerm(
        kind=kind, id=term.id, label=term.label, description=term.description, words=words, synonyms=tuple(synonyms),
        unit=(term.unit or "") if isinstance(term, Measure | Dimension) else "", grain=f"one row is {entity.label}",
        sql=_write_sql(term), facts=tuple(_list_facts(term)),
    )  # fmt: skip


def _write_sql(term: Term) -> str:
    match term:
        case Entity():
            return term.sql or f"sprintscope.{term.view}"
        case Measure(ratio=(above, below)):
            return f"{above} / {below}"
        case Predicate(comparison=comparison) if comparison is not None:
            values = ", ".join(str(value) for value in comparison.values)
            return f"{comparison.field} {comparison.op} {values}".strip()
        case TimeRole(end=end):
            return f"{term.start} to {end}" if end else term.start
    return term.expression or ""


def _list_facts(term: Term) -> list[str]:
    """List the other attributes of a term in the file."""
    match term:
        case Measure():
            facts = [f"only rows that are {', '.join(term.where)}"] if term.where else []
            facts += [f"a period means {term.time}"] if term.time else []
            facts += ["parts sum to the whole"] if term.additive else []
            facts += [f"checked by {term.checked_by}"] if term.checked_by else []
            return [*facts, "no rows give zero" if term.empty == "zero" else "no rows give no value"]
        case Dimension(values=values) if values:
            return [f"values: {', '.join(map(str, values))}"]
        case Predicate():
            facts = [f"also {', '.join(term.requires)}"] if term.requires else []
            return [*facts, f"otherwise: {term.negated}"]
    return []


def _make_examples(term: Term, *, model: SemanticModel) -> list[MetricQuery]:
    """Return queries that show a term, the best first."""
    entity = term if isinstance(term, Entity) else model.entities[term.entity]
    counts = [one.id for one in model.measures.values() if not one.hidden and one.entity == entity.id]
    count = (entity.count or next(iter(counts), None),) if entity.count or counts else ()
    match term:
        case Entity():
            return [MetricQuery(rows_of=entity.id, limit=EXAMPLE_ROWS)]
        case Measure():
            return [MetricQuery(measures=(term.id,))]
        case Dimension():
            listed = MetricQuery(rows_of=entity.id, columns=(term.id,), limit=EXAMPLE_ROWS)
            if not (count and term.groupable):
                return [listed]
            group = DimensionGroup(dimension=term.id)
            return [MetricQuery(measures=count, group_by=(group,), limit=EXAMPLE_ROWS), listed]
        case Predicate():
            listed = MetricQuery(rows_of=entity.id, where=NamedCondition(predicate=term.id), limit=EXAMPLE_ROWS)
            return [*([MetricQuery(measures=count, where=NamedCondition(predicate=term.id))] if count else []), listed]
    by_month: Any = TimeGroup(grain=Grain.MONTH, role=term.id)
    examples = [MetricQuery(measures=count, group_by=(by_month,), limit=EXAMPLE_ROWS)] if count else []
    if entity.columns:  # a time that lasts is no group
        since = TimeRange(role=term.id, start=LONG_AGO)
        examples.append(MetricQuery(rows_of=entity.id, where=since, limit=EXAMPLE_ROWS))
    return examples
